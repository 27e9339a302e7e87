import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { AgentProvider } from "@agent-platform/web-sdk/react";
import { Chat } from "./chat";

const place = document.getElementById("chat") as HTMLElement;
const { endpoint = "", projectId = "", apiKey = "" } = place.dataset;

createRoot(place).render(
  <StrictMode>
    <AgentProvider endpoint={endpoint} projectId={projectId} apiKey={apiKey}>
      <Chat />
    </AgentProvider>
  </StrictMode>,
);
