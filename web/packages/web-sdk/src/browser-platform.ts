import { parsed } from "./json.ts";
import type { HttpAnswer, HttpRequest, KeyValues, Platform, Socket, Tabs } from "./platform.ts";

const REQUEST_MS = 20_000;
const ID_BYTES = 16;
const LEFT_ABRUPTLY = 1006;

/** The world as a browser has it; nothing of it is touched before it is used, so this imports in Node as well. */
export function browserPlatform(): Platform {
  const memory = memoryStore();
  return {
    now: () => Date.now(),
    after: (ms, run) => {
      const timer = setTimeout(run, ms);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    newId: () => Array.from(crypto.getRandomValues(new Uint8Array(ID_BYTES)), (byte) => byte.toString(16).padStart(2, "0")).join(""),
    origin: () => globalThis.location?.origin ?? "",
    request,
    openSocket,
    storage: (keeping) => (keeping === "memory" ? memory : (pageStore(keeping) ?? memory)),
    tabs,
    onWake,
    isOnline: () => globalThis.navigator?.onLine !== false,
  };
}

async function request(url: string, { method, headers, body }: HttpRequest): Promise<HttpAnswer> {
  const aborting = new AbortController();
  const timer = setTimeout(() => aborting.abort(), REQUEST_MS);
  try {
    const answer = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }), signal: aborting.signal, credentials: "omit" });
    const text = await answer.text();
    const retryAfterS = Number(answer.headers.get("retry-after") ?? 0);
    return { status: answer.status, body: parsed(text), ...(retryAfterS ? { retryAfterMs: retryAfterS * 1000 } : {}) };
  } catch {
    return { status: 0, body: null };
  } finally {
    clearTimeout(timer);
  }
}

function openSocket(url: string, protocols: string[]): Socket {
  const opened = new WebSocket(url, protocols);
  const socket: Socket = {
    send: (data) => opened.send(data),
    close: () => opened.close(),
    onmessage: null,
    onclose: null,
  };
  opened.binaryType = "arraybuffer";
  opened.onmessage = ({ data }: MessageEvent<string | ArrayBuffer>) => (typeof data === "string" ? socket.onmessage?.(data) : socket.onbinary?.(data));
  opened.onclose = (event) => socket.onclose?.(event.code || LEFT_ABRUPTLY);
  return socket;
}

/** Return the store of the page, null where the browser keeps none for it. */
function pageStore(keeping: "local" | "session"): KeyValues | null {
  try {
    const store = keeping === "local" ? globalThis.localStorage : globalThis.sessionStorage;
    const probe = "abl:probe";
    store.setItem(probe, probe);
    store.removeItem(probe);
    return {
      get: (key) => store.getItem(key),
      set: (key, value) => store.setItem(key, value),
      remove: (key) => store.removeItem(key),
      keys: () => Array.from({ length: store.length }, (_, at) => store.key(at) ?? ""),
    };
  } catch {
    return null; // a page in a sandbox, or a visitor who forbids it
  }
}

export function memoryStore(): KeyValues {
  const held = new Map<string, string>();
  return {
    get: (key) => held.get(key) ?? null,
    set: (key, value) => void held.set(key, value),
    remove: (key) => void held.delete(key),
    keys: () => [...held.keys()],
  };
}

function tabs(name: string): Tabs | null {
  const locks = globalThis.navigator?.locks;
  if (!locks || typeof BroadcastChannel === "undefined") return null; // plain http: each tab has a socket of its own
  let channel: BroadcastChannel | null = null;
  const shared: Tabs = {
    lead: (lead) => {
      const opened = (channel ??= new BroadcastChannel(name));
      opened.onmessage = (event) => shared.onmessage?.(event.data);
      const waiting = new AbortController();
      let giveBack = (): void => waiting.abort();
      const led = locks.request(name, { signal: waiting.signal }, () => {
        const held = new Promise<void>((resolve) => (giveBack = resolve));
        lead();
        return held;
      });
      led.catch(() => undefined); // given up before it was had
      return () => {
        giveBack();
        opened.close();
        channel = null;
      };
    },
    post: (message) => channel?.postMessage(message),
    onmessage: null,
  };
  return shared;
}

function onWake(run: () => void): () => void {
  if (typeof globalThis.addEventListener !== "function") return () => undefined;
  const seen = (): void => {
    if (globalThis.document?.visibilityState === "visible") run();
  };
  globalThis.addEventListener("online", run);
  globalThis.addEventListener("pageshow", run);
  globalThis.document?.addEventListener("visibilitychange", seen);
  return () => {
    globalThis.removeEventListener("online", run);
    globalThis.removeEventListener("pageshow", run);
    globalThis.document?.removeEventListener("visibilitychange", seen);
  };
}
