"use client";
/** The agent in React, 18 or 19: a provider and three hooks. */
export { AgentProvider, type AgentProviderProps } from "./provider.ts";
export { useAgent, useChat, useVoice, type UseAgent, type UseChat, type UseVoice } from "./hooks.ts";
export type { VoiceControls } from "./voice.ts";
