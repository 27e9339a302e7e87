/** The script of `<agent-widget>`; loaded twice, it defines the element once. */
import { AgentWidget } from "./element.ts";

if (!customElements.get("agent-widget")) customElements.define("agent-widget", AgentWidget);
