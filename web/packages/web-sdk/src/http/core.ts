import { ATTEMPTS_MAX, delayMs } from "../backoff.ts";
import type { Platform } from "../platform.ts";
import { ApiError, BAD_ANSWER, BAD_CALL, NO_CREDENTIAL, UNREACHABLE, refusal } from "./api-error.ts";
import { EventStream } from "./stream.ts";

/** A turn may take 120 s; after so long without a byte the server is gone. */
export const SILENCE_MS = 150_000;
/** Three heartbeats: after so long without one the connection of a stream is lost. Spec: platform-api 4.3. */
export const STREAM_SILENCE_MS = 45_000;
/** How long a file may take to be sent. */
export const UPLOAD_MS = 600_000;
/** A longer wait than this is the caller's to decide: the error says how long. */
export const RETRY_AFTER_MAX_MS = 60_000;
const KEY_BYTES = 16;
/** What was refused before it was carried out, so that anything may be sent again. */
const NOT_RUN: readonly number[] = [408, 429];
/** What comes back by itself; whether the request was carried out is not known. */
const PASSING: readonly number[] = [502, 503, 504];
const STILL_RUNNING = "IDEMPOTENCY_KEY_IN_USE";
const OUTCOME_UNKNOWN = "IDEMPOTENCY_OUTCOME_UNKNOWN";

/** What to show the server: the secret, or what gives it. `refused` is the one that the server has just refused. */
export type Credential = string | ((refused: string | undefined, http: Http) => string | Promise<string>);

export interface HttpOptions {
  /** The server; where the page comes from by default. */
  url?: string | undefined;
  /** `abl_...` */
  apiKey?: Credential | undefined;
  /** The access token of a log-in; `userLogin` renews it. */
  userToken?: Credential | undefined;
  /** The token of a page, as `sdk.init` gives it; `pageLogin` renews it. */
  pageToken?: Credential | undefined;
  /** `pk_...`, for `sdk.init` and `sdk.widgetConfig`. */
  publicKey?: Credential | undefined;
  /** What sandboxed code was given, for `memory.useMemory`. */
  sandboxToken?: Credential | undefined;
  /** Sent with each request, e.g. `Origin` where no browser sets it. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** What sends requests; the `fetch` of the platform by default. */
  fetch?: ((url: string, request: RequestInit) => Promise<Response>) | undefined;
  /** How often a request is sent at most, 1 to 5; 5 by default. */
  attempts?: number | undefined;
  /** @internal The world, for tests. */
  world?: World;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  /** The request is carried out once under it; one is made where none is given, so that it can be sent again. */
  idempotencyKey?: string | undefined;
  attempts?: number | undefined;
}

/** What is asked of an operation: what stands in its path and query, by name, and these two. */
export interface Asked {
  headers?: Readonly<Record<string, string | undefined>>;
  body?: unknown;
  [name: string]: unknown;
}

/** @internal */
export type World = Pick<Platform, "after" | "random">;

/** A request as it goes out each time. @internal */
export interface Outgoing {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | FormData | null;
  takes: string;
  traits: string;
  key: string | null;
  attempts: number;
  signal: AbortSignal | undefined;
}

/** An answer whose body has not been read. @internal */
export interface Answer {
  response: Response;
  /** Yield the body; throws ApiError where it breaks off. */
  pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>;
  close(): void;
}

/** A letter of an operation's row -> which credential that is, its header, and what stands before it there. */
const SHOWN: ReadonlyArray<readonly [string, keyof HttpOptions, string, string]> = [
  ["k", "apiKey", "X-API-Key", ""],
  ["u", "userToken", "Authorization", "Bearer "],
  ["p", "pageToken", "X-SDK-Token", ""],
  ["i", "publicKey", "X-Public-Key", ""],
  ["c", "publicKey", "X-API-Key", ""],
  ["x", "sandboxToken", "Authorization", "Bearer "],
];

/**
 * Sends requests to one server. An operation is a row: `METHOD path credentials traits`, the credentials a letter each of
 * `SHOWN` or `-`, the traits too: `k` takes an Idempotency-Key, `s` streams events, `e` ends them with `complete` or
 * `error`, `r` goes on behind a Last-Event-ID, `o` is asked to stream in its body, `f` takes a form, `b` gives bytes.
 */
export class Http {
  /** @internal */
  readonly world: World;
  private readonly _options: HttpOptions;
  private readonly _url: string;

  constructor(options: HttpOptions = {}) {
    this._options = options;
    this._url = (options.url ?? "").replace(/\/+$/, "");
    this.world = options.world ?? {
      after: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      random: () => Math.random(),
    };
  }

