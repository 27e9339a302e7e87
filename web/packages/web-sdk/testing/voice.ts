import { memoryStore } from "../src/browser-platform.ts";
import type { Platform, Socket } from "../src/platform.ts";
import { AgentSDK } from "../src/sdk.ts";
import type { VoiceState } from "../src/types.ts";
import { SoundError, type Sound, type SoundFailure, type SoundOptions, type SoundOwner, type VoiceAudio } from "../src/voice/audio.ts";
import type { VoiceClient, VoiceEvents, VoiceOptions } from "../src/voice/client.ts";
import type { VoiceServerFrame } from "../src/voice/frames.ts";
import { SampleQueue } from "../src/voice/sample-queue.ts";
import { FakeClock } from "./clock.ts";
import { atLevel, joined, pink, seeded, speech } from "./sounds.ts";

export const RECORDED_HZ = 48_000;
const STEP_MS = 20;
const STEP = (RECORDED_HZ * STEP_MS) / 1000;
const NOISE_DB = -60;
const SPEECH_DB = -26;

/** A frame of the client as a server reads it. */
export interface Said {
  type: string;
  [name: string]: unknown;
}

/** The gateway as a call sees it: it says what the test has it say. */
export class ScriptedSocket implements Socket {
  onmessage: ((text: string) => void) | null = null;
  onbinary: ((bytes: ArrayBuffer) => void) | null = null;
  onclose: ((code: number) => void) | null = null;
  readonly frames: Said[] = [];
  readonly audio: Uint8Array[] = [];
  isClosed = false;

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (typeof data === "string") this.frames.push(JSON.parse(data) as Said);
    else this.audio.push(data);
  }

  close(): void {
    this.isClosed = true;
  }

  say(frame: VoiceServerFrame | { type: string }): void {
    this.onmessage?.(JSON.stringify(frame));
  }

  greet(voice: boolean | undefined = undefined): void {
    const capabilities = voice === undefined ? {} : { capabilities: { voice } };
    this.say({ type: "session_start", sessionId: "ses_1", resumeToken: "back", ...capabilities });
  }

  /** What the client has said, by its types; one `voice_audio` for any number of them in a row. */
  get types(): string[] {
    return this.frames.map(({ type }) => type).filter((type, at, all) => type !== "voice_audio" || all[at - 1] !== type);
  }

  /** Every sample that was sent as text. */
  get heard(): Buffer {
    return Buffer.concat(this.frames.filter(({ type }) => type === "voice_audio").map(({ audio }) => Buffer.from(String(audio), "base64")));
  }
}

/** A microphone that hears what the test says, and a loudspeaker that plays in the time of the test. */
export class FakeAudio implements VoiceAudio {
  readonly queue = new SampleQueue();
  readonly heard: Float32Array[] = [];
  refusal: SoundFailure | null = null;
  wanted: SoundOptions | null = null;
  owner: SoundOwner | null = null;
  opened = 0;
  closed = 0;
  isMuted = false;
  private _since = 0;

  open(wanted: SoundOptions, owner: SoundOwner): Promise<Sound> {
    if (this.refusal) return Promise.reject(new SoundError(this.refusal, "no"));
    this.wanted = wanted;
    this.owner = owner;
    this.opened += 1;
    return Promise.resolve({
      rateHz: RECORDED_HZ,
      play: (samples) => this.queue.push(samples),
      pause: (isPaused) => void (this.queue.isPaused = isPaused),
      clear: () => {
        this.queue.clear();
        this._since += 1;
      },
      mute: (isMuted) => void (this.isMuted = isMuted),
      decode: (file) => this.decode(file),
      close: () => {
        this.closed += 1;
        this.owner = null;
      },
    } satisfies Sound);
  }

  /** A file holds as many samples of 0.25 as its first byte says, times 100; none is broken. */
  decode(file: Uint8Array): Promise<Float32Array> {
    const length = (file[0] ?? 0) * 100;
    return length ? Promise.resolve(new Float32Array(length).fill(0.25)) : Promise.reject(new Error("broken"));
  }

  /** Let 20 ms pass for microphone and loudspeaker. */
  step(recorded: Float32Array): void {
    this.owner?.captured(recorded);
    const played = new Float32Array(STEP);
    const count = this.queue.read(played);
    this.heard.push(played);
    if (count) this.owner?.played(this.queue.played);
  }

  /** How much of sound there was in what was played of late. */
  isSilentFor(ms: number): boolean {
    return this.heard.slice(-ms / STEP_MS).every((piece) => piece.every((sample) => sample === 0));
  }
}

/** A page with a call on it. */
export class VoicePage {
  readonly clock = new FakeClock();
  readonly audio = new FakeAudio();
  readonly sockets: ScriptedSocket[] = [];
  readonly sdk: AgentSDK;
  readonly voice: VoiceClient;
  readonly events: Array<[keyof VoiceEvents, unknown]> = [];
  readonly states: VoiceState[] = [];
  tokens = 0;
  failsInit = 0;
  opens = true;
  private readonly _random = seeded(11);

