import { answerId, spokenId } from "../src/derived-ids.ts";
import type { HttpAnswer, HttpRequest, Socket } from "../src/platform.ts";
import type { HistoryLine } from "../src/transcript.ts";
import type { ActionSet, SentAnswer } from "../src/types.ts";
import type { ClientFrame, ServerFrame } from "../src/wire.ts";
import type { FakeClock } from "./clock.ts";

const TOKEN_S = 900;
const STEP_MS = 10;
/** What numbers leap by when a turn is taken up by another process. */
const LEAP = 10_000;
export const WORDS = ["heard ", "it ", "all: "];

/** What the agent shows beside its answer to this text; the buttons say what they are pressed for. */
export const FORM_FOR = "form";
const FORM: ActionSet = { elements: [{ id: "yes", type: "button", label: "Yes", value: "yes" }], render_id: "r" };

type Body<Frame> = Frame extends ServerFrame ? Omit<Frame, "sessionId" | "seq" | "timestamp"> : never;

interface Turn {
  messageId: string;
  text: string;
  attempt: number;
  /** Which message's set it answers, and how. */
  answers?: { messageId: string; by: SentAnswer };
}

interface Session {
  id: string;
  family: string;
  seq: number;
  /** Number of the last event of the newest turn that has ended. */
  endSeq: number;
  output: ServerFrame[];
  known: Set<string>;
  waiting: Turn[];
  running: Turn | null;
  history: HistoryLine[];
  /** Every turn that was run to its end, by the id of its message: what may be there once only. */
  journal: string[];
  ratings: string[];
  /** The message whose set of actions is open, and how others were answered. */
  open: string | null;
  answers: Map<string, SentAnswer>;
  isOver: boolean;
  stopTurn: (() => void) | null;
}

/** The gateway as a page sees it, which can be killed, fall silent, and lose or twist frames. Spec: platform-api 12. */
export class FakeServer {
  readonly clock: FakeClock;
  readonly sessions = new Map<string, Session>();
  readonly sockets = new Set<FakeSocket>();
  readonly requests: string[] = [];
  /** What becomes of a frame on its way, either way; the frame itself by default. */
  onTheWay: (frame: ServerFrame | ClientFrame) => Array<ServerFrame | ClientFrame> = (frame) => [frame];
  isUp = true;
  /** How often a session is not there for a socket that comes. */
  missing = 0;
  opened = 0;
  /** Answers for paths, before the server's own. */
  answers = new Map<string, HttpAnswer>();
  private _families = 0;
  private _tokens = new Map<string, { family: string; expiresAt: number }>();

  constructor(clock: FakeClock) {
    this.clock = clock;
  }

  /** The one session there is. */
  get session(): Session {
    const [only, ...others] = [...this.sessions.values()];
    if (!only || others.length) throw new Error(`there are ${this.sessions.size} sessions`);
    return only;
  }

  request(url: string, { headers, body }: HttpRequest): Promise<HttpAnswer> {
    const path = new URL(url).pathname;
    this.requests.push(path);
    const told = this.answers.get(path);
    if (told) return Promise.resolve(told);
    if (!this.isUp) return Promise.resolve({ status: 0, body: null });
    if (path === "/api/v1/sdk/init") return Promise.resolve(this._init(JSON.parse(body ?? "{}") as { resumeToken?: string }));
    const held = this._tokens.get(headers["X-SDK-Token"] ?? "");
    if (!held) return Promise.resolve({ status: 401, body: { error: { code: "UNAUTHORIZED", message: "Invalid token" } } });
    if (path === "/api/v1/sdk/refresh") return Promise.resolve(this._token(held.family, null));
    const session = this.sessions.get(path.split("/")[5] ?? "");
    if (!session || session.family !== held.family) return Promise.resolve({ status: 404, body: null });
    const messages = session.history.slice(-200).reverse().map((line) => ({ ...line, ...stateOf(session, line) }));
    return Promise.resolve({ status: 200, body: { success: true, messages, lastSeq: session.endSeq, openActions: session.open } });
  }

  openSocket(url: string, protocols: string[]): Socket {
    const socket = new FakeSocket(this, new URL(url).searchParams.get("lastSeq"), protocols[1] ?? "");
    this.opened += 1;
    this.sockets.add(socket);
    this.clock.after(STEP_MS, () => this._greet(socket));
    return socket;
  }

