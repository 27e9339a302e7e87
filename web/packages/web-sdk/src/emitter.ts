type Listener<Payload> = (payload: Payload) => void;

/** Events of a class: one typed map says the payload of each. A listener that throws stops no other one. */
export class Emitter<Events extends object> {
  private _listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Call `listener` for each event; returns what stops that. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const held = this._listeners.get(name) ?? new Set();
    held.add(listener as Listener<never>);
    this._listeners.set(name, held);
    return () => this.off(name, listener);
  }

  /** Call `listener` for the next event only; returns what stops that. */
  once<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const stop = this.on(name, (payload) => {
      stop();
      listener(payload);
    });
    return stop;
  }

  off<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): void {
    this._listeners.get(name)?.delete(listener as Listener<never>);
  }

  /** Forget the listeners of one event, or of all. */
  removeAllListeners(name?: keyof Events): void {
    if (name === undefined) this._listeners.clear();
    else this._listeners.delete(name);
  }

  /** How many listeners there are, of all events. */
  listenerCount(): number {
    return [...this._listeners.values()].reduce((sum, held) => sum + held.size, 0);
  }

  /** Tell the listeners; what one of them throws is reported as an uncaught error of the page, after the others. */
  protected emit<Name extends keyof Events>(name: Name, payload: Events[Name]): void {
    for (const listener of [...(this._listeners.get(name) ?? [])]) {
      try {
        (listener as Listener<Events[Name]>)(payload);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
