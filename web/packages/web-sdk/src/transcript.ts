import { ActionSets, wordsOf } from "./action-sets.ts";
import { answerId, spokenId } from "./derived-ids.ts";
import type { Reason } from "./errors.ts";
import type { Entry } from "./outbox.ts";
import type { ActionSet, ActionState, AttachmentRef, Message, MessageStatus, RichContent, Role, SentAnswer } from "./types.ts";
import type { ErrorFrame, ResponseChunkFrame, ResponseEndFrame, ServerFrame } from "./wire.ts";

/** A line as the history has it. Spec: platform-api 5.9. */
export interface HistoryLine {
  id: string;
  role: Role;
  content: string;
  timestamp: string;
  agentName?: string;
  attachments?: AttachmentRef[];
  richContent?: RichContent;
  actions?: ActionSet;
  interrupted?: boolean;
  metadata?: Record<string, unknown>;
  /** The id that a page gave the message. */
  clientMessageId?: string;
  /** Of a message that shows buttons or a form; as of the newest turn. */
  actionState?: ActionState;
  answer?: SentAnswer;
}

/** The newest lines, oldest first, and where the output of the session goes on behind them. Decision: 0076. */
export interface HistoryPage {
  lines: HistoryLine[];
  /** Null where nobody knows: in sessions of earlier versions. */
  lastSeq: number | null;
  openActions: string | null;
}

/** What a frame has changed, for whoever shows it while it happens. */
export type Happening =
  | { kind: "began"; id: string }
  | { kind: "chunk"; id: string; chunk: string }
  | { kind: "restarted"; id: string; attempt: number }
  | { kind: "said"; message: Message }
  | { kind: "failed"; id: string; reason: Reason; code: string; text: string }
  /** An answer to nothing that this browser has sent: somebody else has spoken in the session. */
  | { kind: "stranger" };

interface Line {
  message: Message;
  /** The id that the server knows it by. */
  serverId: string;
  chunks: Map<number, string>;
  /** Chunks below this number are of an attempt that was given up. */
  voidBelow: number;
  attempt: number;
  isOver: boolean;
  /** When it ended, on a count of endings; 0 where it was over before this page knew it. */
  ended: number;
}

/**
 * The lines of a session: the fold of frames, of pages of the history, and of what was sent from here. Each frame counts
 * once whatever its order and however often it comes; what is over stays as it is.
 */
export class Transcript {
  private _lines: Line[] = [];
  private _byServerId = new Map<string, Line>();
  private _ids = new Map<string, { answer: string; spoken: string }>();
  private _answers = new Map<string, Entry>();
  private _spoken = new Map<string, Entry>();
  /** What the history itself says is a message of this browser. */
  private _told = new Set<string>();
  private _sets = new ActionSets();
  private _endings = 0;
  private _sessionId: string;
  private _settledSeq: number | null = null;

  constructor(sessionId: string) {
    this._sessionId = sessionId;
  }

  get sessionId(): string {
    return this._sessionId;
  }

  /** The number up to which nothing has to be heard again; null before any is known. */
  get settledSeq(): number | null {
    return this._settledSeq;
  }

  /** How many answers have ended; given back to `merge` by who begins to read the history. */
  get endings(): number {
    return this._endings;
  }

  get isOpen(): boolean {
    return this._lines.some((line) => !line.isOver);
  }

  /** The answer that is being said, if one is. */
  get openId(): string | null {
    return this._lines.find((line) => !line.isOver)?.message.id ?? null;
  }

  messages(): Message[] {
    return this._lines.map((line) => line.message);
  }

  /** The message whose buttons or form can be answered now. */
  get openActions(): string | null {
    return this._sets.open(this.messages());
  }

  /** Hear from here on, where it was not heard before. */
  begin(seq: number): void {
    this._settledSeq = this._settledSeq ?? seq;
  }

  /** Know the answer to an entry when it comes. */
  expect(entry: Entry): void {
    if (entry.kind === "feedback") return;
    this._sets.sends(entry);
    this._mark();
    const { answer, spoken } = this._idsOf(entry);
    this._answers.set(answer, entry);
    this._spoken.set(spoken, entry);
  }

  /** Whether an entry has its line, its answer over: nothing is to be waited for any more. */
  isAnswered(entry: Entry): boolean {
    const answer = this._byServerId.get(this._idsOf(entry).answer);
    return answer ? answer.isOver : this.has(entry);
  }

  /** Whether an entry has its line among the others. */
  has(entry: Entry): boolean {
    return this._told.has(entry.id) || this._byServerId.has(this._idsOf(entry).spoken);
  }

