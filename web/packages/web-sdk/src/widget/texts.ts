/** Every text that the widget shows; `{n}` is a number. A page replaces any of them. */
export const ENGLISH = {
  title: "Chat",
  open: "Open the chat",
  openUnread: "Open the chat, {n} unread",
  close: "Close the chat",
  placeholder: "Write a message",
  send: "Send",
  stop: "Stop",
  retry: "Send again",
  discard: "Discard",
  copy: "Copy",
  copied: "Copied",
  good: "Good answer",
  bad: "Bad answer",
  thanks: "Thank you",
  latest: "Go to the latest message",
  earlier: "Show earlier messages",
  typing: "The agent is writing",
  agent: "Agent",
  welcome: "How can we help?",
  choose: "Choose",
  submit: "Submit",
  notSent: "This message was not sent.",
  notAnswered: "No answer came.",
  offline: "The connection is lost. It is tried again.",
  lost: "The connection could not be made.",
  refused: "This page may not use this agent.",
  displaced: "Too many pages of this conversation are open.",
  misconfigured: "The chat is not set up: project-id or api-key is missing.",
  again: "Try again",
  ended: "This conversation is over. What you write begins another.",
  failed: "That did not work.",
  noVoice: "Voice is not available here. You can write.",
};

export type Texts = { [Name in keyof typeof ENGLISH]: string };

/** The languages whose texts stand in a file beside the script; English is in it. */
const PACKS = ["de"];
/** How long the page waits for a language; then it is English. */
const PACK_MS = 3_000;

/** Return where the texts of a language are; null where there are none but those of the script. */
export function packOf(tag: string, endpoint: string): string | null {
  const language = tag.toLowerCase().split("-")[0] ?? "";
  return PACKS.includes(language) ? `${endpoint}/sdk/agent-widget.${language}.json` : null;
}

/** Return the texts of a file; none where it cannot be had in time. */
export async function readPack(url: string): Promise<Partial<Texts>> {
  const aborting = new AbortController();
  const timer = setTimeout(() => aborting.abort(), PACK_MS);
  try {
    return (await (await fetch(url, { credentials: "omit", signal: aborting.signal })).json()) as Partial<Texts>;
  } catch {
    return {}; // in English it works as well
  } finally {
    clearTimeout(timer);
  }
}
