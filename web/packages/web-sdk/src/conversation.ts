import { Connection, type ConnectionOwner } from "./connection.ts";
import type { ConnectionState } from "./connection-table.ts";
import type { Credentials } from "./credentials.ts";
import { Delivery, type DeliveryOwner } from "./delivery.ts";
import { AgentError } from "./errors.ts";
import { readHistory } from "./history.ts";
import { parsed } from "./json.ts";
import type { Entry, Outbox } from "./outbox.ts";
import type { KeyValues, Platform } from "./platform.ts";
import { sentenceOf } from "./sentences.ts";
import type { Bulletin } from "./tabs.ts";
import { Transcript, shown, type HistoryPage, type Happening } from "./transcript.ts";
import type { Message } from "./types.ts";
import type { ServerFrame } from "./wire.ts";

/** How long nothing may be heard while an answer is expected before the history is asked. */
export const STALL_MS = 15_000;
export const STALL_LONGEST_MS = 120_000;
/** How many frames of an answer are kept for tabs that join in the middle of it. */
const RECENT_MAX = 1_024;
/** What tells another tab about an answer that is being said. */
const OF_ANSWERS = new Set<ServerFrame["type"]>(["response_start", "response_restart", "response_chunk", "response_end", "error"]);

export interface Surroundings {
  platform: Platform;
  credentials: Credentials;
  store: KeyValues;
  outbox: Outbox;
  /** What the names of everything that is kept begin with. */
  prefix: string;
  endpoint: string;
  projectId: string;
  /** Tell the other tabs, if this one leads them. */
  tell(bulletin: Bulletin): void;
}

/** What is told to the clients of this page. */
export interface ConversationOwner {
  moved(state: ConnectionState, cause: AgentError | null): void;
  started(sessionId: string): void;
  ended(): void;
  happened(happening: Happening): void;
  entered(entry: Entry): void;
  written(id: string): void;
  failed(entry: Entry, error: AgentError): void;
  frame(frame: ServerFrame): void;
  changed(): void;
}

/** A conversation as every tab holds it, and the work of the one that has its socket. */
export class Conversation implements ConnectionOwner, DeliveryOwner {
  private readonly _world: Surroundings;
  private readonly _owner: ConversationOwner;
  private readonly _connection: Connection;
  private readonly _delivery: Delivery;
  private _transcript: Transcript | null = null;
  private _state: ConnectionState = "idle";
  private _leads = false;
  /** Whether the lines are all there up to what is heard. */
  private _isRecalled = false;
  private _recent: ServerFrame[] = [];
  private _shown: Message[] | null = null;
  private _cleared = new Set<string>();
  private _reading: Promise<void> | null = null;
  private _readAgain = false;
  private _stall: (() => void) | null = null;
  private _stallMs = STALL_MS;
  private _stopWanted = false;

  constructor(world: Surroundings, owner: ConversationOwner) {
    this._world = world;
    this._owner = owner;
    const url = world.endpoint.replace(/^http/, "ws") + "/ws/sdk";
    this._connection = new Connection(world.platform, world.credentials, url, this);
    this._delivery = new Delivery(world.platform, world.outbox, this);
  }

  get state(): ConnectionState {
    return this._state;
  }

  /** The lines, oldest first: what is settled, then what waits here. The same array until something changes. */
  messages(): Message[] {
    this._shown = this._shown ?? this._lines().filter((message) => !this._cleared.has(message.id));
    return this._shown;
  }

  get openId(): string | null {
    return this._transcript?.openId ?? null;
  }

  /** The message whose buttons or form can be answered now. */
  get openActions(): string | null {
    return this._transcript?.openActions ?? null;
  }

  clear(): void {
    for (const message of this.messages()) this._cleared.add(message.id);
    this._touch();
  }

  // -- what every tab does ----------------------------------------------------------------------------------------

  sessionId(): string | null {
    return this._state === "ready" && this._transcript ? this._transcript.sessionId : null;
  }

  /** The session that is shown, with a socket or without one. */
  shownSessionId(): string | null {
    return this._transcript?.sessionId ?? this._world.credentials.sessionId;
  }

  /** Show an entry that is new, or has changed. */
  enter(entry: Entry): void {
    if (this._transcript && (entry.sessionId === null || entry.sessionId === this._transcript.sessionId)) this._transcript.expect(entry);
    this._owner.entered(entry);
    this._touch();
  }

  /** Know that another tab has written an entry to the socket. */
  told(id: string): void {
    this._owner.written(id);
  }

  /** Know that an entry is over. */
  forget(id: string): void {
    this._world.outbox.remove(id);
    this._touch();
  }

