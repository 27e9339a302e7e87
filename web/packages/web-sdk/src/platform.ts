/** What the client wants of the world: all of it is handed in, so that tests need neither network nor clock. */
export interface Platform {
  /** Milliseconds of the wall clock. */
  now(): number;
  /** Call `run` once after so many milliseconds; returns what prevents that. */
  after(ms: number, run: () => void): () => void;
  /** From 0 to 1. */
  random(): number;
  /** An id that nobody else has. */
  newId(): string;
  /** The address of the page, for a platform that serves it itself. */
  origin(): string;
  request(url: string, request: HttpRequest): Promise<HttpAnswer>;
  /** The browser's own by default, which is loaded with the first upload. */
  upload?(url: string, request: UploadRequest): Promise<HttpAnswer>;
  openSocket(url: string, protocols: string[]): Socket;
  storage(keeping: "local" | "session" | "memory"): KeyValues;
  /** Who else of this browser has the same conversation open; null where it cannot be known who leads. */
  tabs(name: string): Tabs | null;
  /** Call `run` when the network is back or the page is looked at again; returns what ends that. */
  onWake(run: () => void): () => void;
  isOnline(): boolean;
}

export interface HttpRequest {
  method: "GET" | "POST";
  headers: Record<string, string>;
  body?: string;
}

/** An answer; `status` is 0 where nobody answered. */
export interface HttpAnswer {
  status: number;
  body: unknown;
  retryAfterMs?: number;
}

export interface UploadRequest {
  headers: Record<string, string>;
  file: File;
  signal?: AbortSignal;
  onProgress?: (sentBytes: number, totalBytes: number) => void;
}

/** The part of a WebSocket that is used; only voice sends and hears bytes. */
export interface Socket {
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(): void;
  onmessage: ((text: string) => void) | null;
  onbinary?: ((bytes: ArrayBuffer) => void) | null;
  onclose: ((code: number) => void) | null;
}

/** A store of texts. `set` throws where nothing can be kept. */
export interface KeyValues {
  get(key: string): string | null;
  set(key: string, value: string): void;
  remove(key: string): void;
  keys(): string[];
}

/** The tabs of a conversation; nothing is open before `lead` was called. */
export interface Tabs {
  /** Join the others and wait for the lead; `lead` is called once it is had. Returns what gives it back and leaves. */
  lead(lead: () => void): () => void;
  /** Tell the others, if they were joined. */
  post(message: unknown): void;
  onmessage: ((message: unknown) => void) | null;
}
