import { AgentError } from "../errors.ts";
import type { VoiceState } from "../types.ts";

/** What the hooks have of voice. This version has no voice client: it says so, and chat goes on. Spec: 13.1. */
export interface VoiceControls {
  voiceState: VoiceState;
  /** Rejects with AgentError: `voice_unavailable`. */
  startVoice: () => Promise<void>;
  stopVoice: () => void;
  /** Returns whether the microphone is muted. */
  toggleMute: () => boolean;
  isMuted: boolean;
}

export const NO_VOICE: VoiceControls = {
  voiceState: "idle",
  startVoice: () => Promise.reject(new AgentError("voice_unavailable", "This version of the SDK has no voice; write instead")),
  stopVoice: () => undefined,
  toggleMute: () => false,
  isMuted: false,
};
