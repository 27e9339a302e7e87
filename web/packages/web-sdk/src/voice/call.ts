import { reactionTo } from "../connection-table.ts";
import type { Credentials } from "../credentials.ts";
import type { AgentError, ErrorDetail, Reason } from "../errors.ts";
import type { Platform, Socket } from "../platform.ts";
import type { VoiceInfo } from "../types.ts";
import { SoundError, type Sound, type SoundOwner } from "./audio.ts";
import { browserAudio } from "./browser-audio.ts";
import type { VoiceEvents, VoiceOptions } from "./client.ts";
import type { VoiceClientFrame, VoiceFrameToCome, VoiceServerFrame } from "./frames.ts";
import { Listening } from "./listening.ts";
import { fromBase64, readAudioFrame, toBase64, toPcm16 } from "./pcm.ts";
import { Speaking } from "./speaking.ts";
import type { VoiceMove } from "./table.ts";

/** How long a socket may take to say `session_start`. Spec: platform-api 12.3. */
export const OPENING_MS = 10_000;
/** How long the server may say nothing to `voice_start` before a pipeline is assumed. Spec: platform-api 3.6. */
export const STARTED_MS = 5_000;
/** A socket from which nothing came for this long is asked, and given up when it is silent for as long again. */
export const SILENT_MS = 10_000;
/** How long the server may take to hear of an interruption; until it has, all that it says is of what was interrupted. */
export const INTERRUPTED_MS = 3_000;
const SAMPLE_RATE = 16_000;
const SPOKEN_RATE = 24_000;
const UTTERANCE_MAX_MS = 60_000;

/** What a call has of the client that it belongs to. */
export interface CallHost {
  readonly platform: Platform;
  readonly credentials: Credentials;
  readonly endpoint: string;
  readonly options: VoiceOptions;
  readonly info: VoiceInfo;
  /** Returns whether the state has changed. */
  move(event: VoiceMove): boolean;
  emit<Name extends keyof VoiceEvents>(name: Name, payload: VoiceEvents[Name]): void;
  /** Tell an error with which the call goes on. */
  report(reason: Reason, message: string, detail?: ErrorDetail): void;
  /** End the call, which is closed by that. */
  end(event: VoiceMove, reason: Reason, message: string, detail?: ErrorDetail): void;
}

/** What to do with each frame; null with one that is known and not acted upon. */
type Handlers = { readonly [Type in VoiceServerFrame["type"]]: (frame: Extract<VoiceServerFrame, { type: Type }>) => void } & {
  readonly [Type in VoiceFrameToCome]: null;
};

/** One call: a socket of its own in the session of the chat, what is heard, and what is said. Decision: 0100. */
export class Call implements SoundOwner {
  private readonly _host: CallHost;
  private _socket: Socket | null = null;
  private _sound: Sound | null = null;
  private _listening: Listening | null = null;
  private _speaking: Speaking | null = null;
  private _isOver = false;
  private _hasSession = false;
  private _isBinary = false;
  private _hasHeard = true;
  /** The answer that is being given, and the one that was interrupted last. */
  private _messageId: string | null = null;
  private _interruptedId: string | null = null;
  /** The same of binary frames, which have a number each. */
  private _response = 0;
  private _interruptedResponse = -1;
  /** What ends the wait for the server to have heard of an interruption. */
  private _interrupting: (() => void) | null = null;
  private _watching: (() => void) | null = null;
  private _stops: Array<() => void> = [];

  constructor(host: CallHost) {
    this._host = host;
    host.credentials
      .token()
      .then((token) => this._isOver || this._open(token))
      .catch((error: Partial<AgentError>) => this._isOver || host.end("failed", error.reason ?? "voice_lost", error.message ?? "", { cause: error }));
  }

  /** Release everything; the server is told, if it can be. */
  close(): void {
    if (this._isOver) return;
    this._isOver = true;
    this._speaking?.stop();
    this._stops.forEach((stop) => stop());
    this._watching?.();
    this._interrupting?.();
    this._sound?.close();
    const socket = this._socket;
    if (!socket) return;
    socket.onmessage = socket.onclose = socket.onbinary = null;
    if (this._listening) this._send({ type: "voice_stop" });
    socket.close();
  }

