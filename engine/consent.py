"""What a tool needs of the user before it runs: a yes to this call, consent to a kind of call, a sign-in.

One door for the model's calls and the CALLs of steps: `needed` says what is missing, `ask` asks it, `answer` takes the
next message. Decisions: 0012, 0044. Spec: abl-language 3.2 (confirm, consent, auth_jit), 8 (confirmation), 14.3 (3).
"""

from __future__ import annotations

from typing import Literal

from domain.json_values import JsonObject
from engine import calls, changing, extraction_model, gather, questions, saying
from engine.answer_floor import may_name_something
from engine.answer_question import Asked
from engine.answers import Label, says_action
from engine.arguments import checked
from engine.effects import Suspend
from engine.limits import MAX_MISSES
from engine.run import Run
from engine.state import Outcome, Task

Need = Literal["", "confirm", "consent", "auth", "declined", "unauthorized"]
Answer = Label | Literal["changed", "unclear"]
GRANTED, DECLINED = "granted", "declined"
BY_MODEL = ("yes", "no", "other")
"""What a model may call an answer."""
_FREE = frozenset({"string", "any", "object", "array", "list", "boolean"})
"""Types of which every text is a value, or none by itself."""
OUTCOMES: dict[Answer, str] = {
    "yes": "confirmed",
    "no": DECLINED,
    "cancel": DECLINED,
    "changed": "changed",
    "correction": "corrected",
    "wait": "unclear",
    "question": "unclear",
    "other": "unclear",
    "unclear": "unclear",
}


def needed(run: Run, tool: JsonObject, arguments: JsonObject) -> Need:
    """Return what has to be had of the user before this call: sign-in, then consent, then a yes to the call itself."""
    if tool.get("jit_auth") and (profile := str(tool.get("auth_profile_ref") or "")):
        state = run.state.consents.get(f"auth:{profile}")
        if state is None:
            return "auth"
        if state == DECLINED:
            return "unauthorized"
    if (need := _consent_needed(run, tool)) != "":
        return need
    if not changing.asks_each_time(tool) or _is_confirmed(run, tool, arguments):
        return ""
    return "confirm"


def _consent_needed(run: Run, tool: JsonObject) -> Need:
    confirmation = tool.get("confirmation") or {}
    how = confirmation.get("consent_required_in")
    if (
        not how
        and tool.get("consent_mode")
        and (confirmation.get("consent_action") or confirmation.get("consent_scope"))
    ):
        how = "explicit_prompt"  # when to ask is said, and what for
    if not how:
        return ""
    states = [run.state.consents.get(key) for key in _scopes(tool)]
    if DECLINED in states:
        return "declined"
    if all(state == GRANTED for state in states):
        return ""
    if how == "conversation":
        if _is_said(run, confirmation):
            _note(run, tool, granted=True)
            return ""
        if confirmation.get("consent_fallback") == "block":
            return "declined"
    return "consent"


def _scopes(tool: JsonObject) -> list[str]:
    return list((tool.get("confirmation") or {}).get("consent_scope") or ()) or [f"tool:{tool['name']}"]


def _is_said(run: Run, confirmation: JsonObject) -> bool:
    """Return whether the user's own words hold the consent: those of the action, and that the user wants it."""
    action = str(confirmation.get("consent_action", ""))
    return says_action(run.state.turn.text, action, questions.pack_of(run))


def _is_confirmed(run: Run, tool: JsonObject, arguments: JsonObject) -> bool:
    """Return whether the user has said yes to this call, exactly as it is."""
    asked = run.thread.confirmation
    is_granted = asked.get("granted") == tool["name"] and asked.get("granted_in") == run.state.turn.number
    return is_granted and (asked.get("arguments") or {}) == arguments


def grant_again(run: Run, tool: str, step: str, arguments: JsonObject) -> None:
    """Let a step's call that has surely failed be tried again in this turn without another yes."""
    granted = {"granted": tool, "granted_in": run.state.turn.number}
    run.thread.confirmation = {"tool": tool, "step": step, "arguments": arguments, **granted}


def as_settled(run: Run, tool: str, step: str, arguments: JsonObject) -> JsonObject:
    """Return the arguments of a step's call: exactly those that were agreed to, or with what the user has corrected."""
    asked = run.thread.confirmation
    if asked.get("tool") != tool or asked.get("step") != step:
        return arguments
    if asked.get("granted") == tool and asked.get("granted_in") == run.state.turn.number:
        return dict(asked.get("arguments") or {})
    return {**arguments, **(asked.get("corrected") or {})}


