import type { ActionAnswer, ChatClient } from "../chat.ts";
import type { ActionElement, Message } from "../types.ts";
import { h } from "./dom.ts";
import type { Texts } from "./texts.ts";

/** What buttons and forms need of the widget. */
export interface FormOwner {
  readonly chat: ChatClient;
  readonly texts: Texts;
  /** Something could not be done. */
  failed(caught: unknown): void;
}

type Field = HTMLInputElement | HTMLSelectElement;

/** Under which id the fields of a set are sent that has a label for its button and no id. Source: docs/websocket.md. */
const SUBMIT_ID = "submit";

/** Return the buttons and forms of a message; those that were answered, or cannot be any more, are disabled. */
export function actionsOf(message: Message, owner: FormOwner): Node[] {
  const set = message.actions;
  if (!set) return [];
  const { answer } = message;
  const closed = message.actionState !== "open";
  const submitId = set.submit_id ?? (set.submit_label && SUBMIT_ID);
  const fields: Field[] = [];
  const submit = (given: ActionAnswer): void => void owner.chat.submitAction(given).catch((caught) => owner.failed(caught));
  const form = (asked: Field[], nodes: Node[], answered: (given: Record<string, string>) => ActionAnswer): Node => {
    const onsubmit = (event: Event): void => {
      event.preventDefault();
      const filled = asked.filter((field) => field.value).map((field) => [field.name, field.value]);
      submit(answered(Object.fromEntries(filled)));
    };
    return h("form", { class: "actions", onsubmit }, ...nodes, h("button", { type: "submit", disabled: closed }, set.submit_label ?? owner.texts.submit));
  };
  const nodes = set.elements.map((element): Node => {
    const { id: actionId, label, value } = element;
    if (element.type === "button") {
      const onclick = (): void => submit({ actionId, ...(value === undefined ? {} : { value }) });
      return h("button", { type: "button", onclick, disabled: closed, "aria-pressed": String(answer?.actionId === actionId) }, label);
    }
    const field = fieldOf(element, closed, owner.texts);
    const sent = answer?.formData?.[actionId] ?? (answer?.actionId === actionId ? answer.value : undefined);
    if (sent !== undefined) field.value = String(sent);
    const labelled = h("label", {}, label, field);
    if (!submitId) return form([field], [labelled], (given) => ({ actionId, value: given[actionId] ?? "" }));
    fields.push(field);
    return labelled;
  });
  if (fields.length && submitId) return [form(fields, nodes, (formData) => ({ actionId: submitId, formData }))];
  return nodes.length ? [h("div", { class: "actions", part: "actions" }, ...nodes)] : [];
}

function fieldOf(element: ActionElement, disabled: boolean, texts: Texts): Field {
  const given = { name: element.id, disabled, required: Boolean(element.required) };
  if (element.type === "input") return h("input", { ...given, type: element.input_type ?? "text", placeholder: element.placeholder ?? "" });
  const options = (element.options ?? []).map((option) => h("option", { value: option.id }, option.label));
  return h("select", given, h("option", { value: "" }, texts.choose), ...options);
}

/** The rules of what is made here, for the widget's style sheets. */
export const FORM_STYLE = `
.actions{display:flex;flex-wrap:wrap;gap:8px}
.actions label{display:flex;flex-direction:column;gap:2px;width:100%;font-size:14px}
.actions input,.actions select{padding:6px 8px;min-height:34px}
.actions button[aria-pressed=true]{border-color:var(--agent-primary);border-width:2px;opacity:1}
`;
