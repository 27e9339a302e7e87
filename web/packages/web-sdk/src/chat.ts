import { wordsOf } from "./action-sets.ts";
import type { UploadOptions } from "./attachments.ts";
import type { Client } from "./client.ts";
import { Emitter } from "./emitter.ts";
import { AgentError } from "./errors.ts";
import { shown, type Happening } from "./transcript.ts";
import type { Entry } from "./outbox.ts";
import type { Parts } from "./parts.ts";
import type { Message, SendOptions } from "./types.ts";
import type { ActionSubmitFrame, ChatMessageFrame, ClientFrame, FeedbackSubmitFrame, JsonObject } from "./wire.ts";

/** What a frame may have at most. Spec: platform-api 12.4. */
export const FRAME_MAX_BYTES = 1024 * 1024;
/** What is added to a frame when it is written. */
const FRAME_SPARE_BYTES = 1_024;
/** Spec: platform-api 5.8, 15. */
const FILES_PER_MESSAGE = 10;

/** Spec: platform-api 13.1; those behind `error` are ours. */
export interface ChatEvents {
  message: Message;
  messageChunk: { messageId: string; chunk: string };
  typing: { isTyping: boolean };
  messageSent: { messageId: string };
  attachmentUploaded: { attachmentId: string; filename: string };
  attachmentError: { filename: string; error: AgentError };
  error: { error: AgentError };
  /** What was shown of an answer is void: it begins again. */
  messageRestart: { messageId: string; attempt: number };
  /** The server has a message and will answer it. */
  messageAcknowledged: { messageId: string };
  /** A message was not sent, or not answered; `retry` and `discard` are the choices. */
  messageFailed: { messageId: string; error: AgentError };
  /** What `getMessages` or `getIsTyping` return has changed. */
  change: undefined;
}

export interface Rating {
  messageId: string;
  /** A thumb: 1 up, 0 down. */
  thumb?: 0 | 1;
  /** Stars, 1 to 10. */
  stars?: number;
  comment?: string;
}

export interface ActionAnswer {
  actionId: string;
  value?: string;
  formData?: Record<string, string>;
  renderId?: string;
  /** What the conversation shows of it; the words of the set by default. */
  text?: string;
}

/** Speaks with the agent. What `send` has promised is sent once, whatever becomes of socket, page and tab. */
export class ChatClient extends Emitter<ChatEvents> {
  private readonly _client: Client;
  private readonly _parts: Parts;
  private _isTyping = false;
  private _states = new Map<string, Entry["state"]>();

  /** @internal Made by `AgentSDK.chat()`. */
  constructor(client: Client, parts: Parts) {
    super();
    this._client = client;
    this._parts = parts;
    for (const entry of client.outbox.all()) this._states.set(entry.id, entry.state);
  }

  /** Keep a message and send it as soon as that is possible; returns its id once it is kept. Rejects with AgentError. */
  async send(text: string, options: SendOptions = {}): Promise<string> {
    const { attachmentIds = [], metadata } = options;
    if (!text && !attachmentIds.length) throw new AgentError("invalid_message", "There is nothing to say");
    if (attachmentIds.length > FILES_PER_MESSAGE) throw new AgentError("invalid_message", "A message has 10 attachments at most");
    const messageId = this._client.platform.newId();
    const interrupts = (options.interruption ?? this._client.config.interruption) === "interrupt" && this._client.conversation.openId !== null;
    const plain: ChatMessageFrame = { type: "chat_message", text, messageId };
    if (attachmentIds.length) plain.attachmentIds = attachmentIds;
    if (metadata) plain.metadata = metadata as JsonObject;
    if (!interrupts) return this._submit("message", messageId, plain, text);
    if (text && !attachmentIds.length && !metadata) return this._submit("message", messageId, { type: "typed_interrupt", text, messageId }, text);
    this.stop();
    return this._submit("message", messageId, plain, text);
  }

  /** Upload a file for a later message; returns its id. Rejects with AgentError, which `attachmentError` tells as well. */
  async uploadAttachment(file: File, options: UploadOptions = {}): Promise<string> {
    try {
      const sessionId = this._client.conversation.shownSessionId();
      if (sessionId === null) throw new AgentError("upload_failed", "There is no conversation yet: connect first");
      const { upload } = await this._parts.attachments();
      const attachmentId = await upload(this._client, sessionId, file, options, AgentError);
      this.emit("attachmentUploaded", { attachmentId, filename: file.name });
      return attachmentId;
    } catch (caught) {
      const error = caught instanceof AgentError ? caught : new AgentError("upload_failed", "The upload failed", { cause: caught });
      this.emit("attachmentError", { filename: file.name, error });
      throw error;
    }
  }

  /** The conversation, oldest line first. The same array until something changes. */
  getMessages(): Message[] {
    return this._client.conversation.messages();
  }

