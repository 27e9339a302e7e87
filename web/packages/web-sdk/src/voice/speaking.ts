import type { Sound } from "./audio.ts";
import type { CallHost } from "./call.ts";
import { Pcm16Reader } from "./pcm.ts";
import { Resampler } from "./resampler.ts";

/** How much of an answer may wait to be played: a server gives it faster than it is spoken. */
export const WAITING_MAX_S = 300;

/** What the agent says, from bytes to the loudspeaker, and whether it is still heard. */
export class Speaking {
  private readonly _sound: Sound;
  private readonly _rateHz: number;
  private readonly _host: Pick<CallHost, "emit" | "move" | "end" | "report">;
  private _reader = new Pcm16Reader();
  private _resampler: Resampler;
  private _decoding: Promise<void> = Promise.resolve();
  private _undecoded = 0;
  /** Number of the last interruption: what was decoded before is of no use any more. */
  private _turn = 0;
  private _given = 0;
  private _played = 0;
  private _isComplete = false;
  private _isHeard = false;

  /** @param rateHz Of PCM16 as the server sends it. */
  constructor(sound: Sound, rateHz: number, host: Pick<CallHost, "emit" | "move" | "end" | "report">) {
    this._sound = sound;
    this._rateHz = rateHz;
    this._host = host;
    this._resampler = new Resampler(rateHz, sound.rateHz);
  }

  /** Play a piece of an answer behind those before it. */
  say(format: string, bytes: Uint8Array<ArrayBuffer>): void {
    this._isComplete = false;
    if (format === "pcm16") return this._behind(() => this._play(this._resampler.push(this._reader.push(bytes))));
    this._behind(async (isCurrent) => {
      const samples = await this._sound.decode(bytes);
      if (isCurrent()) this._play(samples);
    });
  }

  /** Know that nothing comes behind what was said. */
  complete(): void {
    this._behind(() => {
      this._play(this._resampler.flush());
      this._isComplete = true;
      this._resampler = new Resampler(this._rateHz, this._sound.rateHz);
      this._look();
    });
  }

  /** Be silent while it is not known whether this is an interruption, or go on. */
  hold(isHeld: boolean): void {
    this._sound.pause(isHeld);
  }

  /** Be silent, and forget the rest. */
  stop(): void {
    this._turn += 1;
    this._undecoded = this._given = this._played = 0;
    this._decoding = Promise.resolve();
    this._isComplete = false;
    this._reader = new Pcm16Reader();
    this._resampler = new Resampler(this._rateHz, this._sound.rateHz);
    this._sound.clear();
    this._hear(false);
  }

  /** Know how much of it was played. */
  played(samples: number): void {
    this._played = samples;
    this._look();
  }

  /** Do something at once, or behind the pieces that are still being decoded. */
  private _behind(run: (isCurrent: () => boolean) => void | Promise<void>): void {
    const turn = this._turn;
    const isCurrent = (): boolean => this._turn === turn;
    if (!this._undecoded) {
      const more = run(isCurrent);
      if (!more) return;
      this._follow(more, isCurrent);
    } else this._follow(this._decoding.then(() => (isCurrent() ? run(isCurrent) : undefined)), isCurrent);
  }

  private _follow(work: Promise<void>, isCurrent: () => boolean): void {
    this._undecoded += 1;
    const failed = (cause: unknown): void => {
      if (isCurrent()) this._host.report("voice_failed", "The platform has sent audio that cannot be played", { cause });
    };
    this._decoding = work.catch(failed).then(() => {
      if (!isCurrent()) return;
      this._undecoded -= 1;
      this._look();
    });
  }

  private _play(samples: Float32Array): void {
    if (!samples.length) return;
    this._given += samples.length;
    if (this._given - this._played > WAITING_MAX_S * this._sound.rateHz) {
      return this._host.end("failed", "voice_failed", `More than ${WAITING_MAX_S} s of an answer wait to be played`);
    }
    this._sound.play(samples);
    this._hear(true);
  }

  private _look(): void {
    if (!this._isComplete || this._undecoded || this._played < this._given) return;
    this._isComplete = false;
    this._hear(false);
    this._host.move("answered");
  }

  private _hear(isSpeaking: boolean): void {
    if (this._isHeard === isSpeaking) return;
    this._isHeard = isSpeaking;
    this._host.emit("speaking", { isSpeaking });
  }
}
