import type { VoiceState } from "../types.ts";
import { levelDb } from "./pcm.ts";
import { Resampler } from "./resampler.ts";
import { FRAME_MS, Vad, type VadConfig } from "./vad.ts";

/** How long somebody must speak to interrupt the agent; a cough or a "yes" is shorter, and only makes it hold. */
export const INTERRUPTS_MS = 300;
/** How much louder speech must be while the agent is heard: no browser takes all of it out of the microphone. */
const ECHO_DB = 6;
const LEVEL_FRAMES = 5;
/** A level of 0 is this far below full. */
const LEVEL_RANGE_DB = 60;

export interface ListeningOptions {
  fromHz: number;
  toHz: number;
  vad: VadConfig;
  /** Whether speech stops the agent. */
  interrupts: boolean;
  /** Whether everything is sent, and not utterances only. */
  isStream: boolean;
  utteranceMaxMs: number;
}

export interface ListeningOwner {
  state(): VoiceState;
  send(samples: Float32Array): void;
  began(): void;
  ended(): void;
  /** Have the agent hold, or go on. */
  hold(isHeld: boolean): void;
  interrupt(): void;
  /** From 0 to 1. */
  level(level: number): void;
}

/** What the visitor says: found among what is recorded, with what was just before it, and told from an interruption. */
export class Listening {
  private readonly _options: ListeningOptions;
  private readonly _owner: ListeningOwner;
  private readonly _resampler: Resampler;
  private readonly _vad: Vad;
  private readonly _frameLength: number;
  private readonly _padFrames: number;
  private _rest = new Float32Array(0);
  /** What an utterance would begin with, the oldest first. */
  private _before: Float32Array[] = [];
  private _sent: "nothing" | "held" | "utterance" = "nothing";
  private _utteranceMs = 0;
  private _levels: number[] = [];

  constructor(options: ListeningOptions, owner: ListeningOwner) {
    this._options = options;
    this._owner = owner;
    this._resampler = new Resampler(options.fromHz, options.toHz);
    this._vad = new Vad(options.toHz, options.vad);
    this._frameLength = (options.toHz * FRAME_MS) / 1000;
    const { preSpeechPadMs, minSpeechMs } = this._vad.config;
    this._padFrames = Math.ceil((preSpeechPadMs + minSpeechMs) / FRAME_MS);
  }

  push(recorded: Float32Array): void {
    const made = this._resampler.push(recorded);
    const all = new Float32Array(this._rest.length + made.length);
    all.set(this._rest);
    all.set(made, this._rest.length);
    let at = 0;
    for (; at + this._frameLength <= all.length; at += this._frameLength) this._frame(all.slice(at, at + this._frameLength));
    this._rest = all.slice(at);
  }

  /** Nothing more is heard: what was being said is over. */
  mute(): void {
    this._finish();
    this._owner.level(0);
  }

  /** The server answers already: what is heard from now on is another utterance. */
  answered(): void {
    if (this._sent !== "utterance") return;
    this._sent = "nothing";
    this._vad.rest();
    this._before = [];
  }

  private _frame(frame: Float32Array): void {
    this._loud(frame);
    const state = this._owner.state();
    const isBusy = state === "processing" || state === "speaking";
    const heard = this._vad.push(frame, state === "speaking" ? ECHO_DB : 0);
    if (this._options.isStream) this._owner.send(frame);
    if (isBusy && !this._options.interrupts) {
      this._vad.rest();
      this._before = [];
      return;
    }
    if (this._sent === "utterance") this._goOn(frame, heard === "end");
    else {
      this._before.push(frame);
      if (this._sent === "nothing") this._before = this._before.slice(-this._padFrames);
      if (heard === "start" && isBusy) {
        this._sent = "held";
        this._owner.hold(true);
      } else if (heard === "start") this._begin();
      else if (this._sent === "held") this._decide(isBusy, heard === "end");
    }
  }

  private _goOn(frame: Float32Array, isEnd: boolean): void {
    if (!this._options.isStream) this._owner.send(frame);
    this._utteranceMs += FRAME_MS;
    if (isEnd || this._utteranceMs >= this._options.utteranceMaxMs) this._finish();
  }

  private _decide(isBusy: boolean, isEnd: boolean): void {
    if (!isBusy) this._begin(); // the agent has come to its end meanwhile
    else if (this._vad.voicedMs >= INTERRUPTS_MS) {
      this._owner.interrupt();
      this._begin();
    } else if (!isEnd) return;
    this._owner.hold(false);
    if (this._sent === "held") this._sent = "nothing";
  }

  private _begin(): void {
    this._sent = "utterance";
    this._utteranceMs = this._before.length * FRAME_MS;
    this._owner.began();
    if (!this._options.isStream) this._before.forEach((frame) => this._owner.send(frame));
    this._before = [];
  }

  private _finish(): void {
    const was = this._sent;
    this._sent = "nothing";
    this._before = [];
    this._vad.rest();
    if (was === "held") this._owner.hold(false);
    if (was === "utterance") this._owner.ended();
  }

  private _loud(frame: Float32Array): void {
    this._levels.push(levelDb(frame));
    if (this._levels.length < LEVEL_FRAMES) return;
    const loudestDb = Math.max(...this._levels);
    this._levels = [];
    this._owner.level(Math.min(1, Math.max(0, 1 + loudestDb / LEVEL_RANGE_DB)));
  }
}
