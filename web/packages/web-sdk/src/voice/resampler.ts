/** How many zero crossings of the kernel there are on either side: the more, the steeper. */
const CROSSINGS = 24;
/** Where the kernel cuts, as a part of the lower of the two Nyquist frequencies; it is over at the whole of it. */
const CUTOFF = 0.91;
/** Of the Kaiser window: what is beyond is 70 dB down. */
const BETA = 6.8;
/** How many places between two samples have a kernel of their own; rates that want more take the nearest one. */
const PHASES_MAX = 1_024;

/** Changes the rate of a signal that comes in pieces: a windowed sinc, of which each place between two samples has its own. */
export class Resampler {
  private readonly _step: number;
  private readonly _phases: number;
  private readonly _half: number;
  private readonly _scale: number;
  private readonly _kernels: Array<Float32Array | undefined> = [];
  /** What is still needed of the input, and where in it the next sample to be made lies. */
  private _held: Float32Array;
  private _at: number;
  private readonly _isSame: boolean;
  private _given = 0;
  private _made = 0;

  constructor(fromHz: number, toHz: number) {
    this._isSame = fromHz === toHz;
    this._step = fromHz / toHz;
    this._phases = Math.min(toHz / common(fromHz, toHz), PHASES_MAX);
    this._scale = Math.min(1, toHz / fromHz) * CUTOFF;
    this._half = Math.ceil(CROSSINGS / this._scale);
    this._held = new Float32Array(this._half);
    this._at = this._half;
  }

  /** Return what can be made with the next piece. */
  push(piece: Float32Array): Float32Array {
    if (this._isSame) return piece;
    this._given += piece.length;
    return this._make(piece);
  }

  /** Return the rest: what was given is over. */
  flush(): Float32Array {
    if (this._isSame) return new Float32Array(0);
    const due = Math.round(this._given / this._step) - this._made;
    return this._make(new Float32Array(2 * this._half)).subarray(0, due);
  }

  private _make(piece: Float32Array): Float32Array {
    const held = new Float32Array(this._held.length + piece.length);
    held.set(this._held);
    held.set(piece, this._held.length);
    const { _step: step, _half: half, _phases: phases } = this;
    const first = this._at;
    const count = Math.max(0, Math.ceil((held.length - half - first) / step));
    const made = new Float32Array(count);
    for (let number = 0; number < count; number += 1) {
      const at = first + number * step;
      let base = Math.floor(at + 1e-9);
      let phase = Math.round((at - base) * phases);
      if (phase === phases) [base, phase] = [base + 1, 0];
      const kernel = (this._kernels[phase] ??= this._kernel(phase / phases));
      let sum = 0;
      for (let tap = 0, from = base - half + 1; tap < kernel.length; tap += 1) sum += (kernel[tap] as number) * (held[from + tap] ?? 0);
      made[number] = sum;
    }
    this._made += count;
    const next = first + count * step;
    const drop = Math.max(0, Math.floor(next) - half);
    this._held = held.slice(drop);
    this._at = next - drop;
    return made;
  }

  /** The weights of the samples around a place that lies so far behind a sample. */
  private _kernel(fraction: number): Float32Array {
    const kernel = new Float32Array(2 * this._half);
    for (let tap = 0; tap < kernel.length; tap += 1) {
      const distance = tap - this._half + 1 - fraction;
      const x = Math.PI * distance * this._scale;
      const window = bessel(BETA * Math.sqrt(Math.max(0, 1 - (distance / this._half) ** 2))) / bessel(BETA);
      kernel[tap] = this._scale * window * (x === 0 ? 1 : Math.sin(x) / x);
    }
    return kernel;
  }
}

function common(one: number, other: number): number {
  return other === 0 ? one : common(other, one % other);
}

/** The modified Bessel function of order 0. */
function bessel(x: number): number {
  let [sum, term] = [1, 1];
  for (let order = 1; term > sum * 1e-10; order += 1) sum += term *= (x / 2 / order) ** 2;
  return sum;
}
