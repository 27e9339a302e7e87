import type { Reason } from "./errors.ts";

const SENTENCES: Partial<Record<Reason, string>> = {
  session_ended: "The conversation ended before the message was answered",
  outcome_unknown: "Nobody knows whether the answer arrived, and sending it again might give it twice",
  too_old: "The message has waited so long that sending it again might say it twice",
  feedback_refused: "The rating was not taken",
  storage_failed: "The browser keeps nothing",
};

/** Return why something was not sent, for who writes a page; what is served of the widget has the reason here. */
export function sentenceOf(reason: Reason): string {
  return SENTENCES[reason] ?? "The message was not sent";
}
