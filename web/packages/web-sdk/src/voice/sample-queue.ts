/** What is to be played, in order and without gaps: read in blocks by whoever drives the loudspeaker. */
export class SampleQueue {
  private _pieces: Float32Array[] = [];
  private _at = 0;
  private _length = 0;
  isPaused = false;
  /** How many samples were played since the last `clear`. */
  played = 0;

  /** How many samples wait. */
  get length(): number {
    return this._length;
  }

  push(piece: Float32Array): void {
    if (!piece.length) return;
    this._pieces.push(piece);
    this._length += piece.length;
  }

  /** Fill a block with what is next, and the rest of it with silence; returns how many samples were there. */
  read(block: Float32Array): number {
    let filled = 0;
    while (!this.isPaused && filled < block.length) {
      const piece = this._pieces[0];
      if (!piece) break;
      const part = piece.subarray(this._at, this._at + block.length - filled);
      block.set(part, filled);
      filled += part.length;
      this._at += part.length;
      if (this._at < piece.length) break;
      this._pieces.shift();
      this._at = 0;
    }
    block.fill(0, filled);
    this._length -= filled;
    this.played += filled;
    return filled;
  }

  /** Forget what waits; a pause is over. */
  clear(): void {
    this._pieces = [];
    this._at = this._length = this.played = 0;
    this.isPaused = false;
  }
}