  mute(isMuted: boolean): void {
    this._sound?.mute(isMuted);
    if (isMuted) this._listening?.mute();
    if (this._listening) this._send({ type: "voice_mute", muted: isMuted });
  }

  captured(samples: Float32Array): void {
    if (!this._host.info.isMuted) this._listening?.push(samples);
  }

  played(samples: number): void {
    this._speaking?.played(samples);
  }

  lost(...[reason, message]: Parameters<SoundOwner["lost"]>): void {
    if (!this._isOver) this._host.end("lost", reason, message);
  }

  // -- the way to a call ------------------------------------------------------------------------------------------

  private _open(token: string): void {
    const { platform, endpoint, credentials, end } = this._host;
    const socket = platform.openSocket(endpoint.replace(/^http/, "ws") + "/ws/sdk", ["sdk-auth", token]);
    this._socket = socket;
    socket.onmessage = (text) => this._hear(text);
    socket.onbinary = (bytes) => this._hearAudio(bytes);
    socket.onclose = (code) => {
      if (reactionTo(code).drops) credentials.dropToken(); // the next call comes with another one
      end("lost", "voice_lost", `The connection was closed (${code})`);
    };
    this._later(OPENING_MS, () => this._hasSession || end("lost", "voice_lost", "The platform does not answer"));
    this._watch();
  }

  private async _began(): Promise<void> {
    const { options, end, emit, info } = this._host;
    try {
      const sound = await (options.audio ?? browserAudio(options.workletUrl)).open(options.deviceId ? { deviceId: options.deviceId } : {}, this);
      if (this._isOver) return sound.close();
      this._sound = sound;
    } catch (error) {
      if (this._isOver) return;
      const reason = error instanceof SoundError ? error.reason : "microphone_failed";
      if (reason === "voice_unsupported") emit("vadAvailable", { available: false });
      if (reason === "microphone_denied") {
        info.hasMicPermission = false;
        emit("micPermissionDenied", undefined);
      }
      return end("refused", reason, (error as Error).message, { cause: error });
    }
    info.hasMicPermission = true;
    emit("vadAvailable", { available: true });
    this._send({
      type: "voice_start",
      mode: options.mode ?? "pipeline",
      sampleRate: options.sampleRate ?? SAMPLE_RATE,
      encoding: "pcm16",
      vad: "client",
      binary: true,
      outputFormat: "pcm16",
      enableBargeIn: options.enableBargeIn ?? true,
    });
    this._later(STARTED_MS, () => this._listening ?? this._started("pipeline", {}));
  }

  private _started(mode: "pipeline" | "realtime", capabilities: NonNullable<Extract<VoiceServerFrame, { type: "voice_started" }>["capabilities"]>): void {
    const { options, info, move } = this._host;
    const sound = this._sound;
    if (!sound || this._listening) return;
    this._isBinary = capabilities.binaryAudio === true;
    this._speaking = new Speaking(sound, mode === "realtime" ? SPOKEN_RATE : (capabilities.outputSampleRate ?? SPOKEN_RATE), this._host);
    this._listening = new Listening(
      {
        fromHz: sound.rateHz,
        toHz: capabilities.inputSampleRate ?? options.sampleRate ?? SAMPLE_RATE,
        vad: options.vadConfig ?? {},
        interrupts: (options.enableBargeIn ?? true) && capabilities.bargeIn !== false,
        isStream: mode === "realtime",
        utteranceMaxMs: capabilities.maxUtteranceMs ?? UTTERANCE_MAX_MS,
      },
      {
        state: () => info.state,
        send: (samples) => this._sendAudio(samples),
        began: () => {
          info.currentTranscript = "";
          move("speech");
        },
        ended: () => {
          this._send({ type: "speech_end" });
          move("utterance");
        },
        hold: (isHeld) => this._speaking?.hold(isHeld),
        interrupt: () => this._interrupt(),
        level: (level) => this._host.emit("volumeChange", { level }),
      },
    );
    if (info.isMuted) this.mute(true);
    move("started");
  }

