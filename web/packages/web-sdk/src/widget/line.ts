import type { Message } from "../types.ts";
import { h, MarkdownView } from "./dom.ts";
import type { FormOwner } from "./forms.ts";

/** What a line needs of the widget. */
export interface LineOwner extends FormOwner {
  /** What makes buttons and forms; null until it is loaded. */
  readonly forms: typeof import("./forms.ts") | null;
  /** Which thumb the visitor gave an answer, 1 up and 0 down, by its id. */
  readonly rated: Map<string, 0 | 1>;
  /** Tell a reader who does not see it. */
  announce(text: string): void;
  /** Load what makes buttons and forms, and show the lines again. */
  wantForms(): void;
}

/** One message on the screen. */
export class Line {
  readonly id: string;
  readonly node = h("div", { class: "line", part: "message" });
  private readonly _owner: LineOwner;
  private readonly _bubble = h("div", { class: "bubble", part: "bubble", dir: "auto" });
  private readonly _markdown = new MarkdownView(this._bubble);
  private _content = "";
  private _standing = "";

  constructor(owner: LineOwner, id: string) {
    this._owner = owner;
    this.id = id;
    this.node.append(this._bubble);
  }

  /** Whether its buttons or form wait for an answer. */
  get isOpen(): boolean {
    return this.node.dataset.actions === "open";
  }

  /** Show a message as it is now; what has not changed is left alone. */
  show(message: Message): void {
    const text = message.content || message.richContent?.markdown || "";
    if (text !== this._content) {
      this._content = text;
      if (message.role === "user") this._bubble.textContent = text;
      else this._markdown.show(text);
    }
    this._bubble.hidden = !text;
    const { forms } = this._owner;
    if (message.actions && !forms) this._owner.wantForms();
    const standing = [message.id, message.role, message.status, message.failure, message.actionState, message.answer?.actionId, !forms].join();
    if (standing === this._standing) return;
    this._standing = standing;
    this.node.dataset.role = message.role;
    this.node.dataset.status = message.status ?? "done";
    this.node.dataset.actions = message.actionState ?? "";
    this.node.replaceChildren(this._bubble, ...(forms?.actionsOf(message, this._owner) ?? []), ...this._footOf(message));
  }

  private _run(run: () => Promise<unknown> | void): void {
    Promise.resolve().then(run).catch((caught) => this._owner.failed(caught));
  }

  private _button(text: string, run: () => Promise<unknown> | void): HTMLButtonElement {
    return h("button", { type: "button", class: "plain", onclick: () => this._run(run) }, text);
  }

  private _footOf(message: Message): Node[] {
    const { chat, texts, rated, announce } = this._owner;
    if (message.status === "failed") {
      if (message.role !== "user") return [h("div", { class: "failure" }, texts.notAnswered)];
      const retry = this._button(texts.retry, () => chat.retry(message.id));
      const discard = this._button(texts.discard, () => chat.discard(message.id));
      return [h("div", { class: "failure" }, texts.notSent), h("div", { class: "tools" }, retry, discard)];
    }
    if (message.role !== "assistant" || message.status === "streaming" || !this._content) return [];
    const rate = (thumb: 0 | 1) => async (): Promise<void> => {
      await chat.rate({ messageId: message.id, thumb });
      rated.set(message.id, thumb);
      announce.call(this._owner, texts.thanks);
      press();
    };
    const press = (): void => [bad, good].forEach((button, thumb) => button.setAttribute("aria-pressed", String(rated.get(message.id) === thumb)));
    const good = this._button("+1", rate(1));
    const bad = this._button("−1", rate(0));
    good.setAttribute("aria-label", texts.good);
    bad.setAttribute("aria-label", texts.bad);
    press();
    const tools = h("div", { class: "tools", part: "tools" }, good, bad);
    if (typeof navigator.clipboard?.writeText === "function") {
      tools.prepend(this._button(texts.copy, async () => {
        await navigator.clipboard.writeText(this._content);
        announce.call(this._owner, texts.copied);
      }));
    }
    return [tools];
  }
}