  /** Return what an operation answers. Throws ApiError, or the reason of the signal that ended it. */
  async call(row: string, asked: Asked = {}, options: CallOptions = {}): Promise<unknown> {
    const request = this.prepared(row, asked, options);
    let mayHaveRun = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read(await this.open(request), request.traits);
      } catch (error) {
        mayHaveRun = this.judged(error, request, mayHaveRun);
        await this.pause(error as ApiError, request, attempt);
      }
    }
  }

  /** Return the events of an operation, which is asked for when they are read. */
  stream(row: string, asked: Asked = {}, options: CallOptions & { lastEventId?: string | undefined } = {}): EventStream {
    const wanted = / \S*o\S*$/.test(row) ? { ...asked, body: { ...(asked.body as object), stream: true } } : asked;
    return new EventStream(this, this.prepared(row, wanted, options), options.lastEventId);
  }

  /** @internal Return the request of an operation; what is done to the arguments later does not change it. */
  prepared(row: string, asked: Asked, options: CallOptions): Outgoing {
    const [method = "", path = "", takes = "", traits = ""] = row.split(" ");
    const { headers, body, ...named } = asked;
    const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const value = named[name];
      delete named[name];
      return segment(name, value);
    });
    const query = new URLSearchParams();
    for (const [name, value] of Object.entries(named)) if (value !== undefined && value !== null) query.append(name, String(value));
    const key = traits.includes("k") ? (options.idempotencyKey ?? newKey()) : null;
    const isForm = traits.includes("f");
    const sent: Record<string, string> = { ...this._options.headers, Accept: traits.includes("s") ? "text/event-stream" : "application/json, */*" };
    for (const [name, value] of Object.entries(headers ?? {})) if (value !== undefined) sent[name] = value;
    if (body !== undefined && !isForm) sent["Content-Type"] = "application/json";
    if (key !== null) sent["Idempotency-Key"] = key;
    checkSendable(sent);
    return {
      method,
      url: this._url + place + `?${query}`.replace(/^\?$/, ""),
      headers: sent,
      body: body === undefined ? null : isForm ? formOf(body as object) : JSON.stringify(body),
      takes,
      traits,
      key,
      attempts: Math.min(Math.max(options.attempts ?? this._options.attempts ?? ATTEMPTS_MAX, 1), ATTEMPTS_MAX),
      signal: options.signal,
    };
  }

  /** @internal Send a request once, and again where its credential has run out. Throws ApiError where it is refused. */
  async open(request: Outgoing, more: Record<string, string> = {}): Promise<Answer> {
    let refused: string | undefined;
    for (;;) {
      const { header, secret, renews } = await this._shown(request, refused);
      const answer = await this._sent(request, { ...request.headers, ...more, ...header });
      const { response } = answer;
      if (response.ok) return answer;
      if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
        answer.close(); // to follow it would show the credential to somebody else
        throw new ApiError(response.status, BAD_ANSWER, "The server sends requests elsewhere: give the client that address");
      }
      const error = refusal(response.status, response.headers, await textOf(answer));
      if (error.status !== 401 || !renews || refused !== undefined) throw error;
      refused = secret;
    }
  }

  /** @internal Note at an error what it means for the request; throws it where the request was not sent, or the caller ended it. */
  judged(error: unknown, request: Outgoing, before: boolean): boolean {
    if (error instanceof Unsent) throw error.of(request, before);
    if (!(error instanceof ApiError)) throw error;
    const isUnsent = error.code === NO_CREDENTIAL || error.code === BAD_CALL;
    const isOpen = (error.status < 300 && !isUnsent) || error.status >= 500;
    const isUnknown = isOpen || error.reason === STILL_RUNNING || error.reason === OUTCOME_UNKNOWN;
    const mayHaveRun = request.method !== "GET" && (isUnknown || before);
    Object.assign(error, { mayHaveRun, idempotencyKey: request.key });
    return mayHaveRun;
  }

  /** @internal Wait until the request is to be sent again; throws the error where it is not. */
  async pause(error: ApiError, request: Outgoing, attempt: number): Promise<void> {
    const isSafe = request.key !== null || request.method === "GET" || request.method === "DELETE";
    const passes =
      NOT_RUN.includes(error.status) ||
      (isSafe && (error.code === UNREACHABLE || PASSING.includes(error.status))) ||
      error.reason === STILL_RUNNING;
    const leastMs = error.retryAfterMs ?? 0;
    if (!passes || attempt >= request.attempts || leastMs > RETRY_AFTER_MAX_MS) throw error;
    let cancel = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      cancel = this.world.after(delayMs(attempt, this.world.random(), leastMs), resolve);
    });
    await unlessAborted(waited, request.signal).finally(() => cancel());
  }

  private async _shown(request: Outgoing, refused: string | undefined): Promise<{ header: Record<string, string>; secret: string; renews: boolean }> {
    if (request.takes === "-") return { header: {}, secret: "", renews: false };
    for (const [letter, option, header, before] of SHOWN) {
      const source = request.takes.includes(letter) ? (this._options[option] as Credential | undefined) : undefined;
      if (!source) continue;
      const renews = typeof source === "function";
      const secret = renews ? await this._given(source, refused, request) : source;
      return { header: { [header]: before + secret }, secret, renews };
    }
    const wanted = SHOWN.filter(([letter]) => request.takes.includes(letter)).map(([, option]) => option);
    throw new ApiError(0, NO_CREDENTIAL, `This operation asks for ${[...new Set(wanted)].join(" or ")}: give it to the client`);
  }

  private async _given(source: Exclude<Credential, string>, refused: string | undefined, { signal }: Outgoing): Promise<string> {
    try {
      return await unlessAborted(Promise.resolve(source(refused, this)), signal);
    } catch (error) {
      throw new Unsent(error);
    }
  }

  private async _sent({ method, url, body, signal, traits }: Outgoing, headers: Record<string, string>): Promise<Answer> {
    const aborting = new AbortController();
    const abort = (): void => aborting.abort();
    let cancel = (): void => undefined;
    const within = async <T>(ms: number, wait: () => Promise<T>): Promise<T> => {
      cancel();
      cancel = this.world.after(ms, abort);
      try {
        if (signal?.aborted) throw signal.reason;
        return await unlessAborted(wait(), aborting.signal);
      } catch (cause) {
        const isSilent = aborting.signal.aborted;
        close();
        if (signal?.aborted) throw signal.reason;
        throw new ApiError(0, UNREACHABLE, isSilent ? `Nothing came for ${ms / 1000} s` : "Nobody answers, or the answer broke off", { cause });
      } finally {
        cancel();
      }
    };
    const close = (): void => {
      signal?.removeEventListener("abort", abort);
      abort();
    };
    signal?.addEventListener("abort", abort);
    const init: RequestInit = { method, headers, body, signal: aborting.signal, credentials: "omit", redirect: "manual", cache: "no-store" };
    const send = this._options.fetch ?? ((...given) => globalThis.fetch(...given));
    const response = await within(traits.includes("f") ? UPLOAD_MS : SILENCE_MS, () => send(url, init));
    const silenceMs = traits.includes("s") ? STREAM_SILENCE_MS : SILENCE_MS;
    async function* pieces(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
      const reader = response.body?.getReader();
      try {
        while (reader) {
          const { done, value } = await within(silenceMs, () => reader.read());
          if (done) return;
          yield value;
        }
      } finally {
        reader?.cancel().catch(() => undefined); // what was given up may have failed as well
        close();
      }
    }
    return { response, pieces, close };
  }
}