  constructor(options: VoiceOptions = {}) {
    this.sdk = new AgentSDK({ projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1" }, this.platform());
    this.voice = this.sdk.voice({ audio: this.audio, ...options });
    const names: Array<keyof VoiceEvents> = [
      "transcription", "transcriptionFinal", "responseStart", "responseChunk", "responseEnd", "speaking", "ready", "error",
      "micPermissionDenied", "bargeIn", "vadAvailable", "muteChange",
    ]; // prettier-ignore
    for (const name of names) this.voice.on(name, (payload) => this.events.push([name, payload]));
    this.voice.on("stateChange", ({ state, previousState }) => {
      if (previousState !== (this.states[this.states.length - 1] ?? "idle")) throw new Error(`it was not in ${previousState}`);
      this.states.push(state);
    });
  }

  platform(): Platform {
    const store = memoryStore();
    return {
      now: () => this.clock.now(),
      after: (ms, run) => this.clock.after(ms, run),
      random: () => 0,
      newId: () => "id",
      origin: () => "",
      request: () => {
        this.tokens += 1;
        const body = this.failsInit ? { error: { code: "X", message: "no" } } : { token: `t${this.tokens}`, expiresIn: 900 };
        return Promise.resolve({ status: this.failsInit || 200, body });
      },
      upload: () => Promise.reject(new Error("no upload here")),
      openSocket: () => {
        if (!this.opens) throw new Error("an insecure address");
        const socket = new ScriptedSocket();
        this.sockets.push(socket);
        return socket;
      },
      storage: () => store,
      tabs: () => null,
      onWake: () => () => undefined,
      isOnline: () => true,
    };
  }

  /** The socket of the newest call. */
  get socket(): ScriptedSocket {
    const socket = this.sockets[this.sockets.length - 1];
    if (!socket) throw new Error("no socket was opened");
    return socket;
  }

  /** The names of what was told, without repetition in a row. */
  get told(): string[] {
    return this.events.map(([name]) => name).filter((name, at, all) => name !== all[at - 1]);
  }

  get errors(): string[] {
    return this.events.filter(([name]) => name === "error").map(([, payload]) => (payload as VoiceEvents["error"]).error.reason);
  }

  /** Start a call up to where the socket is there; what `start()` rejects with is told by `error` as well. */
  async dial(): Promise<void> {
    this.voice.start().catch(() => undefined);
    await this.arrived();
  }

  /** Let everything be loaded that a call is made of, which happens beside the clock, and its socket be opened. */
  async arrived(): Promise<void> {
    await import("../src/voice/call.ts");
    await this.clock.pass(1);
  }

  /** Start a call. */
  async call(capabilities: object = {}): Promise<void> {
    await this.dial();
    this.socket.greet();
    await this.clock.pass(1);
    this.socket.say({ type: "voice_started", voiceMode: "pipeline", capabilities } as VoiceServerFrame);
    await this.hear(this.quiet(400));
    this.events.length = 0;
  }

  /** Let a sound be recorded, in its time. */
  async hear(recorded: Float32Array): Promise<void> {
    for (let at = 0; at < recorded.length; at += STEP) {
      this.audio.step(recorded.slice(at, at + STEP));
      await this.clock.pass(STEP_MS);
    }
  }

  quiet(ms: number): Float32Array {
    return pink(RECORDED_HZ, ms, NOISE_DB, this._random);
  }

  /** A sound without a gap, so far above the noise. */
  sound(ms: number, aboveDb = SPEECH_DB - NOISE_DB): Float32Array {
    return atLevel(pink(RECORDED_HZ, ms, NOISE_DB, this._random), NOISE_DB + aboveDb);
  }

  spoken(ms: number): Float32Array {
    return speech(RECORDED_HZ, ms, SPEECH_DB, this._random);
  }

  /** Somebody says something and is silent for long enough. */
  async utter(ms = 1_000): Promise<void> {
    await this.hear(joined(this.spoken(ms), this.quiet(1_000)));
  }

  /** PCM16 of the server, so long, of one value. */
  pcm(ms: number, value: number, rateHz = 24_000): Buffer {
    const bytes = Buffer.alloc(Math.round((rateHz * ms) / 1000) * 2);
    for (let at = 0; at < bytes.length; at += 2) bytes.writeInt16LE(value, at);
    return bytes;
  }

  /** The agent begins an answer and gives so much of its sound. */
  answer(messageId: string, ms: number, value = 8_000): void {
    this.socket.say({ type: "voice_response_start", messageId });
    this.socket.say({ type: "voice_audio_chunk", messageId, index: 0, format: "pcm16", audio: this.pcm(ms, value).toString("base64") });
  }
}
