/** Samples and the bytes that carry them: PCM16, little-endian, mono. Spec: platform-api 12.5. */

export const BYTES_PER_SAMPLE = 2;
const FULL = 32_768;
/** How many bytes become characters at once: an engine takes only so many arguments. */
const AT_ONCE = 8_192;

/** Return samples from -1 to 1 as PCM16; what is louder is cut off. */
export function toPcm16(samples: Float32Array): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(samples.length * BYTES_PER_SAMPLE);
  const view = new DataView(bytes.buffer);
  samples.forEach((sample, at) => view.setInt16(at * BYTES_PER_SAMPLE, Math.max(-FULL, Math.min(FULL - 1, Math.round(sample * FULL))), true));
  return bytes;
}

/** Reads PCM16 that comes in pieces; a sample that is cut in two is put together. */
export class Pcm16Reader {
  private _odd: number | null = null;

  push(bytes: Uint8Array): Float32Array {
    const all = new Uint8Array((this._odd === null ? 0 : 1) + bytes.length);
    if (this._odd !== null) all[0] = this._odd;
    all.set(bytes, all.length - bytes.length);
    this._odd = all.length % BYTES_PER_SAMPLE ? (all[all.length - 1] as number) : null;
    const view = new DataView(all.buffer);
    return Float32Array.from({ length: Math.floor(all.length / BYTES_PER_SAMPLE) }, (_, at) => view.getInt16(at * BYTES_PER_SAMPLE, true) / FULL);
  }
}

export function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += AT_ONCE) text += String.fromCharCode(...bytes.subarray(at, at + AT_ONCE));
  return btoa(text);
}

/** Throws where it is no base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** The formats of audio by their number in a binary frame. */
export const FORMATS: Readonly<Record<number, string>> = { 1: "pcm16", 2: "mp3", 3: "wav" };
const VERSION = 1;
const HEADER_BYTES = 8;
const IS_LAST = 1;

export interface AudioFrame {
  format: string;
  isLast: boolean;
  /** Number of the answer that it is of. */
  response: number;
  audio: Uint8Array<ArrayBuffer>;
}

/** Return what a binary frame of the server holds; null for a form that this client does not know. */
export function readAudioFrame(frame: ArrayBuffer): AudioFrame | null {
  if (frame.byteLength < HEADER_BYTES) return null;
  const view = new DataView(frame);
  const format = FORMATS[view.getUint8(1)];
  if (view.getUint8(0) !== VERSION || format === undefined) return null;
  return { format, isLast: (view.getUint16(2, true) & IS_LAST) !== 0, response: view.getUint32(4, true), audio: new Uint8Array(frame, HEADER_BYTES) };
}

/** Return how loud samples are: decibels of their mean power below that of a full square wave. */
export function levelDb(samples: Float32Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / Math.max(1, samples.length) + 1e-12);
}