  // -- what is heard of the server --------------------------------------------------------------------------------

  private _hear(text: string): void {
    this._hasHeard = true;
    const frame = read(text);
    const handler = frame && Object.prototype.hasOwnProperty.call(this._handlers, frame.type) ? this._handlers[frame.type] : null;
    (handler as ((frame: VoiceServerFrame | null) => void) | null)?.(frame);
  }

  /** Every frame that a call takes part in; those that are null are known and not acted upon yet. */
  private readonly _handlers: Handlers = {
    session_start: ({ sessionId, resumeToken, capabilities }) => {
      if (this._hasSession) return;
      this._hasSession = true;
      this._host.credentials.started(sessionId, resumeToken);
      if (capabilities?.voice === false) this._host.end("failed", "voice_unavailable", "The platform has no voice; write instead");
      else void this._began();
    },
    session_end: ({ reason }) => this._host.end("ended", "voice_ended", `The conversation is over (${reason})`),
    voice_stopped: ({ reason }) => this._host.end("ended", "voice_ended", `The platform has ended the call (${reason})`),
    error: ({ code, message, fatal }) => {
      if (fatal) this._host.end("failed", "voice_failed", message, { code });
      else this._host.report("voice_failed", message, { code });
    },
    voice_error: ({ code, message, fatal }) => {
      const isMissing = code === "VOICE_NOT_CONFIGURED" || code === "REALTIME_UNAVAILABLE";
      const reason = isMissing ? "voice_unavailable" : code === "VOICE_BUSY" ? "voice_busy" : "voice_failed";
      if (fatal) return this._host.end("failed", reason, message, { code });
      this._host.report(reason, message, { code });
      this._told("nothing");
    },
    voice_started: ({ voiceMode, capabilities }) => this._started(voiceMode, capabilities ?? {}),
    voice_speech_start: () => this._told("speech"),
    voice_speech_end: () => this._told("utterance"),
    voice_processing: () => this._told("utterance"),
    transcription: ({ text, isFinal, confidence }) => this._transcribed(text, isFinal, confidence),
    voice_response_start: ({ messageId }) => this._isLate(messageId) || this._answering(messageId),
    voice_response_chunk: ({ messageId, text }) => this._isLate(messageId) || this._host.emit("responseChunk", { messageId, text }),
    voice_response_end: ({ messageId, text }) => {
      if (this._isLate(messageId)) return;
      if (this._messageId === messageId) this._messageId = null;
      this._host.emit("responseEnd", { messageId, text });
      this._speaking?.complete();
    },
    voice_audio_chunk: ({ messageId, format, audio }) => this._isLate(messageId) || this._sayText(format, audio),
    voice_speaking: ({ isSpeaking }) => {
      if (isSpeaking) this._told("answering");
    },
    voice_speaking_end: ({ messageId }) => this._isLate(messageId) || this._speaking?.complete(),
    voice_barge_in_ack: ({ messageId, spokenText }) => this._acknowledged(messageId, spokenText ?? ""),
    voice_realtime_audio: ({ audio }) => {
      if (!this._interrupting) this._sayText("pcm16", audio);
    },
    voice_realtime_transcript: ({ text, role, isFinal }) => {
      if (role === "user") return this._transcribed(text, isFinal);
      if (this._interrupting) return;
      const messageId = this._messageId ?? "";
      this._answering(messageId);
      this._host.emit(isFinal ? "responseEnd" : "responseChunk", { messageId, text });
      if (!isFinal) return;
      this._messageId = null;
      this._speaking?.complete();
    },
    voice_ack: null,
    playback: null,
    resume: null,
  };

