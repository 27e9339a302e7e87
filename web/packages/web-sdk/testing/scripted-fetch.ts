import { SILENCE_MS, STREAM_SILENCE_MS, UPLOAD_MS, type HttpOptions } from "../src/http/core.ts";

/** What a scripted server was sent. */
export interface Seen {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: unknown;
  signal: AbortSignal;
  server: Scripted;
}

export type Script = Response | Error | ((seen: Seen) => Response | Promise<Response>);

const encoder = new TextEncoder();

/** A server that answers by a script, and a clock on which waiting takes no time and silence only begins when told. */
export class Scripted {
  readonly seen: Seen[] = [];
  /** Whether all was read of an answer that has no end. */
  isReading = false;
  readonly waitsMs: number[] = [];
  readonly silences: Array<{ ms: number; run: () => void }> = [];
  readonly options: HttpOptions;
  private readonly _script: Script[];

  constructor(...script: Script[]) {
    this._script = script;
    this.options = {
      url: "http://abl.test/",
      apiKey: "abl_1",
      fetch: (url, request) => this._answer(url, request),
      world: { random: () => 0, after: (ms, run) => this._after(ms, run) },
    };
  }

  get keys(): Array<string | undefined> {
    return this.seen.map(({ headers }) => headers["Idempotency-Key"]);
  }

  private _after(ms: number, run: () => void): () => void {
    if (![SILENCE_MS, STREAM_SILENCE_MS, UPLOAD_MS].includes(ms)) {
      this.waitsMs.push(ms);
      queueMicrotask(run);
      return () => undefined;
    }
    const silence = { ms, run };
    this.silences.push(silence);
    return () => {
      const at = this.silences.indexOf(silence);
      if (at >= 0) this.silences.splice(at, 1);
    };
  }

  private _answer(url: string, request: RequestInit): Promise<Response> {
    const { method = "", body, signal } = request;
    const seen = { method, url, headers: request.headers as Record<string, string>, body, signal: signal as AbortSignal, server: this };
    this.isReading = false;
    this.seen.push(seen);
    const next = this._script.shift();
    if (next === undefined) throw new Error("sent once more than the script has answers");
    return new Promise((resolve, reject) => {
      seen.signal.addEventListener("abort", () => reject(new TypeError("cut")));
      if (next instanceof Error) reject(next);
      else Promise.resolve(typeof next === "function" ? next(seen) : next).then(resolve, reject);
    });
  }
}

export const LOST = new TypeError("fetch failed");
export const never = (): Promise<Response> => new Promise(() => undefined);

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });
}

export function refused(status: number, code: string, details: object = {}, headers: Record<string, string> = {}): Response {
  return json({ success: false, error: { code, message: `It is ${code}`, details } }, status, { "X-Request-Id": "req_1", ...headers });
}

const TURNS_MAX = 1_000;

/** Let everything else run until something is so. */
export async function until(isSo: () => boolean): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > TURNS_MAX) throw new Error("it does not become so");
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Return an answer of these pieces; `end` says how it ends: by itself, cut, or not at all. */
export function pieces(texts: Array<string | Uint8Array>, end: "done" | "cut" | "open" = "done", kind = "text/event-stream") {
  return ({ signal, server }: Seen): Response => {
    const left = [...texts];
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => signal.addEventListener("abort", () => controller.error(new TypeError("cut"))),
      pull: (controller) => {
        const next = left.shift();
        if (next !== undefined) return controller.enqueue(typeof next === "string" ? encoder.encode(next) : next);
        if (end === "done") return controller.close();
        if (end === "cut") return controller.error(new TypeError("terminated"));
        server.isReading = true;
        return new Promise(() => undefined);
      },
    });
    return new Response(body, { headers: { "Content-Type": kind, "X-Request-Id": "req_1" } });
  };
}

/** Return an event as the server writes it. */
export function event(name: string, data: unknown, id = ""): string {
  return `${id ? `id: ${id}\n` : ""}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
