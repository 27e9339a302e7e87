/** A clock that stands still until it is moved, and the timers that are set by it. */
export class FakeClock {
  private _now = Date.UTC(2026, 10, 24);
  private _timers: Array<{ at: number; order: number; run: () => void }> = [];
  private _order = 0;

  now(): number {
    return this._now;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { at: this._now + ms, order: (this._order += 1), run };
    this._timers.push(timer);
    return () => {
      this._timers = this._timers.filter((one) => one !== timer);
    };
  }

  /** Let so many milliseconds pass, each timer in its turn, and everything be done that follows from it. */
  async pass(ms: number): Promise<void> {
    const end = this._now + ms;
    for (;;) {
      await settled();
      const next = this._timers.filter((one) => one.at <= end).sort((one, other) => one.at - other.at || one.order - other.order)[0];
      if (!next) break;
      this._timers = this._timers.filter((one) => one !== next);
      this._now = Math.max(this._now, next.at);
      next.run();
    }
    this._now = end;
    await settled();
  }

  /** Set the clock without anything being due. */
  leap(ms: number): void {
    this._now += ms;
  }
}

const TURNS = 3;

/** Wait until nothing is left to do but to wait. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}
