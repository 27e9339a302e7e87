import type { Entry } from "./outbox.ts";
import type { ActionSet, ActionState, Message, SentAnswer } from "./types.ts";

/** Return what an answer says in the words of the set that it answers; its value where it has none. */
export function wordsOf(set: ActionSet | undefined, { actionId, value = "", formData }: Pick<SentAnswer, "actionId" | "value" | "formData">): string {
  const given = formData ?? { [actionId]: value };
  const words = (set?.elements ?? []).flatMap(({ id, type, label, options }) => {
    if (!(id in given)) return [];
    const text = String(given[id]);
    return [type === "button" ? label : (options?.find((option) => option.id === text)?.label ?? text)];
  });
  return words.filter(Boolean).join(", ") || value;
}

/**
 * Which set of actions can be answered, and what became of the others: one is open at most. What is known later, by the
 * number of the output, wins; an answer stays one, so that a form does not wake up. Decisions: 0075, 0076.
 */
export class ActionSets {
  private _open: string | null = null;
  /** Up to which number of the output that is known. */
  private _knownSeq = -1;
  private _answers = new Map<string, SentAnswer | null>();
  /** What was pressed and sent here, and has not been refused; by the id of its message. */
  private _sent = new Map<string, SentAnswer>();

  /** Id of the message whose set can be answered now; what this page has answered itself is open no more. */
  open(lines: readonly Message[]): string | null {
    const line = lines.find((one) => one.id === this._open);
    return line && this.stateOf(line) === "open" ? this._open : null;
  }

  /** Know which set is open at a number of the output. */
  openAt(seq: number, messageId: string | null): void {
    if (seq < this._knownSeq) return;
    this._knownSeq = seq;
    this._open = messageId;
  }

  /** Know that a set was answered, and by what where that is known. */
  answered(messageId: string, answer: SentAnswer | null): void {
    this._answers.set(messageId, answer ?? this._answers.get(messageId) ?? null);
  }

  /** Know what this browser sends; what was not taken leaves the set as it is. */
  sends({ id, kind, frame, state }: Entry): void {
    if (kind !== "action" || frame.type !== "action_submit") return;
    const { actionId, value, formData, renderId } = frame;
    if (state === "failed") this._sent.delete(id);
    else this._sent.set(id, { messageId: id, actionId, ...(value ? { value } : {}), ...(formData ? { formData } : {}), ...(renderId ? { renderId } : {}) });
  }

  /** Return what a message of this browser answered with; null where it sent none. */
  sent(id: string | undefined): SentAnswer | null {
    return (id !== undefined && this._sent.get(id)) || null;
  }

  stateOf(line: Message): ActionState | undefined {
    if (this._answers.has(line.id) || this._own(line)) return "answered";
    if (line.id === this._open) return "open";
    return line.actions || line.actionState ? "closed" : undefined;
  }

  /** Return the line with what is known of its actions: the same object where nothing of that is new. */
  marked(line: Message): Message {
    const actionState = this.stateOf(line);
    const answer = this._answers.get(line.id) ?? this._own(line);
    if (line.actionState === actionState && line.answer?.messageId === answer?.messageId) return line;
    const { actionState: _, answer: __, ...rest } = line;
    return { ...rest, ...(actionState ? { actionState } : {}), ...(answer ? { answer } : {}) };
  }

  /** Return what this browser sent for a set; a `render_id` that was used again is that of the open one. */
  private _own(line: Message): SentAnswer | undefined {
    for (const sent of this._sent.values()) {
      if (sent.renderId === line.id || (line.id === this._open && sent.renderId && sent.renderId === line.actions?.render_id)) return sent;
    }
    return undefined;
  }
}
