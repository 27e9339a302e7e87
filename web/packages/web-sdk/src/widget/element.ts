import type { ChatClient } from "../chat.ts";
import { AgentError } from "../errors.ts";
import type { Message, WidgetTheme } from "../types.ts";
import { inkOn, isColour } from "./colours.ts";
import { h } from "./dom.ts";
import { MessageList } from "./list.ts";
import { VOICE, WidgetSDK } from "./sdk.ts";
import { STYLE } from "./style.ts";
import { ENGLISH, packOf, readPack, type Texts } from "./texts.ts";
import type { VoiceTexts } from "./voice-bar.ts";

/** Where the script comes from is where the gateway is, unless the page names another. */
const SCRIPT = document.currentScript instanceof HTMLScriptElement ? document.currentScript.src : "";

/** How long it is until a file that could not be had is asked for again. */
const PAUSE_MS = 1_000;

/** `<agent-widget project-id api-key>`: a conversation with an agent on a page. Spec: platform-api 13.2, 17. */
export class AgentWidget extends HTMLElement {
  chat!: ChatClient;
  texts: Texts = ENGLISH;
  /** @internal */
  readonly rated = new Map<string, 0 | 1>();
  /** @internal */
  forms: typeof import("./forms.ts") | null = null;
  /** Whether the forms are asked for. */
  private _wanted = false;
  private _sdk: WidgetSDK | null = null;
  private _own: Partial<Texts> = {};
  private _theme: WidgetTheme = {};
  private _list!: MessageList;
  private _unread = 0;
  /** What is said above the messages while nothing is wrong. */
  private _notice = "";
  private _root: ShadowRoot;
  /** Whether it has been in the page; it is shown once its texts are there. */
  private _ready: Promise<void> | null = null;
  private _built = false;
  private _launcher!: HTMLButtonElement;
  private _badge!: HTMLElement;
  private _panel!: HTMLElement;
  private _state!: HTMLElement;
  private _log!: HTMLElement;
  private _earlier!: HTMLButtonElement;
  private _start!: HTMLElement;
  private _typing!: HTMLElement;
  private _jump!: HTMLButtonElement;
  private _input!: HTMLTextAreaElement;
  private _stop!: HTMLButtonElement;
  private _heard!: HTMLElement;

  constructor() {
    super();
    this._root = this.attachShadow({ mode: "open" });
    this._style(STYLE);
  }

  connectedCallback(): void {
    this._ready = this._ready ?? this._begin();
    void this._ready.then(() => (this.isConnected ? this._connect() : undefined));
  }

  disconnectedCallback(): void {
    this._sdk?.disconnect();
  }

  /** The SDK behind the widget; null where attributes are missing. */
  get sdk(): WidgetSDK | null {
    return this._sdk;
  }

  get isOpen(): boolean {
    return this.hasAttribute("data-open");
  }

  /** Colours, corners and font, as the contract's WidgetTheme. A colour that is not `#rgb` or `#rrggbb` is left out. */
  set theme(theme: WidgetTheme) {
    this._theme = theme;
    const set = (name: string, value: string | undefined): void => (value === undefined ? void this.style.removeProperty(name) : this.style.setProperty(name, value));
    const colour = (value: string | undefined): string | undefined => (value !== undefined && isColour(value) ? value : undefined);
    const primary = colour(theme.primaryColor);
    set("--agent-primary", primary);
    set("--agent-on-primary", primary && inkOn(primary));
    set("--agent-text", colour(theme.textColor));
    set("--agent-background", colour(theme.backgroundColor));
    set("--agent-radius", theme.borderRadius === undefined ? undefined : `${theme.borderRadius}px`);
    set("--agent-font", theme.fontFamily);
    if (theme.darkMode === undefined) delete this.dataset.scheme;
    else this.dataset.scheme = theme.darkMode ? "dark" : "light";
  }

  get theme(): WidgetTheme {
    return this._theme;
  }

  /** Texts of the page's own, before the widget is put into the page. */
  set ownTexts(texts: Partial<Texts & VoiceTexts>) {
    this._own = texts;
  }

  open(): void {
    if (this.isOpen) return;
    if (!this._built) return void this.toggleAttribute("open", true);
    this.toggleAttribute("data-open", true);
    this._panel.hidden = false;
    this._launcher.hidden = true;
    this._count(0);
    this._list.toEnd();
    this._input.focus();
    this._tell("open", null);
  }

  close(): void {
    if (!this._built) this.removeAttribute("open");
    if (!this.isOpen) return;
    this.toggleAttribute("data-open", false);
    this._panel.hidden = true;
    this._launcher.hidden = false;
    this._launcher.focus();
    this._tell("close", null);
  }

