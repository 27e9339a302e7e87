import { useMemo, useSyncExternalStore } from "react";
import type { ChatClient } from "../chat.ts";
import type { AgentError } from "../errors.ts";
import type { AgentSDK } from "../sdk.ts";
import type { Message } from "../types.ts";
import type { VoiceClient } from "../voice/client.ts";
import { useStore } from "./provider.ts";
import { onServer } from "./store.ts";
import type { VoiceControls } from "./voice.ts";

/** Spec: platform-api 13.1. */
export interface UseChat {
  /** Oldest first. A message that has not changed is the same object, so a memoized line renders for its own chunks only. */
  messages: Message[];
  isTyping: boolean;
  /** Resolves with the message's id once it is kept. Rejects with AgentError. */
  sendMessage: (text: string) => Promise<string>;
  isConnected: boolean;
}

/** Spec: platform-api 13.1. */
export interface UseVoice extends VoiceControls {
  isConnected: boolean;
}

/** Spec: platform-api 13.1. */
export interface UseAgent extends UseChat, VoiceControls {
  sdk: AgentSDK;
  sessionId: string | null;
  /** The last thing that went wrong; null again once there is a connection. */
  error: AgentError | null;
  chat: ChatClient;
  voice: VoiceClient;
}

/** Return the conversation and what speaks in it; renders again when it changes. */
export function useChat(): UseChat {
  const store = useStore();
  const messages = useSyncExternalStore(store.subscribe, store.messages, onServer.messages);
  const isTyping = useSyncExternalStore(store.subscribe, store.isTyping, onServer.no);
  const isConnected = useSyncExternalStore(store.subscribe, store.isConnected, onServer.no);
  const { sendMessage } = store;
  return useMemo(() => ({ messages, isTyping, sendMessage, isConnected }), [messages, isTyping, sendMessage, isConnected]);
}

/** Return the controls of voice; renders again when a call moves on. */
export function useVoice(): UseVoice {
  const store = useStore();
  const isConnected = useSyncExternalStore(store.subscribe, store.isConnected, onServer.no);
  const voiceState = useSyncExternalStore(store.subscribe, store.voiceState, onServer.idle);
  const isMuted = useSyncExternalStore(store.subscribe, store.isMuted, onServer.no);
  const { startVoice, stopVoice, toggleMute } = store;
  return useMemo(
    () => ({ voiceState, startVoice, stopVoice, toggleMute, isMuted, isConnected }),
    [voiceState, startVoice, stopVoice, toggleMute, isMuted, isConnected],
  );
}

/** Return all there is of the agent. */
export function useAgent(): UseAgent {
  const store = useStore();
  const talk = useChat();
  const spoken = useVoice();
  const sessionId = useSyncExternalStore(store.subscribe, store.sessionId, onServer.nothing);
  const error = useSyncExternalStore(store.subscribe, store.error, onServer.nothing);
  return useMemo(
    () => ({ ...talk, ...spoken, sdk: store.sdk, chat: store.chat, voice: store.voice, sessionId, error }),
    [talk, spoken, store, sessionId, error],
  );
}
