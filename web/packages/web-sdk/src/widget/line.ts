import type { ChatClient } from "../chat.ts";
import type { ActionElement, Message } from "../types.ts";
import { h, MarkdownView } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** What a line needs of the widget. */
export interface LineOwner {
  readonly chat: ChatClient;
  readonly texts: Texts;
  /** Tell a reader who does not see it. */
  announce(text: string): void;
  /** Something could not be done. */
  failed(caught: unknown): void;
}

/** One message on the screen. */
export class Line {
  readonly node = h("div", { class: "line", part: "message" });
  private readonly _owner: LineOwner;
  private readonly _bubble = h("div", { class: "bubble", part: "bubble", dir: "auto" });
  private readonly _markdown = new MarkdownView(this._bubble);
  private readonly _actions = h("div", { class: "actions", part: "actions" });
  private readonly _foot = h("div");
  private _content = "";
  private _standing = "";

  constructor(owner: LineOwner) {
    this._owner = owner;
    this.node.append(this._bubble, this._actions, this._foot);
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
    const standing = [message.id, message.role, message.status, message.failure, message.actionState, message.answer?.actionId].join();
    if (standing === this._standing) return;
    this._standing = standing;
    this.node.dataset.role = message.role;
    this.node.dataset.status = message.status ?? "done";
    this._foot.replaceChildren(...this._footOf(message));
    this._actions.replaceChildren(...this._actionsOf(message));
  }

  private _button(text: string, run: () => Promise<unknown> | void): HTMLButtonElement {
    return h("button", { type: "button", class: "plain", onclick: () => void Promise.resolve().then(run).catch((caught) => this._owner.failed(caught)) }, text);
  }

  private _footOf(message: Message): Node[] {
    const { chat, texts, announce } = this._owner;
    if (message.status === "failed") {
      if (message.role !== "user") return [h("div", { class: "failure" }, texts.notAnswered)];
      const retry = this._button(texts.retry, () => chat.retry(message.id));
      const discard = this._button(texts.discard, () => chat.discard(message.id));
      return [h("div", { class: "failure" }, texts.notSent), h("div", { class: "tools" }, retry, discard)];
    }
    if (message.role !== "assistant" || message.status === "streaming" || !this._content) return [];
    const rate = (thumb: 0 | 1) => async (): Promise<void> => {
      await chat.rate({ messageId: message.id, thumb });
      announce.call(this._owner, texts.thanks);
      good.setAttribute("aria-pressed", String(thumb === 1));
      bad.setAttribute("aria-pressed", String(thumb === 0));
    };
    const good = this._button("+1", rate(1));
    const bad = this._button("−1", rate(0));
    good.setAttribute("aria-label", texts.good);
    bad.setAttribute("aria-label", texts.bad);
    const tools = h("div", { class: "tools", part: "tools" }, good, bad);
    if (typeof navigator.clipboard?.writeText === "function") {
      tools.prepend(this._button(texts.copy, async () => {
        await navigator.clipboard.writeText(this._content);
        announce.call(this._owner, texts.copied);
      }));
    }
    return [tools];
  }

  private _actionsOf(message: Message): Node[] {
    const set = message.actions;
    if (!set) return [];
    const { chat, texts } = this._owner;
    const closed = message.actionState !== "open";
    const fields = new Map<string, HTMLInputElement | HTMLSelectElement>();
    const labelled = (element: ActionElement, field: HTMLInputElement | HTMLSelectElement): Node => {
      const sent = message.answer?.formData?.[element.id];
      if (sent !== undefined) field.value = String(sent);
      fields.set(element.id, field);
      return h("label", {}, element.label, field);
    };
    const nodes = set.elements.map((element): Node => {
      const given = { disabled: closed, required: Boolean(element.required) };
      if (element.type === "input") return labelled(element, h("input", { ...given, type: element.input_type ?? "text", placeholder: element.placeholder ?? "" }));
      if (element.type === "select") {
        const options = (element.options ?? []).map((option) => h("option", { value: option.id }, option.label));
        return labelled(element, h("select", given, h("option", { value: "" }, texts.choose), ...options));
      }
      const { id: actionId, value, label } = element;
      const button = this._button(label, () => chat.submitAction({ actionId, text: label, ...(value === undefined ? {} : { value }) }));
      button.className = "";
      button.disabled = closed;
      button.setAttribute("aria-pressed", String(message.answer?.actionId === actionId));
      return button;
    });
    if (!fields.size) return nodes;
    const submit = async (event: Event): Promise<void> => {
      event.preventDefault();
      const formData: Record<string, string> = {};
      for (const [id, field] of fields) if (field.value) formData[id] = field.value;
      await chat.submitAction({ actionId: set.submit_id ?? "submit", formData, text: Object.values(formData).join(", ") });
    };
    const form = h("form", { class: "actions", onsubmit: (event: Event) => void submit(event).catch((caught) => this._owner.failed(caught)) }, ...nodes);
    form.append(h("button", { type: "submit", disabled: closed }, set.submit_label ?? texts.submit));
    return [form];
  }
}
