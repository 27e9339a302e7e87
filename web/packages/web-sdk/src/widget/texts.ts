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
  you: "You",
  agent: "Agent",
  welcome: "How can we help?",
  choose: "Choose",
  submit: "Submit",
  notSent: "This message was not sent.",
  notAnswered: "No answer came.",
  connecting: "Connecting",
  offline: "The connection is lost. It is tried again.",
  lost: "The connection could not be made.",
  refused: "This page may not use this agent.",
  displaced: "Too many pages of this conversation are open.",
  misconfigured: "The chat is not set up: project-id or api-key is missing.",
  again: "Try again",
  noVoice: "Voice is not available yet.",
};

export type Texts = { [Name in keyof typeof ENGLISH]: string };

export const GERMAN: Texts = {
  title: "Chat",
  open: "Chat öffnen",
  openUnread: "Chat öffnen, {n} ungelesen",
  close: "Chat schließen",
  placeholder: "Nachricht schreiben",
  send: "Senden",
  stop: "Anhalten",
  retry: "Noch einmal senden",
  discard: "Verwerfen",
  copy: "Kopieren",
  copied: "Kopiert",
  good: "Gute Antwort",
  bad: "Schlechte Antwort",
  thanks: "Danke",
  latest: "Zur neuesten Nachricht",
  earlier: "Frühere Nachrichten zeigen",
  typing: "Der Agent schreibt",
  you: "Sie",
  agent: "Agent",
  welcome: "Wie können wir helfen?",
  choose: "Bitte wählen",
  submit: "Absenden",
  notSent: "Diese Nachricht wurde nicht gesendet.",
  notAnswered: "Es kam keine Antwort.",
  connecting: "Verbindung wird hergestellt",
  offline: "Die Verbindung ist unterbrochen. Es wird wieder versucht.",
  lost: "Es kam keine Verbindung zustande.",
  refused: "Diese Seite darf diesen Agenten nicht benutzen.",
  displaced: "Zu viele Seiten dieses Gesprächs sind offen.",
  misconfigured: "Der Chat ist nicht eingerichtet: project-id oder api-key fehlt.",
  again: "Noch einmal versuchen",
  noVoice: "Sprache ist noch nicht verfügbar.",
};

const PACKS: Record<string, Texts> = { en: ENGLISH, de: GERMAN };

/** Return the texts of a language, English where there is no pack, with those of the page in their place. */
export function textsOf(language: string, own: Partial<Texts> = {}): Texts {
  return { ...(PACKS[language.toLowerCase().split("-")[0] ?? ""] ?? ENGLISH), ...own };
}
