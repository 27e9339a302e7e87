import type { VoiceState } from "../types.ts";

export type VoiceMove =
  | "start" // `start()`
  | "started" // `voice_started`, or nothing was heard against it for long enough
  | "refused" // the microphone: not allowed, or not there
  | "speech" // somebody speaks: heard here, or a partial transcription
  | "utterance" // what was spoken is complete
  | "nothing" // and holds no word
  | "answering" // the answer begins
  | "answered" // it was played to its end
  | "interrupted" // speech while the agent thinks or speaks
  | "ended" // the server has ended the call
  | "failed" // it cannot go on
  | "lost" // socket, microphone or page are gone
  | "stop"; // `stop()`

type Row = Partial<Record<VoiceMove, VoiceState>>;

/** What ends a call wherever it is. A way back into one (`resume`) would be a row of its own beside `lost`. */
const CALLING: Row = { stop: "idle", ended: "idle", failed: "error", lost: "error" };

/** Every move of a call; an event that has no row in a state changes nothing. Spec: platform-api 3.6. Decision: 0100. */
export const VOICE_MOVES: Readonly<Record<VoiceState, Row>> = {
  idle: { start: "connecting" },
  connecting: { ...CALLING, started: "ready", refused: "error" },
  ready: { ...CALLING, speech: "listening", utterance: "processing", answering: "speaking" },
  listening: { ...CALLING, utterance: "processing", nothing: "ready", answering: "speaking" },
  processing: { ...CALLING, nothing: "ready", answering: "speaking", interrupted: "listening" },
  speaking: { ...CALLING, answered: "ready", interrupted: "listening" },
  error: { start: "connecting", stop: "idle" },
};

/** Return where an event leads; the same state when it means nothing there. */
export function voiceAfter(state: VoiceState, event: VoiceMove): VoiceState {
  return VOICE_MOVES[state][event] ?? state;
}