  /** Id of the message whose buttons or form can be answered now; null where none can. Ours. */
  getOpenActions(): string | null {
    return this._client.conversation.openActions;
  }

  getIsTyping(): boolean {
    return this._isTyping;
  }

  /** Show nothing of what was said so far; the agent keeps it. */
  clearMessages(): void {
    this._client.conversation.clear();
  }

  /** Have the agent stop; what it has said stays. Ours. */
  stop(): void {
    this._client.stop();
  }

  /** Answer a button or a form; returns the id of the answer. Ours. */
  async submitAction({ text, ...answer }: ActionAnswer): Promise<string> {
    const id = this._client.platform.newId();
    const renderId = answer.renderId ?? this.getOpenActions(); // the set that is shown, and no later one with the same ids
    const frame: ActionSubmitFrame = { type: "action_submit", ...answer, ...(renderId ? { renderId } : {}), messageId: id };
    const open = this.getMessages().find((message) => message.id === this.getOpenActions());
    return this._submit("action", id, frame, text ?? wordsOf(open?.actions, answer));
  }

  /** Rate an answer; kept and sent like a message. Ours. */
  async rate({ messageId, thumb, stars, comment }: Rating): Promise<string> {
    const id = this._client.platform.newId();
    const rated = thumb !== undefined ? { ratingType: "thumbs" as const, ratingValue: thumb } : { ratingType: "star" as const, ratingValue: stars ?? null };
    const frame: FeedbackSubmitFrame = { type: "feedback.submit", messageId, ...(thumb ?? stars) === undefined ? { ratingType: "text" } : rated };
    if (comment) frame.feedbackText = comment;
    return this._submit("feedback", id, frame, "");
  }

  /** Say a message again that was not sent, as a new one; returns its new id. Ours. */
  async retry(messageId: string): Promise<string> {
    const entry = this._client.outbox.get(messageId);
    if (entry?.state !== "failed") throw new AgentError("invalid_message", "Only a message that was not sent can be sent again");
    const id = this._client.platform.newId();
    const frame: ClientFrame = "messageId" in entry.frame && entry.kind !== "feedback" ? { ...entry.frame, messageId: id } : entry.frame;
    const sent = this._submit(entry.kind, id, frame, entry.text, true);
    this._client.discard(messageId);
    return sent;
  }

  /** Forget a message that was not sent. Ours. */
  discard(messageId: string): void {
    this._client.discard(messageId);
  }

  /** @internal */
  happened(happening: Happening): void {
    switch (happening.kind) {
      case "began":
        return this._type(true);
      case "chunk":
        return this.emit("messageChunk", { messageId: happening.id, chunk: happening.chunk });
      case "restarted":
        return this.emit("messageRestart", { messageId: happening.id, attempt: happening.attempt });
      case "said":
        this._type(this._client.conversation.openId !== null);
        return this.emit("message", happening.message);
      case "failed": {
        this._type(this._client.conversation.openId !== null);
        const error = new AgentError(happening.reason, happening.text, { code: happening.code, messageId: happening.id });
        this.emit("messageFailed", { messageId: happening.id, error });
        return this.emit("error", { error });
      }
      case "stranger":
        return undefined;
    }
  }

  /** @internal */
  entered(entry: Entry): void {
    const before = this._states.get(entry.id);
    this._states.set(entry.id, entry.state);
    if (entry.kind === "feedback") return;
    if (before === undefined) this.emit("message", shown(entry));
    if (before === "waiting" && entry.state === "acknowledged") this.emit("messageAcknowledged", { messageId: entry.id });
    if (before !== undefined && before !== "failed" && entry.state === "failed") {
      this.failed(entry, new AgentError(entry.failure ?? "refused", "Told by another tab", { messageId: entry.id }));
    }
  }

  /** @internal */
  written(messageId: string): void {
    this.emit("messageSent", { messageId });
  }

  /** @internal */
  failed(entry: Entry, error: AgentError): void {
    this._states.set(entry.id, "failed");
    this.emit("messageFailed", { messageId: entry.id, error });
    this.emit("error", { error });
  }

  /** @internal */
  changed(): void {
    this.emit("change", undefined);
  }

  private _type(isTyping: boolean): void {
    if (this._isTyping === isTyping) return;
    this._isTyping = isTyping;
    this.emit("typing", { isTyping });
  }

  private _submit(kind: Entry["kind"], id: string, frame: ClientFrame, text: string, isAnew = false): string {
    const sizeBytes = new TextEncoder().encode(JSON.stringify(frame)).length + FRAME_SPARE_BYTES;
    if (sizeBytes > FRAME_MAX_BYTES) throw new AgentError("invalid_message", "The message is longer than the platform takes");
    return this._client.submit(kind, id, frame, text, isAnew).id;
  }
}
