/** The part of a call that runs beside the page, so that a busy page makes no gap: it records, and plays what waits. */
import { SampleQueue } from "./sample-queue.ts";
import { PROCESSOR, type FromWorklet, type ToWorklet } from "./worklet-messages.ts";

declare const sampleRate: number;
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}

const CAPTURE_MS = 20;
const PLAYED_MS = 250;

class VoiceProcessor extends AudioWorkletProcessor {
  private readonly _queue = new SampleQueue();
  private _recorded = new Float32Array(Math.round((sampleRate * CAPTURE_MS) / 1000));
  private _at = 0;
  private _since = 0;
  private _told = 0;
  private _isOver = false;

  constructor() {
    super();
    this.port.onmessage = ({ data }: MessageEvent<ToWorklet>) => {
      if (data.play) this._queue.push(data.play);
      if (data.isPaused !== undefined) this._queue.isPaused = data.isPaused;
      if (data.isOver) this._isOver = true;
      if (data.clear === undefined) return;
      this._queue.clear();
      this._since = data.clear;
      this._told = 0;
    };
  }

  process([input]: Float32Array[][], [output]: Float32Array[][]): boolean {
    const recorded = input?.[0];
    if (recorded) this._record(recorded);
    const speaker = output?.[0];
    if (speaker && this._queue.read(speaker)) this._tell();
    return !this._isOver;
  }

  private _record(block: Float32Array): void {
    for (const sample of block) {
      this._recorded[this._at] = sample;
      this._at += 1;
      if (this._at < this._recorded.length) continue;
      this._say({ captured: this._recorded.slice() });
      this._at = 0;
    }
  }

  private _tell(): void {
    const { played, length } = this._queue;
    if (length && (played - this._told) * 1000 < PLAYED_MS * sampleRate) return;
    this._told = played;
    this._say({ played, since: this._since });
  }

  private _say(message: FromWorklet): void {
    this.port.postMessage(message);
  }
}

registerProcessor(PROCESSOR, VoiceProcessor);