/** There is no credential to send a request with. What gives one has tried as often as it may. */
class Unsent {
  private readonly _error: unknown;

  constructor(error: unknown) {
    this._error = error;
  }

  /** Return the error of a request, of which an earlier attempt may have run. */
  of({ key }: Outgoing, mayHaveRun: boolean): unknown {
    const error = this._error;
    if (!(error instanceof ApiError)) return error;
    const { status, code, message, details, requestId, retryAfterMs } = error;
    const made = new ApiError(status, code, message, { details, requestId, retryAfterMs, cause: error }); // others may wait for it too
    return Object.assign(made, { mayHaveRun, idempotencyKey: key });
  }
}

/** Return the methods of a part of the API, from the rows of their operations. @internal */
export function bound<Api>(http: Http, rows: Readonly<Record<keyof Api, string>>): Api {
  const methods = Object.entries<string>(rows).map(([name, row]) => {
    const isStream = / \S*s\S*$/.test(row);
    return [name, isStream ? http.stream.bind(http, row) : http.call.bind(http, row)];
  });
  return Object.fromEntries(methods) as Api;
}

async function read(answer: Answer, traits: string): Promise<unknown> {
  const { headers, status } = answer.response;
  const kind = headers.get("content-type") ?? "";
  const isText = !traits.includes("b") && /json|text\//.test(kind);
  if (!isText) {
    const pieces: Uint8Array<ArrayBuffer>[] = [];
    for await (const piece of answer.pieces()) pieces.push(piece);
    return pieces.length || traits.includes("b") ? new Blob(pieces, { type: kind }) : undefined;
  }
  const text = await textOf(answer);
  if (!kind.includes("json") && !kind.includes("event-stream")) return text;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError(status, BAD_ANSWER, "The answer is not the JSON that it says it is", { requestId: headers.get("x-request-id"), cause });
  }
}

async function textOf(answer: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const piece of answer.pieces()) text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

/** Return a value as one part of a path; one that would make another path of it is refused. */
function segment(name: string, value: unknown): string {
  const text = value === undefined || value === null ? "" : String(value);
  if (!text || text === "." || text === "..") throw new ApiError(0, BAD_CALL, `${name} must be an id: ${JSON.stringify(value)}`);
  return encodeURIComponent(text);
}

function checkSendable(headers: Record<string, string>): void {
  try {
    new Headers(headers);
  } catch (cause) {
    throw new ApiError(0, BAD_CALL, "A header or the key has a sign that cannot be sent", { cause });
  }
}

function formOf(body: object): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) form.append(name, value as Blob);
  return form;
}

function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(KEY_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function unlessAborted<T>(waited: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return waited;
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
    waited.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