  /** Take in a frame, heard by this tab or by the one that leads. */
  take(frame: ServerFrame): void {
    if (frame.type === "session_start") {
      this._begin(frame.sessionId, frame.lastSeq);
      this._isRecalled = this._isRecalled || !frame.resumed; // there is nothing to recall
    }
    if (OF_ANSWERS.has(frame.type)) this._apply(frame);
    this._owner.frame(frame);
    if (frame.type === "session_end") this._owner.ended();
  }

  /** Take in a page of the history, which may lack the answers that ended late: after it was asked for. */
  merge(sessionId: string, page: HistoryPage, late: number): void {
    this._begin(sessionId, null);
    const happened = this._transcript?.merge(page, this._transcript.endings - late) ?? [];
    if (this._leads && this._transcript) this._keepSeq(this._transcript);
    happened.forEach((happening) => this._owner.happened(happening));
    this._touch();
  }

  /** Stand where the leading tab says. */
  stand(state: ConnectionState, cause: AgentError | null): void {
    this._state = state;
    if (state === "ready" && !this._isRecalled) void this.read();
    this._owner.moved(state, cause);
    this._touch();
  }

  /** What a tab is told that joins: the frames of the answer that is being said. */
  recent(): ServerFrame[] {
    return [...this._recent];
  }

  /** Read what is finished, so that it is seen before anything else is heard. */
  async recall(): Promise<void> {
    const sessionId = this._world.credentials.sessionId;
    if (sessionId === null) return;
    this._begin(sessionId, null);
    if (!this._isRecalled) await this.read();
  }

  /** Read the newest page of the history; what is asked for meanwhile is read after it. */
  read(): Promise<void> {
    if (this._reading) this._readAgain = true;
    this._reading = this._reading ?? this._read().finally(() => {
      this._reading = null;
      if (this._readAgain) void this.read();
    });
    return this._reading;
  }

  // -- what the tab does that leads -------------------------------------------------------------------------------

  lead(): void {
    this._leads = true;
    if (this._world.outbox.load()) this._touch();
    this._connection.connect();
  }

  /** Connect where there is no connection, asked for or needed. */
  connect(): void {
    if (this._leads) this._connection.connect();
  }

  disconnect(): void {
    this._leads = false;
    this._connection.disconnect();
    this._stall?.();
    this._stall = null;
  }

  pump(): void {
    if (this._leads) this._delivery.pump();
  }

  /** Have the answer stop that is being said, now or as soon as there is a socket; what was said of it stays. */
  stop(): void {
    this._stopWanted = !this._connection.send({ type: "cancel" });
  }

  async prepare(): Promise<void> {
    await this.recall();
  }

  resumeFrom(): number | null {
    const sessionId = this._world.credentials.sessionId;
    if (sessionId === null || this._transcript?.sessionId !== sessionId) return null;
    return this._transcript.settledSeq;
  }

  heard(frame: ServerFrame): void {
    this._stallMs = STALL_MS;
    this._world.tell({ kind: "frame", frame });
    this.take(frame);
    this._delivery.hear(frame);
    if (frame.type === "session_start") this._started();
    if (frame.type === "resume_gap") void this.read();
    this._sweep();
    this._watch();
  }

  moved(state: ConnectionState, cause: AgentError | null): void {
    if (state !== "ready") this._delivery.lost();
    this._world.tell({ kind: "state", state, reason: cause?.reason ?? null });
    this.stand(state, cause);
    this._watch();
  }

  over(): void {
    const sessionId = this._transcript?.sessionId ?? null;
    if (sessionId === null) return;
    void this._readOnce().then((wasRead) => {
      for (const entry of this._world.outbox.all()) {
        if (entry.sessionId !== sessionId || entry.state === "failed") continue;
        if (this._transcript?.sessionId === sessionId && this._transcript.has(entry)) this.done(entry);
        else this._refuse(entry, wasRead || entry.state === "waiting");
      }
    });
  }

  write(frame: Parameters<Connection["send"]>[0]): boolean {
    return this._connection.send(frame);
  }

  written(entry: Entry): void {
    this._world.tell({ kind: "written", id: entry.id });
    this._owner.written(entry.id);
  }

  changed(entry: Entry): void {
    this._world.tell({ kind: "entry", entry });
    this.enter(entry);
    this._watch();
  }

  done(entry: Entry): void {
    this.forget(entry.id);
    this._world.tell({ kind: "gone", id: entry.id });
  }

  failed(entry: Entry, error: AgentError): void {
    this._transcript?.expect(entry); // a form that was not taken can be answered
    this._world.tell({ kind: "entry", entry });
    this._owner.failed(entry, error);
    this._touch();
  }

  silent(): void {
    this._connection.giveUp();
  }

  // -- within -----------------------------------------------------------------------------------------------------

