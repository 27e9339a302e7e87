import type { Client } from "../client.ts";
import { Emitter } from "../emitter.ts";
import { AgentError, type ErrorDetail, type Reason } from "../errors.ts";
import type { VoiceInfo, VoiceState } from "../types.ts";
import type { VoiceAudio } from "./audio.ts";
import type { Call, CallHost } from "./call.ts";
import type { VoiceMode } from "./frames.ts";
import { voiceAfter, type VoiceMove } from "./table.ts";
import type { VadConfig } from "./vad.ts";

/** Spec: platform-api 13.1; the one behind `vadAvailable` is ours. */
export interface VoiceEvents {
  stateChange: { state: VoiceState; previousState: VoiceState };
  transcription: { text: string; isFinal: boolean; confidence?: number };
  transcriptionFinal: { text: string; confidence: number };
  responseStart: { messageId: string };
  responseChunk: { messageId: string; text: string };
  /** After an interruption the text is what was heard of the answer. */
  responseEnd: { messageId: string; text: string };
  speaking: { isSpeaking: boolean };
  /** Ten times a second, 0 to 1. */
  volumeChange: { level: number };
  ready: undefined;
  error: { error: AgentError };
  micPermissionDenied: undefined;
  bargeIn: undefined;
  vadAvailable: { available: boolean };
  muteChange: { isMuted: boolean };
}

/** Spec: platform-api 13.1; those behind `vadConfig` are ours. */
export interface VoiceOptions {
  /** Whether the agent falls silent when somebody speaks; true by default. */
  enableBargeIn?: boolean;
  /** Samples a second that are sent: 8000, 16000 (default), 24000 or 48000. */
  sampleRate?: number;
  /** The microphone, as `enumerateDevices` names it; the browser's choice by default. */
  deviceId?: string;
  vadConfig?: VadConfig;
  /** `pipeline` by default. */
  mode?: VoiceMode;
  /** Where `voice-worklet.js` is served; beside the SDK by default. */
  workletUrl?: string;
  /** Microphone and loudspeaker; the browser's by default. */
  audio?: VoiceAudio;
}

interface Waiting {
  resolve: () => void;
  reject: (error: AgentError) => void;
}

/** A spoken conversation. What a call is made of is loaded by the first `start()`. */
export class VoiceClient extends Emitter<VoiceEvents> {
  private readonly _client: Client;
  private _options: VoiceOptions;
  private readonly _info: VoiceInfo = { state: "idle", isMuted: false, currentTranscript: "" };
  private _call: Call | null = null;
  private _started: Promise<void> = Promise.resolve();
  private _waiting: Waiting | null = null;

  /** @internal Made by `AgentSDK.voice()`. */
  constructor(client: Client, options: VoiceOptions) {
    super();
    this._client = client;
    this._options = options;
  }

  /** Whether this browser can record and play, on this page: microphones want https. */
  static isSupported(): boolean {
    return Boolean(globalThis.navigator?.mediaDevices) && typeof AudioContext !== "undefined" && typeof AudioWorkletNode !== "undefined";
  }

  /** Ask for the microphone and start; resolves once the agent listens. Rejects with AgentError, which `error` tells as well. */
  start(): Promise<void> {
    if (!this._move("start")) return this._started;
    const waiting = {} as Waiting;
    this._waiting = waiting;
    this._started = new Promise((resolve, reject) => Object.assign(waiting, { resolve, reject }));
    const { audio } = this._options;
    const isCurrent = (): boolean => this._waiting === waiting;
    if (!audio && !VoiceClient.isSupported()) this._end("failed", "voice_unsupported", "This browser can not record or play on this page");
    else {
      import("./call.ts").then(
        ({ Call }) => isCurrent() && (this._call = new Call(this._host())),
        (cause: unknown) => isCurrent() && this._end("failed", "voice_unavailable", "The voice part of the SDK cannot be loaded", { cause }),
      );
    }
    return this._started;
  }

  /** End the call and release microphone and loudspeaker. */
  stop(): void {
    this._over("stop", null);
  }

  /** Mute or unmute the microphone, before a call as well; returns whether it is muted. */
  toggleMute(): boolean {
    const isMuted = (this._info.isMuted = !this._info.isMuted);
    this._call?.mute(isMuted);
    this.emit("muteChange", { isMuted });
    return isMuted;
  }

  getState(): VoiceState {
    return this._info.state;
  }

  getInfo(): VoiceInfo {
    return { ...this._info };
  }

  /** @internal Options of the next call. */
  configure(options: VoiceOptions): void {
    this._options = options;
  }

  private _host(): CallHost {
    return {
      platform: this._client.platform,
      credentials: this._client.credentials,
      endpoint: this._client.endpoint,
      options: this._options,
      info: this._info,
      move: (event) => this._move(event),
      emit: (name, payload) => this.emit(name, payload),
      report: (reason, message, detail) => this.emit("error", { error: new AgentError(reason, message, detail) }),
      end: (event, reason, message, detail) => this._end(event, reason, message, detail),
    };
  }

  private _end(event: VoiceMove, reason: Reason, message: string, detail?: ErrorDetail): void {
    this._over(event, new AgentError(reason, message, detail));
  }

  private _over(event: VoiceMove, error: AgentError | null): void {
    const call = this._call;
    const waiting = this._waiting;
    this._call = this._waiting = null;
    call?.close();
    this._move(event);
    if (error) this.emit("error", { error });
    waiting?.reject(error ?? new AgentError("closed", "stop() was called"));
  }

  private _move(event: VoiceMove): boolean {
    const previousState = this._info.state;
    const state = voiceAfter(previousState, event);
    if (state === previousState) return false;
    this._info.state = state;
    this.emit("stateChange", { state, previousState });
    if (event === "started") {
      this.emit("ready", undefined);
      this._waiting?.resolve();
      this._waiting = null;
    }
    return true;
  }
}
