import type { JsonValue } from "../wire.ts";

/** One event of a stream; `event` and `id` are empty where the server says none. */
export interface StreamEvent<Name extends string = string, Data = JsonValue> {
  event: Name;
  data: Data;
  /** Where it stands: the stream goes on behind it when it is asked for again with this as `lastEventId`. */
  id: string;
}

/** An event as it stands in the stream. */
export interface WrittenEvent {
  event: string;
  data: string;
  id: string;
}

/** Reads server-sent events from the pieces of a stream, wherever it was cut into pieces. */
export class EventReader {
  private _rest = "";
  private _event = "";
  private _id = "";
  private _data: string[] = [];

  /** How much of an event has come that has not ended. */
  get waiting(): number {
    return this._rest.length + this._data.reduce((sum, line) => sum + line.length, 0);
  }

  /** Return the events that this piece completes; one whose end never comes is none. */
  read(piece: string): WrittenEvent[] {
    const lines = (this._rest + piece).split(/\r\n|\n|\r(?=[^\n])/); // a CR at the end may be half of a CRLF
    this._rest = lines.pop() ?? "";
    const events: WrittenEvent[] = [];
    for (const line of lines) {
      if (line) this._field(line);
      else this._end(events);
    }
    return events;
  }

  private _field(line: string): void {
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this._event = value;
    else if (name === "id") this._id = value;
    else if (name === "data") this._data.push(value);
  }

  private _end(events: WrittenEvent[]): void {
    if (this._data.length) events.push({ event: this._event, data: this._data.join("\n"), id: this._id });
    this._event = this._id = "";
    this._data = [];
  }
}