  /** Say something as the visitor; returns the id of the message. Rejects with AgentError. */
  async send(text: string): Promise<string> {
    if (!this._sdk) throw new AgentError("bad_config", this.texts.misconfigured);
    if (this._built) this._list.toEnd();
    return this.chat.send(text);
  }

  /** @internal */
  announce(text: string): void {
    this._heard.textContent = text;
  }

  /** @internal */
  failed(caught: unknown): void {
    const error = caught instanceof AgentError ? caught : new AgentError("refused", String(caught), { cause: caught });
    this.announce(this.texts.failed);
    this._tell("error", { error });
  }

  /** @internal */
  noVoice(): void {
    this._notice = this.texts.noVoice;
    this._connection();
  }

  /** @internal */
  wantForms(): void {
    if (this._wanted || !this._sdk) return;
    this._wanted = true;
    this._sdk.load<typeof import("./forms.ts")>("agent-widget-forms").then(
      (forms) => {
        this.forms = forms;
        this._style(forms.FORM_STYLE);
        this._show();
      },
      (caught) => {
        this.failed(caught);
        setTimeout(() => (this._wanted = false), PAUSE_MS); // the next change of anything asks again
      },
    );
  }

  private _style(rules: string): void {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(rules);
    this._root.adoptedStyleSheets = [...this._root.adoptedStyleSheets, sheet];
  }

  /** Make the SDK at once, for pages that want it, and what is seen once the texts are there. */
  private _begin(): Promise<void> {
    const told = (name: string): string => this.getAttribute(name) ?? "";
    const endpoint = told("endpoint") || new URL(SCRIPT || location.href).origin;
    const [projectId, apiKey, agentId] = [told("project-id"), told("api-key"), told("agent-id")];
    if (projectId && apiKey.startsWith("pk_")) {
      this._sdk = new WidgetSDK({ projectId, apiKey, endpoint, agentId }, SCRIPT ? new URL(".", SCRIPT).href : `${endpoint}/sdk/`);
      this.chat = this._sdk.chat();
    }
    const pack = packOf(told("lang") || document.documentElement.lang || navigator.language, endpoint);
    if (pack) return readPack(pack).then((texts) => this._build(texts));
    return Promise.resolve(this._build({}));
  }

  private _build(pack: Partial<Texts>): void {
    this._built = true;
    const texts = (this.texts = { ...ENGLISH, ...pack, ...this._own });
    this._badge = h("span", { class: "badge", hidden: true });
    this._launcher = h("button", { type: "button", class: "launcher", part: "launcher", "aria-label": texts.open, onclick: () => this.open() }, h("slot", { name: "launcher" }, "💬︎"), this._badge);
    this._state = h("div", { class: "state", role: "status", hidden: true });
    this._earlier = h("button", { type: "button", hidden: true, onclick: () => this._showEarlier() }, texts.earlier);
    this._start = h("div", { class: "start", part: "start" }, h("slot", { name: "start" }, texts.welcome));
    for (const prompt of (this.getAttribute("prompts") ?? "").split("|").filter((one) => one.trim())) {
      this._start.append(h("button", { type: "button", onclick: () => this._say(prompt.trim()) }, prompt.trim()));
    }
    this._log = h("div", { class: "log", part: "log", tabindex: "0", role: "region", "aria-label": texts.title, onscroll: () => this._scrolled(), onkeydown: (event) => this._moved(event as KeyboardEvent) }, this._earlier, this._start);
    this._list = new MessageList(this._log, this._earlier, this._start, this);
    this._typing = h("div", { class: "typing", hidden: true }, texts.typing);
    this._jump = h("button", { type: "button", class: "jump", hidden: true, onclick: () => this._toEnd() }, texts.latest);
    this._input = h("textarea", { rows: "1", part: "input", dir: "auto", placeholder: texts.placeholder, "aria-label": texts.placeholder, onkeydown: (event) => this._pressed(event as KeyboardEvent) });
    this._stop = h("button", { type: "button", hidden: true, onclick: () => this.chat.stop() }, texts.stop);
    const go = h("button", { type: "submit", class: "go", part: "send" }, texts.send);
    const composer = h("form", { class: "composer", part: "composer", onsubmit: (event) => { event.preventDefault(); this._submit(); } }, this._input, this._stop, go);
    const close = h("button", { type: "button", class: "plain", "aria-label": texts.close, onclick: () => this.close() }, "✕");
    const head = h("header", { part: "header" }, h("h2", {}, h("slot", { name: "title" }, this.getAttribute("heading") ?? texts.title)), close);
    this._panel = h("div", { class: "panel", part: "panel", role: "dialog", "aria-label": texts.title, hidden: true, onkeydown: (event) => void ((event as KeyboardEvent).key === "Escape" && this.close()) });
    this._panel.append(head, this._state, this._log, this._jump, this._typing, composer);
    this._heard = h("div", { class: "heard", role: "status", "aria-live": "polite" });
    this._root.append(this._panel, this._launcher, this._heard);
    if (this._sdk) this._listen(this._sdk);
    else {
      go.disabled = this._input.disabled = true;
      this._stand(texts.misconfigured);
    }
    if (this.hasAttribute("open")) this.open();
  }