  /** Kill the gateway; what it has taken is taken up again when there is one. */
  kill(): void {
    this.isUp = false;
    for (const socket of [...this.sockets]) socket.cut(1006);
    for (const session of this.sessions.values()) session.stopTurn?.();
  }

  restart(): void {
    this.isUp = true;
    for (const session of this.sessions.values()) {
      if (!session.running) continue;
      session.running.attempt += 1;
      session.seq += LEAP;
      this._run(session);
    }
  }

  /** End every session, as its agent would. */
  end(reason = "completed"): void {
    for (const session of this.sessions.values()) this._over(session, reason);
  }

  hear(socket: FakeSocket, frame: ClientFrame): void {
    const session = socket.session;
    if (!this.isUp || !session) return;
    const replyTo = frame.id ?? null;
    switch (frame.type) {
      case "chat_message":
      case "typed_interrupt": {
        const messageId = frame.messageId ?? "";
        if (frame.type === "typed_interrupt") this._cancel(session);
        if (!session.known.has(messageId)) session.waiting.push({ messageId, text: frame.text, attempt: 1 });
        session.known.add(messageId);
        socket.direct({ type: "message_ack", messageId, queued: session.waiting.length, replyTo });
        if (!session.running) this._next(session);
        return;
      }
      case "action_submit": {
        const messageId = frame.messageId ?? "";
        const isOpen = session.open !== null && [session.open, FORM.render_id, undefined].includes(frame.renderId ?? undefined);
        const isKnown = session.known.has(messageId);
        session.known.add(messageId);
        socket.direct({ type: "message_ack", messageId, queued: session.waiting.length, replyTo });
        if (isKnown) return;
        if (!isOpen) return socket.direct({ type: "error", code: "BAD_REQUEST", reason: "ACTION_CLOSED", message: "closed", messageId, fatal: false, replyTo });
        const by = { messageId, actionId: frame.actionId, ...(frame.value ? { value: frame.value } : {}) };
        session.waiting.push({ messageId, text: frame.value ?? "", attempt: 1, answers: { messageId: session.open!, by } });
        session.open = null;
        if (!session.running) this._next(session);
        return;
      }
      case "feedback.submit":
        if (!session.ratings.includes(frame.messageId)) session.ratings.push(frame.messageId);
        socket.direct({ type: "feedback.ack", messageId: frame.messageId, success: true, feedbackId: "f", replyTo });
        return;
      case "cancel":
        return this._cancel(session);
      case "ping":
        return socket.direct({ type: "pong", t: null, replyTo });
      default:
        return;
    }
  }

  /** Have every socket of a session told, and it kept for those that come back. */
  emit(session: Session, body: Body<ServerFrame>): void {
    session.seq += 1;
    const frame = { ...body, sessionId: session.id, seq: session.seq, timestamp: new Date(this.clock.now()).toISOString() } as ServerFrame;
    session.output.push(frame);
    for (const socket of this.sockets) if (socket.session === session) socket.deliver(frame);
  }

  private _init({ resumeToken }: { resumeToken?: string }): HttpAnswer {
    const session = resumeToken ? this.sessions.get(resumeToken) : undefined;
    if (session && !session.isOver) return this._token(session.family, session.id);
    return this._token(`fam${(this._families += 1)}`, null);
  }

  private _token(family: string, sessionId: string | null): HttpAnswer {
    const token = `${family}.${this._tokens.size}`;
    this._tokens.set(token, { family, expiresAt: this.clock.now() + TOKEN_S * 1000 });
    return { status: 200, body: { success: true, token, expiresIn: TOKEN_S, sessionId } };
  }

  private _greet(socket: FakeSocket): void {
    if (!this.sockets.has(socket)) return;
    if (!this.isUp) return socket.cut(1006);
    const held = this._tokens.get(socket.token);
    if (!held || held.expiresAt < this.clock.now()) return socket.cut(4001);
    const id = `ses_${held.family}`;
    const session = this.sessions.get(id) ?? newSession(id, held.family);
    this.sessions.set(id, session);
    if (this.missing-- > 0) return socket.cut(4004);
    if (session.isOver) {
      socket.session = session;
      socket.direct({ type: "error", code: "SESSION_ENDED", message: "Session has ended", fatal: true });
      return socket.cut(4004);
    }
    socket.session = session;
    socket.direct({
      type: "session_start", projectId: "p", channelId: null, resumed: session.journal.length > 0, resumeToken: id,
      lastSeq: session.seq, heartbeatSec: 25, capabilities: {},
    }); // prettier-ignore
    if (socket.lastSeq === null) return;
    for (const frame of session.output) if (frame.seq > Number(socket.lastSeq)) socket.deliver(frame);
  }