  private _lines(): Message[] {
    const settled = this._transcript?.messages() ?? [];
    const waiting = this._world.outbox.all().filter((entry) => entry.kind !== "feedback" && !this._isSettled(entry));
    return [...settled, ...waiting.map(shown)];
  }

  private _isSettled(entry: Entry): boolean {
    return this._transcript?.has(entry) ?? false;
  }

  /** Hold the lines of a session: those of another one go, but for what was not sent. */
  private _begin(sessionId: string, seq: number | null): void {
    const world = this._world;
    if (this._transcript?.sessionId !== sessionId) {
      this._transcript = new Transcript(sessionId);
      this._recent = [];
      this._isRecalled = false;
      const kept = seqKept(world.store.get(world.prefix + "seq"), sessionId);
      if (kept !== null) this._transcript.begin(kept);
      for (const entry of world.outbox.all()) {
        if (entry.sessionId === null || entry.sessionId === sessionId) this._transcript.expect(entry);
      }
      this._owner.started(sessionId);
      this._touch();
    }
    if (seq === null || this._transcript.settledSeq !== null) return;
    this._transcript.begin(seq);
    if (this._leads) this._keepSeq(this._transcript);
  }

  private _apply(frame: ServerFrame): void {
    const transcript = this._transcript;
    if (!transcript || frame.sessionId !== transcript.sessionId) return;
    const settled = transcript.settledSeq;
    const happened = transcript.apply(frame);
    this._recent.push(frame);
    if (!transcript.isOpen || this._recent.length > RECENT_MAX) this._recent = [];
    if (this._leads && transcript.settledSeq !== settled) this._keepSeq(transcript);
    this._touch();
    for (const happening of happened) {
      if (happening.kind === "stranger" && this._leads) void this.read();
      this._owner.happened(happening);
    }
  }

  private _keepSeq({ sessionId, settledSeq }: Transcript): void {
    try {
      this._world.store.set(this._world.prefix + "seq", JSON.stringify({ sessionId, seq: settledSeq }));
    } catch {
      this._world.store.remove(this._world.prefix + "seq"); // a page that comes back hears more than it needs
    }
  }

  private async _read(): Promise<void> {
    do {
      this._readAgain = false;
      await this._readOnce();
    } while (this._readAgain);
  }

  private async _readOnce(): Promise<boolean> {
    const transcript = this._transcript;
    if (!transcript) return false;
    const { platform, credentials, endpoint, projectId } = this._world;
    const { sessionId, endings } = transcript;
    const page = await readHistory(platform, credentials, endpoint, { projectId, sessionId });
    if (page === null || this._transcript !== transcript) return false;
    this._isRecalled = true;
    this._world.tell({ kind: "history", sessionId, page, late: transcript.endings - endings });
    this.merge(sessionId, page, transcript.endings - endings);
    this._sweep();
    return true;
  }

  private _started(): void {
    for (const entry of this._world.outbox.all()) {
      if (entry.state === "acknowledged" && entry.sessionId !== this._transcript?.sessionId) this._refuse(entry, false);
    }
    if (this._stopWanted) this.stop();
    this._delivery.pump();
  }

  /** Forget entries whose answer is there: from now on the history has them. */
  private _sweep(): void {
    if (!this._leads || !this._transcript) return;
    for (const entry of this._world.outbox.all()) {
      if (entry.state === "acknowledged" && this._transcript.isAnswered(entry)) this.done(entry);
    }
  }

  private _refuse(entry: Entry, isKnown: boolean): void {
    const reason = isKnown ? "session_ended" : "outcome_unknown";
    const kept: Entry = { ...entry, state: "failed", failure: reason };
    this._world.outbox.settle(kept);
    this.failed(kept, new AgentError(reason, sentenceOf(reason), { messageId: entry.id }));
  }

  /** Ask, while an answer is expected and nothing comes: a frame may be lost that no number tells of. */
  private _watch(): void {
    this._stall?.();
    this._stall = null;
    const isWaiting = this._transcript?.isOpen || this._world.outbox.all().some((entry) => entry.state === "acknowledged");
    if (this._state !== "ready" || !this._leads || !isWaiting) return;
    this._stall = this._world.platform.after(this._stallMs, () => {
      this._stallMs = Math.min(this._stallMs * 2, STALL_LONGEST_MS);
      this._connection.probe();
      void this.read().then(() => this._watch());
    });
  }

  private _touch(): void {
    this._shown = null;
    this._owner.changed();
  }
}

function seqKept(text: string | null, sessionId: string): number | null {
  const kept = parsed<{ sessionId?: unknown; seq?: unknown }>(text);
  return kept?.sessionId === sessionId && typeof kept.seq === "number" ? kept.seq : null;
}
