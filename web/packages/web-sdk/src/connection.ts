import { ATTEMPTS_MAX, LONGEST_DELAY_MS, delayMs } from "./backoff.ts";
import { after, reactionTo, type ConnectionEvent, type ConnectionState } from "./connection-table.ts";
import type { Credentials } from "./credentials.ts";
import { AgentError } from "./errors.ts";
import { parsed } from "./json.ts";
import type { Platform, Socket } from "./platform.ts";
import { CLOSE_CODES, type ClientFrame, type ServerFrame } from "./wire.ts";

/** How long a socket may take to say `session_start`. Spec: platform-api 12.3. */
export const OPENING_MS = 10_000;
/** How long a socket that was asked may be silent before it is taken for dead. */
export const PONG_MS = 5_000;

/** How often a session may not be there before there is none. */
const MISSED_MAX = 3;

export interface ConnectionOwner {
  /** Called with a token, before a socket is opened with it. */
  prepare(): Promise<void>;
  /** From which number on the socket is to tell; null: from now on. */
  resumeFrom(): number | null;
  heard(frame: ServerFrame): void;
  /** The session is over, or there is none; its token can be used for the last time before this returns. */
  over(): void;
  /** A state was entered; `cause` says why where something went wrong. */
  moved(state: ConnectionState, cause: AgentError | null): void;
}

/** One socket at a time, and what is done when it goes: the table of `connection-table.ts` with its effects. */
export class Connection {
  private readonly _platform: Platform;
  private readonly _credentials: Credentials;
  private readonly _url: string;
  private readonly _owner: ConnectionOwner;
  private _state: ConnectionState = "idle";
  private _socket: Socket | null = null;
  private _attempts = 0;
  private _leastMs = 0;
  /** How often in a row the session was not there. */
  private _missed = 0;
  private _hasEnded = false;
  private _stops: Array<() => void> = [];
  private _sleepless: (() => void) | null = null;
  private _probing: (() => void) | null = null;
  private _renewing: (() => void) | null = null;

  /** @param url Of the socket, without its query. */
  constructor(platform: Platform, credentials: Credentials, url: string, owner: ConnectionOwner) {
    this._platform = platform;
    this._credentials = credentials;
    this._url = url;
    this._owner = owner;
  }

  get state(): ConnectionState {
    return this._state;
  }

  connect(): void {
    this._sleepless = this._sleepless ?? this._platform.onWake(() => this._wake());
    this._attempts = 0;
    this._move("connect");
  }

  disconnect(): void {
    this._sleepless?.();
    this._sleepless = null;
    this._move("disconnect");
  }

  /** Write a frame; returns whether there was a socket to write it to. */
  send(frame: ClientFrame): boolean {
    if (this._state !== "ready" || !this._socket) return false;
    this._socket.send(JSON.stringify(frame));
    return true;
  }

  /** Ask whether anybody is there; a socket that stays silent is given up. */
  probe(): void {
    if (this._probing || !this.send({ type: "ping" })) return;
    this._probing = this._platform.after(PONG_MS, () => this.giveUp());
  }

  /** Take the socket for dead and open another one. */
  giveUp(): void {
    this._move("lost", new AgentError("unreachable", "The platform has fallen silent"));
  }

  private _move(event: ConnectionEvent, cause: AgentError | null = null): void {
    const next = after(this._state, event);
    if (next === this._state) return;
    this._state = next;
    this._leave();
    if (next === "authorizing") void this._authorize();
    if (next === "opening") this._open();
    if (next === "ready") this._settled();
    if (next === "pausing" && this._attempts >= ATTEMPTS_MAX) {
      this._move("spent", new AgentError("gave_up", "The platform cannot be reached", { cause }));
      return;
    }
    if (next === "pausing") this._pause();
    this._owner.moved(next, cause);
  }

  /** Stop every timer of the state that was left; a socket goes on from opening to ready only. */
  private _leave(): void {
    this._stops.splice(0).forEach((stop) => stop());
    if (this._state === "ready") return;
    this._heardSomething();
    this._renewing?.();
    this._renewing = null;
    const socket = this._socket;
    this._socket = null;
    if (!socket) return;
    socket.onmessage = socket.onclose = null;
    socket.close();
  }

