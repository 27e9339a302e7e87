import type { FormEvent } from "react";
import type { ActionElement, ChatClient, Message } from "@agent-platform/web-sdk";

/** The buttons and fields of a message. `actionState` says whether they can be answered, also after a reload. */
export function Actions({ message, chat }: { message: Message; chat: ChatClient }) {
  const { actions, actionState } = message;
  if (!actions) return null;
  const closed = actionState !== "open";
  const answer = (actionId: string, given: { value?: string; formData?: Record<string, string> }): void => {
    void chat.submitAction({ actionId, renderId: message.id, ...given });
  };

  const buttons = actions.elements.filter(({ type }) => type === "button");
  const fields = actions.elements.filter(({ type }) => type !== "button");
  const submitId = actions.submit_id ?? (actions.submit_label && "submit");
  const forms = submitId && fields.length ? [fields] : fields.map((field) => [field]); // one form for all, or one for each

  const send = (event: FormEvent<HTMLFormElement>, [first]: ActionElement[]): void => {
    event.preventDefault();
    const filled = [...new FormData(event.currentTarget)].filter(([, value]) => value !== "");
    const formData = Object.fromEntries(filled) as Record<string, string>;
    if (submitId) answer(submitId, { formData });
    else answer(first.id, { value: formData[first.id] ?? "" });
  };

  return (
    <>
      {forms.map((form) => (
        <form key={form[0].id} className="actions" onSubmit={(event) => send(event, form)}>
          {form.map((field) => (
            <Field key={field.id} field={field} disabled={closed} />
          ))}
          <button disabled={closed}>{actions.submit_label ?? "OK"}</button>
        </form>
      ))}
      {buttons.length > 0 && (
        <div className="actions">
          {buttons.map(({ id, label, value }) => (
            <button key={id} disabled={closed} onClick={() => answer(id, value === undefined ? {} : { value })}>
              {label}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

function Field({ field, disabled }: { field: ActionElement; disabled: boolean }) {
  const { id, label, type, input_type, placeholder, required, options = [] } = field;
  return (
    <label>
      {label}
      {type === "input" ? (
        <input name={id} type={input_type ?? "text"} placeholder={placeholder} required={required} disabled={disabled} />
      ) : (
        <select name={id} required={required} disabled={disabled}>
          <option value="">Choose</option>
          {options.map((option) => (
            <option key={option.id} value={option.id}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </label>
  );
}