  apply(frame: ServerFrame): Happening[] {
    switch (frame.type) {
      case "response_start":
        if (frame.answers) this._sets.answered(frame.answers, this._sets.sent(this._answers.get(frame.messageId)?.id));
        this._mark();
        return this._open(frame.messageId, frame.timestamp, frame.agentName).concat(
          (frame.attempt ?? 1) > this._at(frame.messageId).attempt ? this._restart(frame.messageId, frame.attempt ?? 1, frame.seq) : [],
        );
      case "response_restart":
        return this._open(frame.messageId, frame.timestamp).concat(this._restart(frame.messageId, frame.attempt, frame.seq));
      case "response_chunk":
        return this._open(frame.messageId, frame.timestamp).concat(this._grow(frame));
      case "response_end":
        return this._end(frame);
      case "error":
        return this._fail(frame);
      default:
        return [];
    }
  }

  /**
   * Take in the newest page of the history. Everything up to its `lastSeq` is in it, and need not be heard again.
   *
   * @param endings What `endings` was when it was asked for: what ended since may be missing in it.
   */
  merge({ lines: page, lastSeq, openActions }: HistoryPage, endings: number): Happening[] {
    const before = this._lines;
    const happened: Happening[] = [];
    const told = page.map((one) => {
      const line = this._byServerId.get(one.id) ?? this._line(one.id, one.role, one.timestamp);
      if (!line.isOver) {
        this._settle(line, one);
        if (one.role === "assistant" && before.includes(line)) happened.push({ kind: "said", message: line.message });
      }
      if (one.clientMessageId) this._told.add(one.clientMessageId);
      line.ended = 0; // the history has it, now and later
      if (one.actionState === "answered") this._sets.answered(one.id, one.answer ?? null);
      return line;
    });
    for (const { actions, answer } of page) {
      const spoken = answer && this._byServerId.get(answer.messageId);
      const content = spoken && wordsOf(actions, answer); // as it was shown when it was sent
      if (content && content !== spoken.message.content) this._change(spoken, { content });
    }
    const isTold = new Set(told);
    const merged = [...told];
    const younger: Line[] = [];
    let previous: Line | null = null;
    for (const line of before) {
      if (!isTold.has(line)) {
        if (this._mayBeMissing(line, endings)) younger.push(line);
        else merged.splice(previous ? merged.indexOf(previous) + 1 : 0, 0, line);
      }
      if (!younger.includes(line)) previous = line;
    }
    this._lines = [...merged, ...younger];
    this._sets.openAt(lastSeq ?? 0, openActions);
    const isJoined = !before.length || before.some((line) => isTold.has(line)); // else lines between are missing: hear them
    if (lastSeq !== null && isJoined) this._settledSeq = Math.max(this._settledSeq ?? 0, lastSeq);
    this._mark();
    return happened;
  }

  /** Put a message of this browser where its answer, or nothing yet, follows. */
  private _place(entry: Entry): void {
    const { spoken } = this._idsOf(entry);
    if (this._byServerId.has(spoken)) return;
    const line = this._line(spoken, "user", new Date(entry.at).toISOString());
    line.message = { ...shown(entry), status: "done" };
    line.isOver = true;
    line.ended = this._endings + 1; // it is in the history once its answer is
    this._lines.push(line);
  }

  /** The ids of an entry's turn; making them costs too much for every frame. */
  private _idsOf({ id }: Entry): { answer: string; spoken: string } {
    const known = this._ids.get(id) ?? { answer: answerId(this._sessionId, id), spoken: spokenId(this._sessionId, id) };
    this._ids.set(id, known);
    return known;
  }

  private _mayBeMissing(line: Line, endings: number): boolean {
    return !line.isOver || line.ended > endings;
  }

  private _at(serverId: string): Line {
    return this._byServerId.get(serverId)!;
  }

  private _line(serverId: string, role: Role, timestamp: string): Line {
    const message: Message = { id: this._spoken.get(serverId)?.id ?? serverId, role, content: "", timestamp: new Date(timestamp), status: "streaming" };
    const line: Line = { message, serverId, chunks: new Map(), voidBelow: 0, attempt: 1, isOver: false, ended: 0 };
    this._byServerId.set(serverId, line);
    return line;
  }

  /** Have a line for an answer, behind what it answers. */
  private _open(serverId: string, timestamp: string, agentName = ""): Happening[] {
    const known = this._byServerId.get(serverId);
    if (known) {
      if (agentName && !known.isOver) this._change(known, { agentName });
      return [];
    }
    const entry = this._answers.get(serverId);
    if (entry) this._place(entry);
    const line = this._line(serverId, "assistant", timestamp);
    if (agentName) line.message = { ...line.message, agentName };
    this._lines.push(line);
    return [{ kind: "began", id: line.message.id }];
  }

