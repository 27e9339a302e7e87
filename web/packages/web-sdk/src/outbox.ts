import { AgentError, type Reason } from "./errors.ts";
import { parsed } from "./json.ts";
import type { KeyValues } from "./platform.ts";
import { KNOWN_AGAIN, type ClientFrame } from "./wire.ts";

/** How many messages may wait; one more is refused, and said so. */
export const OUTBOX_MAX = 100;
/**
 * How long after it was first written a message may be written again. The server knows its id for 24 hours (platform-api
 * 4.1, decision 0008); the hour less is for clocks that disagree.
 */
export const REPEATABLE_MS = 23 * 60 * 60_000;

/** What is to be said, kept from before it is sent until it is known what became of it. */
export interface Entry {
  /** The id under which it is sent, each time. */
  id: string;
  kind: "message" | "action" | "feedback";
  frame: ClientFrame;
  /** What the page shows of it. */
  text: string;
  /** When it was written here; also its place in the line. */
  at: number;
  /** The session that it was written for, or first sent in; null before there was one. */
  sessionId: string | null;
  /** When it was first given to a socket. */
  sentAt: number | null;
  state: "waiting" | "acknowledged" | "failed";
  failure: Reason | null;
}

export type Verdict = "send" | Reason;

/**
 * Return whether an entry may be written to a socket of this session. Whatever may have arrived before is written again
 * only where the server is sure to know it again; the rest is for its author to decide.
 */
export function judge(entry: Entry, sessionId: string, now: number): Verdict {
  if (entry.sessionId !== null && entry.sessionId !== sessionId) return "session_ended";
  if (entry.sentAt === null) return "send";
  if (entry.kind === "action" && !KNOWN_AGAIN.includes(entry.frame.type)) return "outcome_unknown";
  if (Math.abs(now - entry.sentAt) > REPEATABLE_MS) return "too_old";
  return "send";
}

/** The entries of a conversation, oldest first: in memory, and each under a key of its own in the browser's store. */
export class Outbox {
  private readonly _store: KeyValues;
  private readonly _prefix: string;
  private _entries = new Map<string, Entry>();
  private _lastAt = 0;

  constructor(store: KeyValues, prefix: string) {
    this._store = store;
    this._prefix = prefix;
    this.load();
  }

  /** Take in what is in the store: of an earlier page, or of another tab. Returns whether anything was new. */
  load(): boolean {
    let isNew = false;
    for (const key of this._store.keys()) {
      if (!key.startsWith(this._prefix) || this._entries.has(key.slice(this._prefix.length))) continue;
      const entry = read(this._store.get(key));
      if (entry === null) continue;
      this._entries.set(entry.id, entry);
      isNew = true;
    }
    return isNew;
  }

  all(): Entry[] {
    return [...this._entries.values()].sort((one, other) => one.at - other.at || (one.id < other.id ? -1 : 1));
  }

  get(id: string): Entry | undefined {
    return this._entries.get(id);
  }

  /** The next one to be sent. */
  next(): Entry | undefined {
    return this.all().find((entry) => entry.state === "waiting");
  }

  /** Return a moment behind that of every entry, also when the clock was set back. */
  moment(now: number): number {
    this._lastAt = Math.max(now, this._lastAt + 1, ...this.all().map((entry) => entry.at + 1));
    return this._lastAt;
  }

  /** Keep a new entry. Throws AgentError: nothing is promised that is not kept. */
  add(entry: Entry): void {
    if (this._entries.size >= OUTBOX_MAX) throw new AgentError("outbox_full", "Too many messages wait to be sent");
    this.keep(entry);
  }

  /** Keep an entry as it is now. Throws AgentError. */
  keep(entry: Entry): void {
    try {
      this._store.set(this._prefix + entry.id, JSON.stringify(entry));
    } catch (error) {
      throw new AgentError("storage_failed", "The browser has no room for the message", { messageId: entry.id, cause: error });
    }
    this._entries.set(entry.id, entry);
  }

  /** Keep an entry that will not be sent any more; where there is no room for that it is judged again after a reload. */
  settle(entry: Entry): void {
    try {
      this.keep(entry);
    } catch {
      this.remove(entry.id);
      this.mirror(entry);
    }
  }

  /** Take an entry as another tab has kept it. */
  mirror(entry: Entry): void {
    this._entries.set(entry.id, entry);
  }

  /** Take an entry away, or what another tab has taken away. */
  remove(id: string): void {
    this._entries.delete(id);
    this._store.remove(this._prefix + id);
  }
}

function read(text: string | null): Entry | null {
  const entry = parsed<Partial<Entry>>(text);
  return typeof entry?.id === "string" && typeof entry.at === "number" && typeof entry.frame?.type === "string" ? (entry as Entry) : null;
}
