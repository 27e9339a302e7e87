import { levelDb } from "./pcm.ts";

/** When somebody speaks; each may be left out. The names are those of the contract, the numbers of `VAD_DEFAULTS` ours. */
export interface VadConfig {
  /** From which probability on (0 to 1) a frame is speech. */
  positiveSpeechThreshold?: number;
  /** Below which it is none; between the two it stays what it was. */
  negativeSpeechThreshold?: number;
  /** How long nothing must be heard for an utterance to be over. */
  redemptionMs?: number;
  /** How much must be heard for it to be speech and no click. */
  minSpeechMs?: number;
  /** How much of what was before is sent with it, so that its first sound is not lost. */
  preSpeechPadMs?: number;
}

/** Times as platform-api 12.5 has them for the server's own; thresholds are those of 6 and 4 dB above the noise. */
export const VAD_DEFAULTS: Required<VadConfig> = {
  positiveSpeechThreshold: 0.5,
  negativeSpeechThreshold: 0.35,
  redemptionMs: 700,
  minSpeechMs: 60,
  preSpeechPadMs: 250,
};

export const FRAME_MS = 20;
/** Below this nothing is speech: the noise of a quiet microphone. */
const QUIET_DB = -62;
/** How far above the noise a frame is as likely speech as not, and how many dB make it e times as likely. */
const EVEN_DB = 6;
const SLOPE_DB = 3;
/** The noise is the quietest that it was in this time; speech has a gap somewhere in it. */
const NOISE_WINDOW_MS = 3_000;
const NOISE_PARTS = 10;
const PART_FRAMES = NOISE_WINDOW_MS / NOISE_PARTS / FRAME_MS;
/** How much louder noise is on the average than at its quietest. */
const NOISE_BIAS_DB = 1.5;
/** How much of a frame's power goes into the one that the noise is looked for in. */
const SMOOTHING = 0.25;
/** What must have been heard before anything can be told apart. */
const LEARNING_FRAMES = 10;
/** Below this there is hum and rumble and little of a voice. */
const HIGH_PASS_HZ = 200;

export type Heard = "start" | "end" | null;

/** Tells speech from noise by its level above a noise floor that it keeps learning; pure, one frame of 20 ms at a time. */
export class Vad {
  readonly config: Required<VadConfig>;
  private readonly _pass: HighPass;
  private _frames = 0;
  private _smoothed = 0;
  private _quietest: number[] = [];
  private _isVoiced = false;
  /** For how long without a gap. */
  private _runMs = 0;
  private _voicedMs = 0;
  private _silentMs = 0;
  private _isSpeech = false;
  /** Of the last frame. */
  probability = 0;

  constructor(rateHz: number, config: VadConfig = {}) {
    this.config = { ...VAD_DEFAULTS, ...config };
    this._pass = new HighPass(rateHz, HIGH_PASS_HZ);
  }

  /** Whether an utterance is on. */
  get isSpeech(): boolean {
    return this._isSpeech;
  }

  /** For how long the utterance has been voiced. */
  get voicedMs(): number {
    return this._voicedMs;
  }

  /**
   * Take in a frame; returns what began or ended with it.
   *
   * @param cautionDb How much louder than otherwise it must be to be taken for speech.
   */
  push(frame: Float32Array, cautionDb = 0): Heard {
    const level = levelDb(this._pass.push(frame));
    this.probability = this._likelihood(level, cautionDb);
    const { positiveSpeechThreshold, negativeSpeechThreshold, redemptionMs, minSpeechMs } = this.config;
    this._isVoiced = this.probability >= (this._isVoiced ? negativeSpeechThreshold : positiveSpeechThreshold);
    this._runMs = this._isVoiced ? this._runMs + FRAME_MS : 0;
    const isSound = this._runMs >= minSpeechMs;
    if (!this._isSpeech) {
      if (!isSound) return null;
      this._isSpeech = true;
      this._silentMs = 0;
      this._voicedMs = this._runMs;
      return "start";
    }
    if (this._isVoiced) this._voicedMs += FRAME_MS;
    this._silentMs = isSound ? 0 : this._silentMs + FRAME_MS; // a click does not make an utterance longer
    if (this._silentMs < redemptionMs) return null;
    this.rest();
    return "end";
  }

  /** Hold whatever is heard for over; the noise stays known. */
  rest(): void {
    this._isSpeech = this._isVoiced = false;
    this._runMs = this._voicedMs = this._silentMs = 0;
  }

  private _likelihood(levelDb: number, cautionDb: number): number {
    const power = 10 ** (levelDb / 10);
    this._smoothed = this._frames ? this._smoothed + SMOOTHING * (power - this._smoothed) : power;
    const noiseDb = Math.max(QUIET_DB, Math.min(...this._quietest) + NOISE_BIAS_DB);
    const known = this._frames >= LEARNING_FRAMES;
    if (this._frames % PART_FRAMES === 0) this._quietest = [...this._quietest, Infinity].slice(-NOISE_PARTS);
    const last = this._quietest.length - 1;
    this._quietest[last] = Math.min(this._quietest[last] as number, 10 * Math.log10(this._smoothed));
    this._frames += 1;
    return known ? 1 / (1 + Math.exp((EVEN_DB + cautionDb - (levelDb - noiseDb)) / SLOPE_DB)) : 0;
  }
}

/** Takes away what is below a frequency (second order, Butterworth). */
class HighPass {
  private readonly _b0: number;
  private readonly _a1: number;
  private readonly _a2: number;
  private _x1 = 0;
  private _x2 = 0;
  private _y1 = 0;
  private _y2 = 0;

  constructor(rateHz: number, hz: number) {
    const tan = Math.tan((Math.PI * hz) / rateHz);
    const norm = 1 / (1 + Math.SQRT2 * tan + tan * tan);
    this._b0 = norm;
    this._a1 = 2 * (tan * tan - 1) * norm;
    this._a2 = (1 - Math.SQRT2 * tan + tan * tan) * norm;
  }

  push(frame: Float32Array): Float32Array {
    return frame.map((x) => {
      const y = this._b0 * (x - 2 * this._x1 + this._x2) - this._a1 * this._y1 - this._a2 * this._y2;
      [this._x2, this._x1, this._y2, this._y1] = [this._x1, x, this._y1, y];
      return y;
    });
  }
}
