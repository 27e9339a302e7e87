import { ChatClient } from "./chat.ts";
import { Client } from "./client.ts";
import type { ConnectionState } from "./connection-table.ts";
import { Emitter } from "./emitter.ts";
import { AgentError } from "./errors.ts";
import type { Entry } from "./outbox.ts";
import type { Parts } from "./parts.ts";
import type { Platform } from "./platform.ts";
import type { Happening } from "./transcript.ts";
import type { AgentConfig } from "./types.ts";
import type { ServerFrame } from "./wire.ts";

/** Spec: platform-api 13.1; those behind `error` are ours. `undefined` is the payload of events that have none. */
export interface AgentEvents {
  connected: undefined;
  disconnected: undefined;
  sessionStart: { sessionId: string };
  sessionEnd: undefined;
  error: { error: AgentError };
  /** Where the connection stands. */
  connectionChange: { state: ConnectionState; previousState: ConnectionState };
  /** What the agent is busy with, null with nothing; only for keys that show activity. */
  activity: { text: string | null };
  /** Another agent has taken over; only for keys that show activity. */
  handoff: { fromAgent: string; toAgent: string };
}

/** States in which nothing goes on by itself. */
const STANDS = new Set<ConnectionState>(["exhausted", "displaced", "refused", "closed"]);

/** One conversation with one project, without what only some pages need: calls, and being found by others. */
export class AgentCore extends Emitter<AgentEvents> {
  /** @internal */
  protected readonly _client: Client;
  private readonly _chat: ChatClient;
  private _state: ConnectionState = "idle";
  private _waiting: Array<{ resolve: () => void; reject: (error: AgentError) => void }> = [];

  /** Throws AgentError where the options cannot be used. Nothing is connected yet. */
  constructor(config: AgentConfig, platform: Platform, parts: Parts) {
    super();
    this._client = new Client(config, platform, {
      moved: (state, cause) => this._moved(state, cause),
      started: (sessionId) => this.emit("sessionStart", { sessionId }),
      ended: () => this.emit("sessionEnd", undefined),
      happened: (happening: Happening) => this._chat.happened(happening),
      entered: (entry: Entry) => this._chat.entered(entry),
      written: (id) => this._chat.written(id),
      failed: (entry, error) => this._chat.failed(entry, error),
      frame: (frame) => this._heard(frame),
      changed: () => this._chat?.changed(),
    });
    this._chat = new ChatClient(this._client, parts);
  }

  /** Connect, or take the connection of another tab; resolves once there is one. Rejects with AgentError. */
  connect(): Promise<void> {
    if (this._state === "ready") return Promise.resolve();
    const connected = new Promise<void>((resolve, reject) => this._waiting.push({ resolve, reject }));
    this._client.connect();
    return connected;
  }

  disconnect(): void {
    this._client.disconnect();
  }

  chat(): ChatClient {
    return this._chat;
  }

  isConnected(): boolean {
    return this._state === "ready";
  }

  getSessionId(): string | null {
    return this._client.conversation.shownSessionId();
  }

  /** Where the connection stands. Ours. */
  getConnectionState(): ConnectionState {
    return this._state;
  }

  private _moved(state: ConnectionState, cause: AgentError | null): void {
    const previousState = this._state;
    if (state === previousState) return;
    this._state = state;
    this.emit("connectionChange", { state, previousState });
    if (state === "ready") this.emit("connected", undefined);
    if (previousState === "ready") this.emit("disconnected", undefined);
    if (STANDS.has(state) && state !== "closed" && cause) this.emit("error", { error: reasonOf(state, cause) });
    if (state !== "ready" && !STANDS.has(state)) return;
    const waiting = this._waiting.splice(0);
    const error = cause ?? new AgentError("closed", "The connection was closed");
    for (const { resolve, reject } of waiting) state === "ready" ? resolve() : reject(reasonOf(state, error));
  }

  private _heard(frame: ServerFrame): void {
    if (frame.type === "status_update") this.emit("activity", { text: frame.text });
    if (frame.type === "status_clear") this.emit("activity", { text: null });
    if (frame.type === "handoff") {
      const { fromAgent = "", toAgent = "" } = frame.metadata;
      this.emit("handoff", { fromAgent, toAgent });
    }
    if (frame.type === "error" && !frame.messageId && !frame.replyTo) {
      this.emit("error", { error: new AgentError("refused", frame.message, { code: frame.code }) });
    }
  }
}

function reasonOf(state: ConnectionState, cause: AgentError): AgentError {
  if (state === "displaced") return new AgentError("displaced", "Too many pages of this conversation are open", { cause });
  if (state === "refused" && cause.reason === "unreachable") return new AgentError("protocol", cause.message, { cause });
  return cause;
}
