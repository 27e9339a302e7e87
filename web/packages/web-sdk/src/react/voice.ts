import type { VoiceState } from "../types.ts";

/** What the hooks have of voice. Spec: platform-api 13.1. */
export interface VoiceControls {
  voiceState: VoiceState;
  /** Resolves once the agent listens. Rejects with AgentError: `voice_unavailable` where the platform has no voice. */
  startVoice: () => Promise<void>;
  stopVoice: () => void;
  /** Returns whether the microphone is muted. */
  toggleMute: () => boolean;
  isMuted: boolean;
}
