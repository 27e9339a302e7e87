import type { AgentError, Reason } from "../errors.ts";
import type { VoiceState } from "../types.ts";
import { VoiceClient } from "../voice/client.ts";
import { h } from "./dom.ts";
import type { WidgetSDK } from "./sdk.ts";
import type { Texts } from "./texts.ts";

export { VoiceClient };

/** Every text of a call, in English; a language's file and the page replace any of them, as those of the chat. */
export const ENGLISH = {
  voiceStart: "Start talking",
  voiceEnd: "End the call",
  voiceMute: "Mute the microphone",
  voiceConnecting: "Connecting",
  voiceReady: "You can speak",
  voiceListening: "Listening",
  voiceProcessing: "The agent is thinking",
  voiceSpeaking: "The agent is speaking",
  voiceMicrophone: "The microphone cannot be used. Is it allowed?",
  voiceBusy: "There is no room for another call now. You can write.",
  voiceLost: "The call was lost.",
  voiceOver: "The call is over.",
};

export type VoiceTexts = { [Name in keyof typeof ENGLISH]: string };

const STYLE = `
.voice{display:flex;flex-wrap:wrap;gap:8px;align-items:center;padding:8px 16px;border-top:1px solid var(--agent-line);font-size:14px}
.voice [role=status]{flex:1}
.voice [aria-pressed=true]{border-color:var(--agent-danger);border-width:2px}
.voice .said{width:100%;color:var(--agent-muted);overflow-wrap:anywhere}
:host([mode=voice]) [data-calling]>.composer{display:none}
`;

/** What a call shows and asks of the widget. */
export interface VoiceOwner extends HTMLElement {
  readonly sdk: WidgetSDK | null;
  readonly texts: Texts;
  /** Say that there is no voice here, where the state of the connection is said. */
  noVoice(): void;
}

/** What is said of each state; of the others why there is no call. */
const SAID: Partial<Record<VoiceState, keyof VoiceTexts>> = {
  connecting: "voiceConnecting",
  ready: "voiceReady",
  listening: "voiceListening",
  processing: "voiceProcessing",
  speaking: "voiceSpeaking",
};
const UNAVAILABLE: readonly Reason[] = ["voice_unavailable", "voice_unsupported"];

/** Put above the composer what begins a call, mutes and ends it, and says how it stands. Rejects where there is no SDK to call with. */
export async function voiceBar(widget: VoiceOwner, composer: HTMLElement): Promise<void> {
  const voice = await widget.sdk!.voice();
  const texts: VoiceTexts = { ...ENGLISH, ...widget.texts };
  const panel = composer.parentElement!;
  const start = h("button", { type: "button", onclick: () => void voice.start().catch(() => undefined) }, texts.voiceStart); // `error` tells why
  const mute = h("button", { type: "button", "aria-pressed": "false", hidden: true, onclick: () => void voice.toggleMute() }, texts.voiceMute);
  const end = h("button", { type: "button", hidden: true, onclick: () => voice.stop() }, texts.voiceEnd);
  const state = h("span", { role: "status" });
  const said = h("div", { class: "said", dir: "auto", hidden: true });
  const bar = h("div", { class: "voice", part: "voice" }, state, mute, start, end, said);
  const tell = (text: string): void => {
    said.textContent = text;
    said.hidden = !text;
  };
  const show = (): void => {
    const name = SAID[voice.getState()];
    const focused = bar.contains((bar.getRootNode() as ShadowRoot).activeElement);
    state.textContent = name ? texts[name] : "";
    start.hidden = Boolean(name);
    end.hidden = mute.hidden = !name;
    panel.toggleAttribute("data-calling", Boolean(name));
    if (!name) tell("");
    if (focused && !bar.contains((bar.getRootNode() as ShadowRoot).activeElement)) (name ? end : start).focus(); // what is hidden can have no focus
  };
  const failed = ({ error }: { error: AgentError }): void => {
    widget.dispatchEvent(new CustomEvent("error", { detail: { error } }));
    if (SAID[voice.getState()]) return; // it goes on
    if (UNAVAILABLE.includes(error.reason)) {
      const focused = bar.contains((bar.getRootNode() as ShadowRoot).activeElement);
      bar.remove();
      widget.noVoice();
      if (focused) composer.querySelector("textarea")?.focus();
    } else if (error.reason.startsWith("microphone")) state.textContent = texts.voiceMicrophone;
    else if (error.reason === "voice_busy") state.textContent = texts.voiceBusy;
    else state.textContent = error.reason === "voice_ended" ? texts.voiceOver : texts.voiceLost;
  };
  voice.on("stateChange", show);
  voice.on("muteChange", ({ isMuted }) => mute.setAttribute("aria-pressed", String(isMuted)));
  voice.on("transcription", ({ text }) => tell(text));
  voice.on("error", failed);
  widget.addEventListener("close", () => voice.stop()); // nobody is listened to by what they do not see
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(STYLE);
  const root = composer.getRootNode() as ShadowRoot;
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
  composer.before(bar);
  show();
}
