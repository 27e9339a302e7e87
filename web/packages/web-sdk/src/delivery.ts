import { AgentError, type Reason } from "./errors.ts";
import { judge, type Entry, type Outbox } from "./outbox.ts";
import type { Platform } from "./platform.ts";
import { sentenceOf } from "./sentences.ts";
import type { ClientFrame, ErrorFrame, ServerFrame } from "./wire.ts";

/** How long a message may go unacknowledged on an open socket before it is written again. */
export const ACK_MS = 8_000;
/** After how many unacknowledged writes a socket is taken for dead. */
export const WRITES_PER_SOCKET_MAX = 3;
/** After how many refusals for now a message is refused for good. */
export const REFUSALS_MAX = 20;
export const REFUSED_PAUSE_MS = 1_000;
const PASSING = new Set(["RATE_LIMIT_EXCEEDED", "QUEUE_FULL", "SERVICE_UNAVAILABLE", "INTERNAL_ERROR", "WORKER_LOST"]);

export interface DeliveryOwner {
  /** The session of the open socket; null while there is none. */
  sessionId(): string | null;
  write(frame: ClientFrame): boolean;
  written(entry: Entry): void;
  changed(entry: Entry): void;
  done(entry: Entry): void;
  failed(entry: Entry, error: AgentError): void;
  silent(): void;
}

/**
 * Takes the outbox to the server, one entry at a time so that their order stands, each until it is acknowledged or
 * refused. What an entry has been through is kept before it is written to a socket.
 */
export class Delivery {
  private readonly _platform: Platform;
  private readonly _outbox: Outbox;
  private readonly _owner: DeliveryOwner;
  private _inFlight: { id: string; writes: number } | null = null;
  private _refusals = 0;
  private _stop: (() => void) | null = null;

  constructor(platform: Platform, outbox: Outbox, owner: DeliveryOwner) {
    this._platform = platform;
    this._outbox = outbox;
    this._owner = owner;
  }

  /** Send what waits, if anything can be sent now. */
  pump(): void {
    if (this._inFlight || this._stop) return;
    for (;;) {
      const sessionId = this._owner.sessionId();
      const entry = sessionId === null ? undefined : this._outbox.next();
      if (sessionId === null || !entry) return;
      const verdict = judge(entry, sessionId, this._platform.now());
      if (verdict !== "send") {
        this._fail(entry, verdict, sentenceOf(verdict));
        continue;
      }
      this._inFlight = { id: entry.id, writes: 0 };
      this._write(entry, sessionId);
      return;
    }
  }

  /** Begin again with the next socket: whatever was under way may have been lost. */
  lost(): void {
    this._inFlight = null;
    this._refusals = 0;
    this._pauseEnds();
  }

  /** Take an answer to what was sent; returns whether the frame was one. */
  hear(frame: ServerFrame): boolean {
    switch (frame.type) {
      case "message_ack":
        return this._acknowledged(this._outbox.get(frame.replyTo ?? frame.messageId));
      case "feedback.ack": {
        const entry = this._outbox.get(frame.replyTo ?? "");
        if (!entry) return true;
        this._landed(entry.id);
        if (frame.success) this._owner.done(entry);
        else this._fail(entry, "feedback_refused", frame.error?.message ?? sentenceOf("feedback_refused"), frame.error?.code);
        this.pump();
        return true;
      }
      case "error":
        return this._refused(frame);
      default:
        return false;
    }
  }

  private _write(entry: Entry, sessionId: string): void {
    const isFirst = entry.sentAt === null;
    const kept: Entry = { ...entry, sessionId, sentAt: entry.sentAt ?? this._platform.now() };
    if (isFirst && !this._kept(kept)) return; // before anybody else can know of it
    const flight = this._inFlight;
    if (!flight || !this._owner.write(framed(kept, sessionId, isFirst))) {
      this.lost();
      return;
    }
    flight.writes += 1;
    this._stop = this._platform.after(ACK_MS, () => this._unheard(entry.id, sessionId));
    if (isFirst) this._owner.written(kept);
  }

  private _unheard(id: string, sessionId: string): void {
    this._stop = null;
    const entry = this._outbox.get(id);
    if (this._inFlight?.id !== id || !entry) return;
    if (this._inFlight.writes >= WRITES_PER_SOCKET_MAX || judge(entry, sessionId, this._platform.now()) !== "send") {
      this.lost();
      this._owner.silent();
      return;
    }
    this._write(entry, sessionId);
  }

  private _acknowledged(entry: Entry | undefined): boolean {
    if (!entry) return true;
    this._landed(entry.id);
    if (entry.state === "waiting") this._kept({ ...entry, state: "acknowledged" });
    this.pump();
    return true;
  }

  private _refused(frame: ErrorFrame): boolean {
    const entry = this._outbox.get(frame.replyTo ?? "") ?? this._outbox.get(frame.messageId ?? "");
    if (!entry) return false;
    if (entry.state === "failed") return true;
    const mayPass = PASSING.has(frame.code) && entry.state === "waiting" && this._refusals < REFUSALS_MAX;
    this._landed(entry.id);
    if (mayPass) {
      this._refusals += 1;
      const pauseMs = frame.retryAfterMs ?? REFUSED_PAUSE_MS * this._refusals;
      this._pauseEnds();
      this._stop = this._platform.after(pauseMs, () => {
        this._stop = null;
        this.pump();
      });
      return true;
    }
    this._refusals = 0;
    this._fail(entry, frame.code === "SESSION_ENDED" ? "session_ended" : "refused", frame.message, frame.code);
    this.pump();
    return true;
  }

  /** Know that an entry is under way no more. */
  private _landed(id: string): void {
    if (this._inFlight?.id !== id) return;
    this._inFlight = null;
    this._pauseEnds();
  }

  private _pauseEnds(): void {
    this._stop?.();
    this._stop = null;
  }

  /** Keep what an entry has come to; where the browser keeps nothing any more it is not sent. */
  private _kept(entry: Entry): boolean {
    try {
      this._outbox.keep(entry);
    } catch (error) {
      if (entry.state === "acknowledged") this._outbox.mirror(entry); // the server has it
      else this._fail(entry, "storage_failed", error instanceof Error ? error.message : sentenceOf("storage_failed"));
      return false;
    }
    this._owner.changed(entry);
    return true;
  }

  private _fail(entry: Entry, reason: Reason, message: string, code = ""): void {
    const kept: Entry = { ...entry, state: "failed", failure: reason };
    this._landed(entry.id);
    this._outbox.settle(kept);
    this._owner.failed(kept, new AgentError(reason, message, { messageId: entry.id, ...(code ? { code } : {}) }));
  }
}

/**
 * Return an entry as it is written. A second time an interruption is a plain message: what it was to stop may have been
 * stopped, and it would stop its own answer.
 */
function framed(entry: Entry, sessionId: string, isFirst: boolean): ClientFrame {
  const frame = { ...entry.frame, id: entry.id, sessionId };
  if (frame.type === "typed_interrupt" && !isFirst) {
    return { type: "chat_message", text: frame.text, messageId: entry.id, id: entry.id, sessionId };
  }
  return frame;
}