  private _next(session: Session): void {
    session.running = session.waiting.shift() ?? null;
    if (session.running) this._run(session);
  }

  private _run(session: Session): void {
    const turn = session.running!;
    const messageId = answerId(session.id, turn.messageId);
    const { attempt } = turn;
    const steps: Array<() => void> = [
      () => {
        if (attempt > 1) this.emit(session, { type: "response_restart", messageId, attempt });
        const answers = turn.answers ? { answers: turn.answers.messageId } : {};
        this.emit(session, { type: "response_start", messageId, ...(attempt > 1 ? { attempt } : {}), ...answers });
      },
      ...[...WORDS, turn.text].map((chunk) => () => this.emit(session, { type: "response_chunk", messageId, chunk })),
      () => this._finish(session, turn, WORDS.join("") + turn.text, false),
    ];
    const step = (): void => {
      session.stopTurn = this.clock.after(STEP_MS, () => {
        steps.shift()?.();
        if (steps.length) step();
      });
    };
    step();
  }

  private _finish(session: Session, turn: Turn, fullText: string, interrupted: boolean): void {
    const messageId = answerId(session.id, turn.messageId);
    const timestamp = new Date(this.clock.now()).toISOString();
    const actions = turn.text === FORM_FOR ? { actions: FORM } : {};
    if (turn.answers) session.answers.set(turn.answers.messageId, { ...turn.answers.by, messageId: spokenId(session.id, turn.messageId) });
    if (turn.text === FORM_FOR) session.open = messageId;
    session.history.push({ id: spokenId(session.id, turn.messageId), role: "user", content: turn.text, timestamp, clientMessageId: turn.messageId });
    session.history.push({ id: messageId, role: "assistant", content: fullText, timestamp, ...actions });
    session.journal.push(turn.messageId);
    session.stopTurn?.();
    session.stopTurn = null;
    session.running = null;
    this.emit(session, { type: "response_end", messageId, fullText, richContent: null, actions: null, openActions: session.open, ...(actions as object), ...(interrupted ? { interrupted } : {}) });
    session.endSeq = session.seq;
    this._next(session);
  }

  private _cancel(session: Session): void {
    if (session.running) this._finish(session, session.running, WORDS[0]!, true);
  }

  private _over(session: Session, reason: string): void {
    session.isOver = true;
    session.stopTurn?.();
    this.emit(session, { type: "session_end", reason });
    for (const socket of [...this.sockets]) if (socket.session === session) socket.cut(1000);
  }
}

function stateOf(session: Session, line: HistoryLine): Partial<HistoryLine> {
  const answer = session.answers.get(line.id);
  if (!line.actions) return {};
  return answer ? { actionState: "answered", answer } : { actionState: line.id === session.open ? "open" : "closed" };
}

function newSession(id: string, family: string): Session {
  return {
    id, family, seq: 0, endSeq: 0, open: null, answers: new Map(), output: [], known: new Set(), waiting: [], running: null, history: [], journal: [], ratings: [],
    isOver: false, stopTurn: null,
  }; // prettier-ignore
}

export class FakeSocket implements Socket {
  readonly token: string;
  readonly lastSeq: string | null;
  session: Session | null = null;
  onmessage: ((text: string) => void) | null = null;
  onclose: ((code: number) => void) | null = null;
  private readonly _server: FakeServer;

  constructor(server: FakeServer, lastSeq: string | null, token: string) {
    this._server = server;
    this.lastSeq = lastSeq;
    this.token = token;
  }

  send(text: string): void {
    for (const frame of this._server.onTheWay(JSON.parse(text) as ClientFrame)) {
      this._server.clock.after(1, () => this._server.sockets.has(this) && this._server.hear(this, frame as ClientFrame));
    }
  }

  close(): void {
    this._server.sockets.delete(this);
  }

  /** Close it from the server's side. */
  cut(code: number): void {
    this._server.sockets.delete(this);
    this.onclose?.(code);
  }

  deliver(frame: ServerFrame): void {
    for (const one of this._server.onTheWay(frame)) this.onmessage?.(JSON.stringify(one));
  }

  /** Say what is no part of the session's output. */
  direct(body: Body<ServerFrame>): void {
    const { id, seq } = this.session!;
    this.deliver({ ...body, sessionId: id, seq, timestamp: new Date(this._server.clock.now()).toISOString() } as ServerFrame);
  }
}