  private _restart(serverId: string, attempt: number, seq: number): Happening[] {
    const line = this._at(serverId);
    if (line.isOver || (attempt <= line.attempt && seq <= line.voidBelow)) return [];
    line.attempt = Math.max(attempt, line.attempt);
    line.voidBelow = Math.max(seq, line.voidBelow);
    const hadText = line.message.content !== "";
    this._change(line, { content: text(line) });
    return hadText ? [{ kind: "restarted", id: line.message.id, attempt }] : [];
  }

  private _grow(frame: ResponseChunkFrame): Happening[] {
    const line = this._at(frame.messageId);
    if (line.isOver || frame.seq < line.voidBelow || line.chunks.has(frame.seq)) return [];
    const isLast = [...line.chunks.keys()].every((seq) => seq < frame.seq);
    line.chunks.set(frame.seq, frame.chunk);
    const content = isLast ? line.message.content + frame.chunk : text(line);
    this._change(line, { content });
    const id = line.message.id;
    if (isLast) return [{ kind: "chunk", id, chunk: frame.chunk }];
    return [{ kind: "restarted", id, attempt: line.attempt }, { kind: "chunk", id, chunk: content }];
  }

  private _end(frame: ResponseEndFrame): Happening[] {
    const happened = this._open(frame.messageId, frame.timestamp);
    const line = this._at(frame.messageId);
    if (line.isOver) return happened;
    this._over(line, "done", frame.seq);
    line.message = {
      ...line.message,
      content: frame.fullText,
      timestamp: new Date(frame.timestamp),
      ...(frame.richContent ? { richContent: frame.richContent as RichContent } : {}),
      ...(frame.actions ? { actions: frame.actions as unknown as ActionSet } : {}),
      ...(frame.metadata ? { metadata: frame.metadata } : {}),
      ...(frame.interrupted ? { interrupted: true } : {}),
    };
    this._sets.openAt(frame.seq, frame.openActions ?? null);
    this._mark();
    happened.push({ kind: "said", message: line.message });
    if (!this._answers.has(frame.messageId)) happened.push({ kind: "stranger" });
    return happened;
  }

  /** Have an answer be over that did not come to be. */
  private _fail({ messageId, code, message, seq, timestamp, openActions }: ErrorFrame): Happening[] {
    const serverId = messageId ?? "";
    const entry = this._answers.get(serverId);
    if (!entry && !this._byServerId.has(serverId)) return [];
    const happened = this._open(serverId, timestamp);
    const line = this._at(serverId);
    if (line.isOver) return happened;
    this._over(line, "failed", seq);
    line.message = { ...line.message, failure: "turn_failed" };
    this._sets.openAt(seq, openActions ?? null); // null is not written
    this._mark();
    happened.push({ kind: "failed", id: line.message.id, reason: "turn_failed", code, text: message });
    return happened;
  }

  private _settle(line: Line, told: HistoryLine): void {
    const { id: _, clientMessageId, timestamp, ...rest } = told;
    line.message = { ...line.message, ...rest, id: clientMessageId ?? line.message.id, timestamp: new Date(timestamp), status: "done" };
    line.isOver = true;
    line.chunks.clear();
  }

  private _over(line: Line, status: MessageStatus, seq: number): void {
    line.isOver = true;
    line.chunks.clear();
    this._endings += 1;
    line.ended = this._endings;
    this._change(line, { status });
    if (!this.isOpen) this._settledSeq = Math.max(this._settledSeq ?? 0, seq);
  }

  /** Say of the lines that show actions what became of them. */
  private _mark(): void {
    for (const line of this._lines) if (line.isOver && line.message.role === "assistant") line.message = this._sets.marked(line.message);
  }

  private _change(line: Line, change: Partial<Message>): void {
    line.message = { ...line.message, ...change };
  }
}

const SHOWN = new WeakMap<Entry, Message>();

/** Return an entry as a line of the conversation; the same object for the same entry. */
export function shown(entry: Entry): Message {
  const known = SHOWN.get(entry);
  if (known) return known;
  const message: Message = { id: entry.id, role: "user", content: entry.text, timestamp: new Date(entry.at), status: entry.state };
  if (entry.failure) message.failure = entry.failure;
  SHOWN.set(entry, message);
  return message;
}

function text(line: Line): string {
  const seqs = [...line.chunks.keys()].filter((seq) => seq >= line.voidBelow).sort((one, other) => one - other);
  return seqs.map((seq) => line.chunks.get(seq)).join("");
}
