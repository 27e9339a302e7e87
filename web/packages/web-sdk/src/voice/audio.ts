import type { Reason } from "../errors.ts";

/** Microphone and loudspeaker of a call: handed in, so that tests need neither. The browser's are in `browser-audio.ts`. */
export interface VoiceAudio {
  /** Ask for the microphone and start. Rejects with a `SoundError`. */
  open(wanted: SoundOptions, owner: SoundOwner): Promise<Sound>;
}

export interface SoundOptions {
  deviceId?: string;
}

export interface SoundOwner {
  /** What was just recorded, at the rate of the sound; mono, from -1 to 1. */
  captured(samples: Float32Array): void;
  /** How many samples were played since the last `clear`; told now and then, and whenever nothing is left. */
  played(samples: number): void;
  /** It is over, and nothing more is recorded or played. */
  lost(reason: SoundFailure, message: string): void;
}

export type SoundFailure = Extract<
  Reason,
  "microphone_denied" | "microphone_missing" | "microphone_failed" | "microphone_lost" | "page_hidden" | "audio_blocked" | "voice_unsupported"
>;

export class SoundError extends Error {
  readonly reason: SoundFailure;

  constructor(reason: SoundFailure, message: string) {
    super(message);
    this.reason = reason;
  }
}

export interface Sound {
  /** Of what is recorded and of what is to be played. */
  readonly rateHz: number;
  /** Play this behind all that was given before. */
  play(samples: Float32Array): void;
  /** Be silent and lose nothing, or go on. */
  pause(isPaused: boolean): void;
  /** Be silent at once and forget what waits; a pause is over. */
  clear(): void;
  /** Record silence, or go on. */
  mute(isMuted: boolean): void;
  /** Return what a file of the browser's formats (MP3, WAV) holds, at the sound's rate. Rejects where it holds none. */
  decode(file: Uint8Array<ArrayBuffer>): Promise<Float32Array>;
  /** Release all of it. */
  close(): void;
}