def ask(run: Run, need: Need, tool: JsonObject, arguments: JsonObject, **kept: object) -> str:
    """Ask the user for a yes and remember what it is for; return the question."""
    words = questions.question(run, tool, arguments) if need == "confirm" else _consent_question(run, tool)
    if need == "consent" and arguments and changing.asks_each_time(tool):
        words = f"{questions.shown_call(run, tool, arguments)} {words}"  # one yes for both
    corrected = run.thread.confirmation.get("corrected") if kept.get("step") else None
    kept = {**kept, "question": words, "turn": run.state.turn.number}
    run.thread.confirmation = {"kind": need, "tool": tool["name"], "arguments": arguments, **kept}
    if corrected:
        run.thread.confirmation["corrected"] = corrected
    run.decide("pause", tool["name"], outcome="confirmation" if need == "confirm" else "consent")
    return words


def _consent_question(run: Run, tool: JsonObject) -> str:
    confirmation = tool.get("confirmation") or {}
    action = questions.action_of(tool)
    scope = ", ".join(confirmation.get("consent_scope") or ())
    task = f"{action[:1].lower()}{action[1:]}"
    return run.message("consent_question", {"action": action, "task": task, "scope": scope})


def is_yes(run: Run) -> bool:
    """Return whether the message of this turn is a yes to the open question, and nothing else."""
    return _read(run, run.thread.confirmation) == "yes"


def _read(run: Run, asked: JsonObject) -> Label:
    """Return what the message of this turn is; it is no yes to a question that was asked longer ago."""
    label = questions.read(run, _asked(run, asked)).label
    is_next = asked.get("turn") == run.state.turn.number - 1
    return "other" if label == "yes" and not is_next else label


def _asked(run: Run, asked: JsonObject) -> Asked:
    tool = calls.tool_of(run, str(asked.get("tool"))) or {"name": str(asked.get("tool"))}
    return Asked(str(asked.get("question", "")), questions.names_of(tool), asked.get("arguments") or {})


def is_open_to_model(run: Run) -> bool:
    """Return whether a model may say what the message of this turn is: the words leave it open, and name nothing.

    They are held to every language of the project, as what the session's own does not know may be a no in another.
    """
    asked = run.thread.confirmation
    is_next = asked.get("turn") == run.state.turn.number - 1 and not run.state.turn.is_unread
    if not run.state.begun.has_model or not is_next:
        return False
    said = run.state.turn.text
    is_bare = questions.read(run, _asked(run, asked)).is_bare and not questions.is_correction(run)
    if not is_bare or _is_value(run, asked):
        return False
    takes_text = any(isinstance(value, str) for value in (asked.get("arguments") or {}).values())
    return not may_name_something(said, run.program.packs.values(), questions.pack_of(run), takes_text=takes_text)


def _is_value(run: Run, asked: JsonObject) -> bool:
    """Return whether the message could be a value of what the open call is made with: "tomorrow", "the blue one"."""
    tool = calls.tool_of(run, str(asked.get("tool"))) or {}
    said = run.state.turn.text
    fields = [
        {**one, "type": "enum", "enum_values": one["enum"]} if one.get("enum") else one
        for one in tool.get("parameters", ())
    ]
    return any(
        gather.read_value(run, one, said) is not None for one in fields if one.get("type", "string") not in _FREE
    )


def ask_model(run: Run) -> str:
    """Ask a model what the answer to the open question is; return the effect's id."""
    system = (
        "A user was asked a question of yes and no. Say with JSON only what the user's last message is: `yes` only "
        "where it is a full and immediate yes and nothing else, `no` where it refuses, else `other`.\n"
        f"Question: {run.thread.confirmation.get('question', '')}"
    )
    schema: JsonObject = {
        "type": "object",
        "properties": {"answer": {"type": "string", "enum": list(BY_MODEL)}},
        "required": ["answer"],
    }
    return extraction_model.send(run, system, run.state.turn.text, schema, "coordination")


def model_answer(run: Run, effect: str) -> str:
    """Return what a model said an answer is, `other` when it gave none of the words it may give."""
    found = str(extraction_model.answer_of(run, effect).get("answer", ""))
    return found if found in BY_MODEL else "other"


def answer(run: Run, tool: JsonObject, now: JsonObject | None = None, *, by_model: str = "") -> Answer:
    """Take the user's answer to what `ask` asked; `now`: the arguments as they are by now, where they are worked out.

    `by_model`: what a model said of an answer that `is_open_to_model`.

    Returns:
        `yes`: to exactly what was asked about. `changed`: a yes, but something is different by now. `correction`: other
        values, kept in the confirmation. `unclear`: a correction of which nobody knows what it changes. `no`, `cancel`.
        All others leave the question open.
    """
    asked = run.thread.confirmation
    before = asked.get("arguments") or {}
    found: Answer = _corrected(run, tool) or _read(run, asked)
    if found == "other" and by_model in ("yes", "no") and is_open_to_model(run):
        found = "yes" if by_model == "yes" else "no"
    if found == "other" and questions.is_correction(run):
        found = "unclear"
    if found == "yes" and _has_changed(run, before, now):
        found = "changed"
    is_consent = asked.get("kind") == "consent"
    if is_consent and found in ("yes", "changed", "no", "cancel"):
        _note(run, tool, granted=found in ("yes", "changed"))
    stays = found == "yes" and (not is_consent or (bool(before) and changing.asks_each_time(tool)))
    if stays:
        run.thread.confirmation = {**asked, "granted": asked["tool"], "granted_in": run.state.turn.number}
    elif found != "correction":
        kept: JsonObject = {name: asked[name] for name in ("tool", "step", "corrected") if name in asked}
        run.thread.confirmation = kept if "corrected" in kept and found not in ("yes", "no", "cancel") else {}
    run.decide("resume", str(asked["tool"]), outcome=OUTCOMES[found], matched=found == "yes")
    return found


