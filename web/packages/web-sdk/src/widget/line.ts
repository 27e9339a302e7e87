import type { ActionAnswer, ChatClient } from "../chat.ts";
import type { ActionElement, ActionSet, Message } from "../types.ts";
import { h, MarkdownView } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** What a line needs of the widget. */
export interface LineOwner {
  readonly chat: ChatClient;
  readonly texts: Texts;
  /** Which thumb the visitor gave an answer, 1 up and 0 down, by its id. */
  readonly rated: Map<string, 0 | 1>;
  /** Tell a reader who does not see it. */
  announce(text: string): void;
  /** Something could not be done. */
  failed(caught: unknown): void;
}

type Field = HTMLInputElement | HTMLSelectElement;

/** Under which id the fields of a set are sent that has a label for its button and no id. Source: docs/websocket.md. */
const SUBMIT_ID = "submit";

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
    const standing = [message.id, message.role, message.status, message.failure, message.actionState, message.answer?.actionId].join();
    if (standing === this._standing) return;
    this._standing = standing;
    this.node.dataset.role = message.role;
    this.node.dataset.status = message.status ?? "done";
    this.node.dataset.actions = message.actionState ?? "";
    const below = [...this._actionsOf(message), ...this._footOf(message)];
    this.node.replaceChildren(this._bubble, ...below);
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

  private _actionsOf(message: Message): Node[] {
    const set = message.actions;
    if (!set) return [];
    const { answer } = message;
    const closed = message.actionState !== "open";
    const submitId = set.submit_id ?? (set.submit_label && SUBMIT_ID);
    const fields: Field[] = [];
    const nodes = set.elements.map((element): Node => {
      const { id: actionId, label, value } = element;
      if (element.type === "button") {
        const button = this._button(label, () => this._owner.chat.submitAction({ actionId, ...(value === undefined ? {} : { value }) }));
        button.className = "";
        button.disabled = closed;
        button.setAttribute("aria-pressed", String(answer?.actionId === actionId));
        return button;
      }
      const field = this._field(element, closed);
      const sent = answer?.formData?.[actionId] ?? (answer?.actionId === actionId ? answer.value : undefined);
      if (sent !== undefined) field.value = String(sent);
      const labelled = h("label", {}, label, field);
      if (!submitId) return this._form(set, [field], closed, [labelled], (given) => ({ actionId, value: given[actionId] ?? "" }));
      fields.push(field);
      return labelled;
    });
    if (fields.length && submitId) return [this._form(set, fields, closed, nodes, (formData) => ({ actionId: submitId, formData }))];
    return nodes.length ? [h("div", { class: "actions", part: "actions" }, ...nodes)] : [];
  }

  private _field(element: ActionElement, disabled: boolean): Field {
    const given = { name: element.id, disabled, required: Boolean(element.required) };
    if (element.type === "input") return h("input", { ...given, type: element.input_type ?? "text", placeholder: element.placeholder ?? "" });
    const options = (element.options ?? []).map((option) => h("option", { value: option.id }, option.label));
    return h("select", given, h("option", { value: "" }, this._owner.texts.choose), ...options);
  }

  private _form(set: ActionSet, fields: Field[], disabled: boolean, nodes: Node[], answer: (given: Record<string, string>) => ActionAnswer): Node {
    const submit = (event: Event): void => {
      event.preventDefault();
      const filled = fields.filter((field) => field.value).map((field) => [field.name, field.value]);
      this._run(() => this._owner.chat.submitAction(answer(Object.fromEntries(filled))));
    };
    return h("form", { class: "actions", onsubmit: submit }, ...nodes, h("button", { type: "submit", disabled }, set.submit_label ?? this._owner.texts.submit));
  }
}
