// The frames of the socket. Made by tools/generate_web_types.py of gateway/wire.py; do not edit.

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** Why feedback was not kept. */
export interface FeedbackError {
  code: string;
  message: string;
}

/** One message; a repeated `message_id` is acknowledged but not run again. */
export interface ChatMessageFrame {
  type: "chat_message";
  text: string;
  messageId?: string | null;
  attachmentIds?: Array<string>;
  metadata?: JsonValue;
  id?: string | null;
  sessionId?: string | null;
}

/** Stops what is being said, then as a message. */
export interface TypedInterruptFrame {
  type: "typed_interrupt";
  text: string;
  messageId: string;
  id?: string | null;
  sessionId?: string | null;
}

/** The answer to a button or a form; a repeated `message_id` is acknowledged but not run again. */
export interface ActionSubmitFrame {
  type: "action_submit";
  actionId: string;
  messageId?: string | null;
  value?: string | null;
  formData?: Record<string, string>;
  renderId?: string | null;
  id?: string | null;
  sessionId?: string | null;
}

/** A turn is to be given up; what was said of it stays. */
export interface CancelFrame {
  type: "cancel";
  messageId?: string | null;
  id?: string | null;
  sessionId?: string | null;
}

/** What somebody thinks of an answer: a thumb (0 or 1), 1 to 10 stars, or a text. */
export interface FeedbackSubmitFrame {
  type: "feedback.submit";
  messageId: string;
  ratingType: "star" | "text" | "thumbs";
  ratingValue?: number | null;
  feedbackText?: string;
  actionRenderId?: string | null;
  id?: string | null;
  sessionId?: string | null;
}

/** Somebody is typing. */
export interface TypingFrame {
  type: "typing";
  isTyping: boolean;
  id?: string | null;
  sessionId?: string | null;
}

/** The session is over. */
export interface EndSessionFrame {
  type: "end_session";
  id?: string | null;
  sessionId?: string | null;
}

/** Is anybody there. */
export interface PingFrame {
  type: "ping";
  t?: number | string | null;
  id?: string | null;
  sessionId?: string | null;
}

/** The caller wants to speak. */
export interface VoiceStartFrame {
  type: "voice_start";
  mode?: string | null;
  id?: string | null;
  sessionId?: string | null;
}

export type ClientFrame =
  | ChatMessageFrame
  | TypedInterruptFrame
  | ActionSubmitFrame
  | CancelFrame
  | FeedbackSubmitFrame
  | TypingFrame
  | EndSessionFrame
  | PingFrame
  | VoiceStartFrame;

/** The first frame of a connection. */
export interface SessionStartFrame {
  type: "session_start";
  projectId: string;
  channelId: string | null;
  resumed: boolean;
  resumeToken: string;
  lastSeq: number;
  heartbeatSec: number;
  capabilities: Record<string, boolean>;
  agentName?: string;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** The session is over; the server closes next. */
export interface SessionEndFrame {
  type: "session_end";
  reason: string;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** A message was taken; `queued` is its place, 0 runs. */
export interface MessageAckFrame {
  type: "message_ack";
  messageId: string;
  queued: number;
  replyTo?: string | null;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** A message begins; `attempt` is above 1 where an earlier one was broken off. */
export interface ResponseStartFrame {
  type: "response_start";
  messageId: string;
  agentName?: string;
  attempt?: number;
  answers?: string | null;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** A message begins again: what was shown of it so far is void. */
export interface ResponseRestartFrame {
  type: "response_restart";
  messageId: string;
  attempt: number;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** More of a message. */
export interface ResponseChunkFrame {
  type: "response_chunk";
  messageId: string;
  chunk: string;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** A message is complete. */
export interface ResponseEndFrame {
  type: "response_end";
  messageId: string;
  fullText: string;
  richContent: JsonObject | null;
  actions: JsonObject | null;
  openActions: string | null;
  action?: JsonObject | null;
  voiceConfig?: JsonObject | null;
  metadata?: JsonObject | null;
  interrupted?: boolean;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** What the agent is busy with; only for keys that show activity. */
export interface StatusUpdateFrame {
  type: "status_update";
  text: string;
  operation?: string;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** The agent is busy with nothing of that kind any more; `text` is what was shown last. */
export interface StatusClearFrame {
  type: "status_clear";
  text: string;
  operation?: string;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Whether feedback was kept, and under which id. */
export interface FeedbackAckFrame {
  type: "feedback.ack";
  messageId: string;
  success: boolean;
  feedbackId?: string | null;
  actionRenderId?: string | null;
  error?: FeedbackError | null;
  replyTo?: string | null;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Another agent has taken over; only for keys that show activity. */
export interface HandoffFrame {
  type: "handoff";
  metadata: Record<string, string>;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Somebody is there. */
export interface PongFrame {
  type: "pong";
  t: number | string | null;
  replyTo?: string | null;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Something went wrong; when `fatal`, the server closes next. */
export interface ErrorFrame {
  type: "error";
  code: string;
  message: string;
  fatal: boolean;
  reason?: string | null;
  messageId?: string | null;
  openActions?: string | null;
  replyTo?: string | null;
  retryAfterMs?: number | null;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Frames that are gone; the history is read over HTTP. */
export interface ResumeGapFrame {
  type: "resume_gap";
  fromSeq: number;
  toSeq: number;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** The gateway goes away; another takes over. */
export interface ServerDrainingFrame {
  type: "server_draining";
  reconnectAfterMs: number;
  sessionId: string;
  seq: number;
  timestamp: string;
}

/** Voice cannot go on. */
export interface VoiceErrorFrame {
  type: "voice_error";
  code: string;
  message: string;
  fatal: boolean;
  sessionId: string;
  seq: number;
  timestamp: string;
}

export type ServerFrame =
  | SessionStartFrame
  | SessionEndFrame
  | MessageAckFrame
  | ResponseStartFrame
  | ResponseRestartFrame
  | ResponseChunkFrame
  | ResponseEndFrame
  | StatusUpdateFrame
  | StatusClearFrame
  | FeedbackAckFrame
  | HandoffFrame
  | PongFrame
  | ErrorFrame
  | ResumeGapFrame
  | ServerDrainingFrame
  | VoiceErrorFrame;

/** The frames of turns that the server knows again by their `messageId`: they can be sent twice and run once. */
export const KNOWN_AGAIN: readonly string[] = ["chat_message", "typed_interrupt", "action_submit"];

/** Why the server closes a socket. Spec: platform-api 12.8. */
export const CLOSE_CODES = {
  NORMAL: 1000,
  GOING_AWAY: 1001,
  UNEXPECTED_BINARY: 1003,
  ABUSE: 1008,
  TOO_LARGE: 1009,
  INTERNAL: 1011,
  OVERLOADED: 1013,
  UNAUTHENTICATED: 4001,
  FORBIDDEN: 4003,
  NO_SESSION: 4004,
  IDLE: 4008,
  TOO_MANY_SOCKETS: 4009,
  DISABLED: 4010,
  RATE_LIMITED: 4029,
} as const;
