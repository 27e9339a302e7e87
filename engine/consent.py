"""What a tool needs of the user before it runs: a yes to this call, consent to a kind of call, a sign-in.

One door for the model's calls and the CALLs of steps: `needed` says what is missing, `ask` asks it, `answer` takes the
next message. Decision: 0012. Spec: abl-language 3.2 (confirm, consent, auth_jit), 8 (confirmation), 14.3 (3).
"""

from __future__ import annotations

from typing import Literal

from domain.json_values import JsonObject
from engine import saying
from engine.effects import Suspend
from engine.extraction.choices import means, spoken
from engine.extraction.vocabulary import vocabulary
from engine.limits import MAX_SHOWN_CHARS
from engine.run import Run
from engine.state import Outcome, Task

Need = Literal["", "confirm", "consent", "auth", "declined", "unauthorized"]
Answer = Literal["yes", "no", "changed", "unclear"]
GRANTED, DECLINED = "granted", "declined"
OUTCOMES: dict[Answer, str] = {"yes": "confirmed", "no": DECLINED, "changed": "changed", "unclear": "unclear"}


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
    if not _asks_each_time(tool) or _is_confirmed(run, tool, arguments):
        return ""
    return "confirm"


def _consent_needed(run: Run, tool: JsonObject) -> Need:
    confirmation = tool.get("confirmation") or {}
    how = confirmation.get("consent_required_in")
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
    """Return whether the user's own words hold the consent: all words of the action that say something."""
    said = spoken(run.state.turn.text)
    words = [word for word in spoken(str(confirmation.get("consent_action", ""))).split() if len(word) > 3]
    return bool(words) and all(f" {word}" in said for word in words)


def _asks_each_time(tool: JsonObject) -> bool:
    require = (tool.get("confirmation") or {}).get("require", "never")
    has_effects = bool((tool.get("hints") or {}).get("side_effects"))
    return require == "always" or (require == "when_side_effects" and has_effects)


def _is_confirmed(run: Run, tool: JsonObject, arguments: JsonObject) -> bool:
    """Return whether the user has said yes to this call, and nothing that may not change has changed since."""
    asked = run.thread.confirmation
    if asked.get("granted") != tool["name"]:
        return False
    return not changed_parameters(tool, asked.get("arguments") or {}, arguments)


def changed_parameters(tool: JsonObject, before: JsonObject, now: JsonObject) -> list[str]:
    """Return the parameters that may not change after the yes and have."""
    names = (tool.get("confirmation") or {}).get("immutable_params") or ()
    return [name for name in names if before.get(name) != now.get(name)]


def ask(run: Run, need: Need, tool: JsonObject, arguments: JsonObject, **kept: object) -> str:
    """Ask the user for a yes and remember what it is for; return the question."""
    words = question(run, tool, arguments) if need == "confirm" else _consent_question(run, tool)
    if need == "consent" and arguments and _asks_each_time(tool):
        words = f"{shown_call(tool, arguments)} {words}"  # one yes for both
    run.thread.confirmation = {"kind": need, "tool": tool["name"], "arguments": arguments, **kept}
    run.decide("pause", tool["name"], outcome="confirmation" if need == "confirm" else "consent")
    return words


def question(run: Run, tool: JsonObject, arguments: JsonObject) -> str:
    """Return what would be done, with its arguments, as a question; MESSAGES may word it (`confirm_call`)."""
    call = shown_call(tool, arguments)
    return run.message("confirm_call", {"call": call})


def shown_call(tool: JsonObject, arguments: JsonObject) -> str:
    """Return what a call would do, with its arguments."""
    shown = ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in arguments.items())[:MAX_SHOWN_CHARS]
    return f"{str(tool.get('description', tool['name'])).rstrip('.')} ({shown})."


def _consent_question(run: Run, tool: JsonObject) -> str:
    confirmation = tool.get("confirmation") or {}
    action = str(confirmation.get("consent_action") or tool.get("description") or tool["name"]).rstrip(".?")
    scope = ", ".join(confirmation.get("consent_scope") or ())
    task = f"{action[:1].lower()}{action[1:]}"
    return run.message("consent_question", {"action": action, "task": task, "scope": scope})


def is_yes(run: Run) -> bool:
    """Return whether the message of this turn is a yes and no no."""
    words = vocabulary(str(run.scope.get("language") or "en"))
    return means(run.state.turn.text, "yes", words) and not means(run.state.turn.text, "no", words)


def answer(run: Run, tool: JsonObject) -> Answer:
    """Take the user's answer to what `ask` asked: `yes`, `no`, `changed` (a yes to something else now), `unclear`."""
    asked = run.thread.confirmation
    before = asked.get("arguments") or {}
    found: Answer = "yes" if is_yes(run) else "no" if _is_no(run) else "unclear"
    if found == "yes":
        now = {name: run.state.turn.changed.get(name, value) for name, value in before.items()}
        found = "changed" if changed_parameters(tool, before, now) else "yes"
    is_consent = asked.get("kind") == "consent"
    if is_consent and found != "unclear":
        _note(run, tool, granted=found != "no")
    stays = found == "yes" and (not is_consent or (bool(before) and _asks_each_time(tool)))
    run.thread.confirmation = {**asked, "granted": asked["tool"]} if stays else {}
    run.decide("resume", str(asked["tool"]), outcome=OUTCOMES[found], matched=found == "yes")
    return found


def _is_no(run: Run) -> bool:
    words = vocabulary(str(run.scope.get("language") or "en"))
    return means(run.state.turn.text, "no", words) or means(run.state.turn.text, "cancel", words)


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
    if thread.confirmation.get("preflight"):
        asked = thread.confirmation
        answer(run, run.agent.tools[asked["tool"]])
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
            saying.say(run, ask(run, need, tool, {}, preflight=True, text=turn.text))
            return


OPS = {"auth.done": signed_in, "consent.preflight": preflight}