  private _listen(sdk: WidgetSDK): void {
    if (["voice", "unified"].includes(this.getAttribute("mode") ?? "")) {
      sdk.load<typeof import("./voice-bar.ts")>(VOICE).then(({ voiceBar }) => voiceBar(this, this._input.form!)).catch(() => this.noVoice());
    }
    this.chat.on("change", () => this._show());
    this.chat.on("typing", ({ isTyping }) => {
      if (!isTyping && this._root.activeElement === this._stop) this._input.focus(); // what is hidden can have no focus
      this._typing.hidden = this._stop.hidden = !isTyping;
    });
    this.chat.on("message", (message) => this._came(message));
    for (const name of ["messageSent", "messageFailed", "error"] as const) this.chat.on(name, (detail: unknown) => this._tell(name, detail));
    sdk.on("connectionChange", (detail) => {
      this._connection();
      this._tell("connectionChange", detail);
    });
    for (const name of ["sessionStart", "sessionEnd", "handoff"] as const) sdk.on(name, (detail: unknown) => this._tell(name, detail));
    this._connection();
    this._show();
  }

  private async _connect(): Promise<void> {
    try {
      await this._sdk?.connect();
    } catch (caught) {
      this._connection();
      this._tell("error", { error: caught });
    }
  }

  private _connection(): void {
    const { texts } = this;
    const said = { pausing: texts.offline, exhausted: texts.lost, refused: texts.refused, displaced: texts.displaced, ended: texts.ended } as Record<string, string>;
    const state = this._sdk?.getConnectionState() ?? "idle";
    this._stand(said[state] ?? this._notice, state === "exhausted" || state === "displaced");
  }

  private _stand(text: string, again = false): void {
    if (this._state.contains(this._root.activeElement)) this._input.focus(); // what is taken away can have no focus
    this._state.hidden = !text;
    const button = h("button", { type: "button", onclick: () => void this._connect() }, this.texts.again);
    this._state.replaceChildren(text, ...(again ? [button] : []));
  }

  private _show(): void {
    const messages = this.chat.getMessages();
    const focused = this._root.activeElement;
    this._start.hidden = messages.length > 0;
    this._list.show(messages);
    if (focused && (!focused.isConnected || (focused as HTMLButtonElement).disabled)) this._input.focus();
    this._scrolled();
  }

  private _toEnd(): void {
    this._list.toEnd();
    this._log.focus(); // the button goes
  }

  private _showEarlier(): void {
    this._list.earlier();
    this._scrolled();
    if (this._earlier.hidden) this._log.focus();
  }

  private _scrolled(): void {
    this._list.follow();
    this._jump.hidden = this._list.follows;
  }

  private _came(message: Message): void {
    this._tell("message", message);
    if (message.role !== "assistant") return;
    this.announce(`${this.texts.agent}: ${message.content}`);
    if (!this.isOpen) this._count(this._unread + 1);
  }

  private _count(unread: number): void {
    this._unread = unread;
    this._badge.hidden = !unread;
    this._badge.textContent = String(unread);
    this._launcher.setAttribute("aria-label", unread ? this.texts.openUnread.replace("{n}", String(unread)) : this.texts.open);
  }

  private _moved(event: KeyboardEvent): void {
    if (event.target !== this._log || (event.key !== "Home" && event.key !== "End")) return;
    event.preventDefault(); // the page has no more than a part of the list
    if (event.key === "Home") this._list.toStart();
    else this._list.toEnd();
    this._scrolled();
  }

  private _pressed(event: KeyboardEvent): void {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    this._submit();
  }

  private _submit(): void {
    const text = this._input.value;
    if (!text.trim()) return;
    this._say(text, () => void (this._input.value = ""));
  }

  private _say(text: string, kept: () => void = () => undefined): void {
    this._input.focus();
    this.send(text).then(kept, (caught) => this.failed(caught));
  }

  private _tell(name: string, detail: unknown): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }
}
