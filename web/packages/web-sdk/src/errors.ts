/** Why something could not be done: a closed list, so that a page decides by it and never by a sentence. */
export const REASONS = [
  "bad_config", // the options of AgentSDK cannot be used
  "unauthorized", // the public key is unknown, revoked or expired
  "forbidden", // this page's origin is not one that the key allows
  "not_found", // the project is not the key's
  "unreachable", // nobody answers; it is tried again
  "gave_up", // nobody answered the last attempt either; `connect()` tries again
  "displaced", // too many sockets of this conversation are open; `connect()` takes one back
  "protocol", // the server said something that this client cannot go on with
  "closed", // `disconnect()` was called
  "session_ended", // not sent: the conversation that it was written for is over
  "too_old", // not sent: it has waited so long that a second try might be a second message
  "outcome_unknown", // nobody knows whether it arrived, and it cannot be told twice
  "refused", // the server does not take it, now or later
  "turn_failed", // the agent could not answer
  "outbox_full", // too many messages wait already
  "invalid_message", // nothing to say, or too much of it
  "storage_failed", // the browser keeps nothing, so nothing could be promised
  "file_too_large",
  "file_type",
  "upload_failed",
  "upload_cancelled",
  "feedback_refused",
  "voice_unavailable", // the server has no voice; chat goes on
  "voice_busy", // the server has no room for another call
  "voice_failed", // the server could not go on with a call, or with a part of it
  "voice_lost", // the socket of a call dropped; `start()` begins another
  "voice_ended", // the server has ended the call
  "voice_unsupported", // this browser cannot record or play here; microphones want https
  "microphone_denied", // the visitor or the page does not allow it
  "microphone_missing", // there is none, or not the one that was asked for
  "microphone_failed", // it cannot be used: another program may have it
  "microphone_lost", // it was unplugged
  "page_hidden", // the browser has taken the sound from a page that was left or hidden
  "audio_blocked", // no sound before the visitor has touched the page
] as const;

export type Reason = (typeof REASONS)[number];

export interface ErrorDetail {
  /** The server's code (platform-api 12.7), where it was the server that said so. */
  code?: string;
  /** The message of the page that it is about. */
  messageId?: string;
  retryAfterMs?: number;
  cause?: unknown;
}

/** The one error of this package. */
export class AgentError extends Error {
  readonly reason: Reason;
  readonly code!: string | null;
  readonly messageId!: string | null;
  readonly retryAfterMs!: number | null;

  constructor(reason: Reason, message: string, detail: ErrorDetail = {}) {
    super(message);
    this.name = "AgentError";
    this.reason = reason;
    Object.assign(this, { code: null, messageId: null, retryAfterMs: null }, detail);
  }
}
