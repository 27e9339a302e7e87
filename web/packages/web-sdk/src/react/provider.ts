import { createContext, createElement, useContext, useEffect, useState, type ReactElement, type ReactNode } from "react";
import { AgentError } from "../errors.ts";
import type { Platform } from "../platform.ts";
import type { AgentConfig } from "../types.ts";
import { AgentStore } from "./store.ts";

/** Spec: platform-api 13.1; those behind `debug` are ours. */
export interface AgentProviderProps extends AgentConfig {
  children?: ReactNode;
  /** The world it runs in, the browser's by default; the first one given counts. */
  platform?: Platform;
}

const Held = createContext<AgentStore | null>(null);

/**
 * Connects while it is mounted, for the hooks below it. Other options are another conversation. Throws AgentError while
 * rendering where the options cannot be used.
 */
export function AgentProvider({ children, platform, ...config }: AgentProviderProps): ReactElement {
  const key = JSON.stringify([config.projectId, config.apiKey, config.endpoint, config.debug, config.agentId, config.storage, config.interruption]);
  const [held, hold] = useState(() => ({ key, store: new AgentStore(config, platform) }));
  let { store } = held;
  if (held.key !== key) {
    store = new AgentStore(config, platform);
    hold({ key, store });
  }
  useEffect(store.connect, [store]);
  return createElement(Held.Provider, { value: store }, children);
}

/** The store of the provider above. Throws AgentError where there is none. */
export function useStore(): AgentStore {
  const store = useContext(Held);
  if (!store) throw new AgentError("bad_config", "The hooks need an AgentProvider above them");
  return store;
}
