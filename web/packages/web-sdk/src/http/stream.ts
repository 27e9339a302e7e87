import type { JsonValue } from "../wire.ts";
import { ApiError, BAD_ANSWER, UNREACHABLE, toldError } from "./api-error.ts";
import type { Answer, Http, Outgoing } from "./core.ts";
import { EventReader, type StreamEvent } from "./sse.ts";

/** How much of one event may come before its end does. */
export const EVENT_CHARS_MAX = 2 ** 24;
/** How OpenAI's streams end. */
const DONE = "[DONE]";
const LAST: readonly string[] = ["complete", "error"];

/**
 * The events of one request, to be read once: `for await (const event of stream)`. A connection that is lost is made again
 * where the operation can go on behind an event; each event comes once. Throws ApiError, also for an event `error`.
 */
export class EventStream<Event extends StreamEvent<string, unknown> = StreamEvent> implements AsyncIterable<Event> {
  /** Under which the same stream can be asked for again, also by another program; null where the operation takes none. */
  readonly idempotencyKey: string | null;
  private readonly _http: Http;
  private readonly _request: Outgoing;
  private readonly _events: AsyncGenerator<Event, void, undefined>;
  private _lastEventId: string;

  /** @internal */
  constructor(http: Http, request: Outgoing, lastEventId = "") {
    this._http = http;
    this._request = request;
    this.idempotencyKey = request.key;
    this._lastEventId = lastEventId;
    this._events = this._told();
  }

  /** The id of the last event that had one; empty before it. */
  get lastEventId(): string {
    return this._lastEventId;
  }

  [Symbol.asyncIterator](): AsyncGenerator<Event, void, undefined> {
    return this._events;
  }

  private async *_told(): AsyncGenerator<Event, void, undefined> {
    const { _http: http, _request: request } = this;
    let mayHaveRun = false;
    let failures = 0; // in a row
    for (;;) {
      let isShown = false;
      try {
        const after = this._lastEventId;
        const answer = await http.open(request, after ? { "Last-Event-ID": after } : {});
        for await (const event of eventsOf(answer)) {
          const isLast = request.traits.includes("e") && LAST.includes(event.event);
          if (after && !isLast && isTold(event.id, after)) continue;
          if (isLast && event.event === "error") throw toldError(event.data, answer.response.headers.get("x-request-id"));
          this._lastEventId = event.id || this._lastEventId;
          if (event.id) failures = 0;
          isShown = true;
          yield event as Event;
          if (isLast) return;
        }
        if (!request.traits.includes("e")) return;
        throw new ApiError(0, UNREACHABLE, "The stream broke off");
      } catch (error) {
        mayHaveRun = http.judged(error, request, mayHaveRun);
        if (isShown && !request.traits.includes("r")) throw error; // nobody could say where to go on
        failures += 1;
        await http.pause(error as ApiError, request, failures);
      }
    }
  }
}

async function* eventsOf(answer: Answer): AsyncGenerator<StreamEvent, void, undefined> {
  const { headers, status } = answer.response;
  const fault = (message: string, cause?: unknown): ApiError =>
    new ApiError(status, BAD_ANSWER, message, { requestId: headers.get("x-request-id"), cause });
  if (!(headers.get("content-type") ?? "").includes("text/event-stream")) {
    answer.close();
    throw fault("The answer is no stream of events");
  }
  const decoder = new TextDecoder();
  const reader = new EventReader();
  for await (const piece of answer.pieces()) {
    for (const { event, data, id } of reader.read(decoder.decode(piece, { stream: true }))) {
      if (data === DONE) return;
      yield { event, data: parsed(data, fault), id };
    }
    if (reader.waiting > EVENT_CHARS_MAX) throw fault("An event of the stream does not end");
  }
}

function parsed(data: string, fault: (message: string, cause: unknown) => ApiError): JsonValue {
  try {
    return JSON.parse(data) as JsonValue;
  } catch (cause) {
    throw fault("An event of the stream is not JSON", cause);
  }
}

/** Whether an event is not behind another one; ids are `<session>:<number>`. Spec: platform-api 4.1. */
function isTold(id: string, after: string): boolean {
  const [session, number] = split(id);
  const [seen, last] = split(after);
  return session === seen && number <= last;
}

function split(id: string): [string, number] {
  const colon = id.lastIndexOf(":");
  return [id.slice(0, Math.max(colon, 0)), Number(id.slice(colon + 1) || NaN)];
}
