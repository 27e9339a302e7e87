/** Voice of a page: the client, and what it can be given in place of the browser's microphone and loudspeaker. */
export { VoiceClient, type VoiceEvents, type VoiceOptions } from "./client.ts";
export { SoundError, type Sound, type SoundFailure, type SoundOptions, type SoundOwner, type VoiceAudio } from "./audio.ts";
export { browserAudio } from "./browser-audio.ts";
export { VAD_DEFAULTS, type VadConfig } from "./vad.ts";
export type { VoiceMode } from "./frames.ts";
export type { VoiceInfo, VoiceState } from "../types.ts";