def _has_changed(run: Run, before: JsonObject, now: JsonObject | None) -> bool:
    """Return whether this turn has given a value that was asked about another one."""
    changed = {name: value for name, value in run.state.turn.changed.items() if name != "intent"}
    if now is None:
        return any(changed.get(name, value) != value for name, value in before.items())
    return bool(changed) and now != before


def _corrected(run: Run, tool: JsonObject) -> Answer | None:
    """Take other values for the arguments, those that the tool allows; None where the answer gives none.

    What stands under `fixed` stays: immutable parameters, and what the user has not given. Decision: 0098.
    """
    asked = run.thread.confirmation
    before: JsonObject = asked.get("arguments") or {}
    if not before or not changing.asks_each_time(tool):
        return None
    fixed = asked.get("fixed") or ()
    free = [one for one in tool.get("parameters") or () if one["name"] not in fixed]
    found = questions.corrected(run, _asked(run, asked), free)
    if not found.values:
        return "unclear" if found.is_unclear else None
    made, faults = checked(tool, found.values)
    if faults or not made:
        return "unclear"
    known = {**(asked.get("corrected") or {}), **made}
    run.thread.confirmation = {**asked, "arguments": {**before, **made}, "corrected": known}
    if found.is_partial:
        saying.tell(run, "correction_partly")
    return "correction"


def _note(run: Run, tool: JsonObject, *, granted: bool) -> None:
    for key in _scopes(tool):
        run.state.consents[key] = GRANTED if granted else DECLINED


def sign_in(run: Run, tool: JsonObject, again: tuple[str, JsonObject]) -> None:
    """Ask for a sign-in and suspend; afterwards the task `again` is done once more."""
    profile = str(tool["auth_profile_ref"])
    suspension = run.send(Suspend, kind="auth", subject=profile)
    saying.say(run, run.message("auth_required", {"profile": profile}))
    run.push(again[0], **again[1])
    run.push("suspend.begin", task=["auth.done", {"effect": suspension, "profile": profile}], effect=suspension)


def signed_in(run: Run, task: Task) -> None:
    """Take the outcome of a sign-in: `{authorized: false}` and no answer in time are a refusal."""
    outcome = run.take(task.data["effect"])
    refused = isinstance(outcome.value, dict) and outcome.value.get("authorized") is False
    is_in = outcome.ok and not refused
    run.state.consents[f"auth:{task.data['profile']}"] = GRANTED if is_in else DECLINED
    run.decide("resume", task.data["profile"], outcome="authorized" if is_in else DECLINED, matched=is_in)


def refusal(need: Need, tool: JsonObject) -> Outcome:
    """Return what a call comes to that the user has refused."""
    if need == "unauthorized":
        message = f"The user is not signed in to {tool.get('auth_profile_ref')}"
        return Outcome(ok=False, kind="credential_not_found", message=message, code="unauthorized")
    return Outcome(ok=False, kind="constraint_violation", message="The user has not agreed to this", code="declined")


def preflight(run: Run, task: Task) -> None:
    """Before an agent does anything, ask what its tools with `consent: preflight` need."""
    thread, turn = run.thread, run.state.turn
    tries = 0
    if thread.confirmation.get("preflight"):
        asked, tool = thread.confirmation, run.agent.tools[thread.confirmation["tool"]]
        tries = int(asked.get("tries", 0)) + 1
        if answer(run, tool) not in ("yes", "no", "cancel") and tries >= MAX_MISSES:
            _note(run, tool, granted=False)
        thread.confirmation = {}
        turn.text = str(asked["text"])
    for name in run.agent.preflight:
        tool = run.agent.tools[name]
        need = needed(run, tool, {})
        if need == "auth":
            sign_in(run, tool, (task.op, {}))
            return
        if need == "consent":
            run.unwind_turn()
            saying.say(run, ask(run, need, tool, {}, preflight=True, text=turn.text, tries=tries))
            return


OPS = {"auth.done": signed_in, "consent.preflight": preflight}