  private _hearAudio(bytes: ArrayBuffer): void {
    this._hasHeard = true;
    const frame = readAudioFrame(bytes);
    if (!frame || this._interrupting || frame.response <= this._interruptedResponse) return;
    this._response = frame.response;
    this._say(frame.format, frame.audio);
    if (frame.isLast) this._speaking?.complete();
  }

  private _transcribed(text: string, isFinal: boolean, confidence?: number): void {
    const { info, emit } = this._host;
    info.currentTranscript = text;
    emit("transcription", { text, isFinal, ...(confidence === undefined ? {} : { confidence }) });
    if (!isFinal) return this._told("speech");
    emit("transcriptionFinal", { text, confidence: confidence ?? 1 });
    this._told(text ? "utterance" : "nothing");
  }

  private _answering(messageId: string): void {
    const { emit, move } = this._host;
    if (this._messageId === messageId) return;
    this._messageId = messageId;
    this._listening?.answered();
    move("answering");
    emit("responseStart", { messageId });
  }

  private _sayText(format: string, audio: string): void {
    try {
      this._say(format, fromBase64(audio));
    } catch (cause) {
      this._host.report("voice_failed", "The platform has sent audio that cannot be read", { cause });
    }
  }

  private _say(format: string, bytes: Uint8Array<ArrayBuffer>): void {
    this._listening?.answered();
    this._host.move("answering");
    this._speaking?.say(format, bytes);
  }

  /** Take the server's word for where the call is, unless it has not heard of an interruption yet. */
  private _told(event: VoiceMove): void {
    if (!this._interrupting) this._host.move(event);
  }

  // -- interruption -----------------------------------------------------------------------------------------------

  private _interrupt(): void {
    this._send({ type: "barge_in" });
    this._interrupting = this._host.platform.after(INTERRUPTED_MS, () => (this._interrupting = null));
    this._silence();
  }

  /** Stop what is said, and hold its rest for late. */
  private _silence(): void {
    const { info, move, emit } = this._host;
    this._speaking?.stop();
    this._interruptedId = this._messageId ?? this._interruptedId;
    this._interruptedResponse = this._response;
    info.currentTranscript = "";
    if (move("interrupted")) emit("bargeIn", undefined);
  }

  private _acknowledged(messageId: string, spokenText: string): void {
    if (this._interrupting) this._interrupting();
    else this._silence(); // the server has heard it first
    this._interrupting = null;
    this._interruptedId = messageId;
    if (this._messageId !== messageId) return;
    this._messageId = null;
    this._host.emit("responseEnd", { messageId, text: spokenText });
  }

  /** Whether something belongs to an answer that was interrupted: all does until the server has heard of it. */
  private _isLate(messageId: string): boolean {
    return this._interrupting !== null || messageId === this._interruptedId;
  }

  // -- the socket -------------------------------------------------------------------------------------------------

  private _sendAudio(samples: Float32Array): void {
    const bytes = toPcm16(samples);
    if (this._isBinary) this._socket?.send(bytes);
    else this._send({ type: "voice_audio", audio: toBase64(bytes) });
  }

  private _send(frame: VoiceClientFrame): void {
    this._socket?.send(JSON.stringify(frame));
  }

  /** Ask a silent socket, and give up one that stays so: what is spoken into it would be lost without a word. */
  private _watch(): void {
    this._watching = this._host.platform.after(SILENT_MS, () => {
      if (!this._hasHeard) return this._host.end("lost", "voice_lost", "The platform has fallen silent");
      this._hasHeard = false;
      if (this._hasSession) this._send({ type: "ping" });
      this._watch();
    });
  }

  private _later(ms: number, run: () => void): void {
    this._stops.push(this._host.platform.after(ms, run));
  }
}

/** Return a frame, null for what is none: a later server may say what this client does not know. */
function read(text: string): VoiceServerFrame | null {
  try {
    const frame = JSON.parse(text) as Partial<VoiceServerFrame> | null;
    return typeof frame?.type === "string" ? (frame as VoiceServerFrame) : null;
  } catch {
    return null;
  }
}