  private async _authorize(): Promise<void> {
    let isCurrent = true;
    this._stops.push(() => (isCurrent = false));
    try {
      await this._credentials.token();
      if (isCurrent) await this._owner.prepare();
      if (isCurrent) this._move("authorized");
    } catch (error) {
      if (!isCurrent) return;
      const cause = error instanceof AgentError ? error : new AgentError("protocol", "The platform cannot be asked", { cause: error });
      this._leastMs = cause.retryAfterMs ?? 0;
      this._move(cause.reason === "unreachable" ? "lost" : "denied", cause);
    }
  }

  private _open(): void {
    const seq = this._owner.resumeFrom();
    let isCurrent = true;
    this._stops.push(() => (isCurrent = false));
    const open = (token: string): void => {
      if (!isCurrent) return;
      const socket = this._platform.openSocket(this._url + (seq === null ? "" : `?lastSeq=${seq}`), ["sdk-auth", token]);
      this._socket = socket;
      socket.onmessage = (text) => this._hear(text);
      socket.onclose = (code) => this._closed(code);
    };
    this._credentials.token().then(open, () => isCurrent && this.giveUp());
    this._stops.push(this._platform.after(OPENING_MS, () => this.giveUp()));
  }

  private _hear(text: string): void {
    this._heardSomething();
    const frame = read(text);
    if (frame === null) return;
    if (frame.type === "session_start") {
      this._credentials.started(frame.sessionId, frame.resumeToken);
      this._move("started");
    } else if (frame.type !== "error") this._missed = 0;
    this._hasEnded = frame.type === "error" && frame.fatal && frame.code === "SESSION_ENDED";
    if (frame.type === "server_draining") this._leastMs = frame.reconnectAfterMs;
    this._owner.heard(frame);
    if (frame.type === "session_end") {
      this._sessionIsOver();
      this._move("session_over");
    }
  }

  private _heardSomething(): void {
    this._probing?.();
    this._probing = null;
  }

  private _closed(code: number): void {
    const { event, drops, attempt = 0 } = this._isMissing(code) ? reactionTo(CLOSE_CODES.GOING_AWAY) : reactionTo(code);
    if (drops === "token") this._credentials.dropToken();
    if (drops === "session") this._sessionIsOver();
    this._attempts = Math.max(this._attempts, attempt - 1);
    this._move(event, new AgentError("unreachable", `The connection was closed (${code})`));
  }

  /**
   * Whether a session is not there that may be at the next look: one in which nothing was said is removed when its last
   * socket leaves, also while the next one comes, and made again under the same token.
   */
  private _isMissing(code: number): boolean {
    if (code !== CLOSE_CODES.NO_SESSION || this._hasEnded) return false;
    this._missed += 1;
    return this._missed < MISSED_MAX;
  }

  private _sessionIsOver(): void {
    this._owner.over();
    this._credentials.dropSession();
  }

  private _settled(): void {
    this._attempts = 0;
    this._leastMs = 0;
    this._renewLater();
  }

  /** Renew the token early, so that the next socket needs no way back that may have ended meanwhile. */
  private _renewLater(): void {
    this._renewing = this._platform.after(this._credentials.renewInMs, () => {
      this._credentials.renew().then(
        () => this._state === "ready" && this._renewLater(),
        () => this._state === "ready" && this._renewLater(), // the next attempt is as good; a socket that is open goes on
      );
    });
  }

  private _pause(): void {
    if (!this._platform.isOnline()) {
      this._stops.push(this._platform.after(LONGEST_DELAY_MS, () => this._move("wake")));
      return;
    }
    this._attempts += 1;
    const wait = delayMs(this._attempts, this._platform.random(), this._leastMs);
    this._leastMs = 0;
    this._stops.push(this._platform.after(wait, () => this._move("wake")));
  }

  private _wake(): void {
    if (this._state === "ready") this.probe();
    if (this._state !== "pausing" && this._state !== "exhausted") return;
    this._attempts = 0;
    this._move("wake");
  }
}

/** Return a frame, null for what is none: a later server may say what this client does not know. */
function read(text: string): ServerFrame | null {
  const frame = parsed<Partial<ServerFrame>>(text);
  return typeof frame?.type === "string" ? (frame as ServerFrame) : null;
}
