"""Values read back before a gather counts as complete: inferred ones, and all of them where a profile wants it.

Spec: abl-language 3.3 (infer_confirm), 3.18 (confirmation).
"""

from __future__ import annotations

from typing import Literal

from domain.json_values import JsonObject
from engine import gather, profiles, questions, saying, variables
from engine.answer_question import Asked
from engine.limits import MAX_MISSES
from engine.run import Run
from engine.sensitive import is_sensitive, masked

UNCONFIRMED = "unconfirmed"
AWAITING = "readback"


def wanted(run: Run, step_name: str, fields: list[JsonObject]) -> list[str]:
    """Return the fields that have to be read back now."""
    given = [one["name"] for one in fields if run.scope.get(one["name"]) is not None]
    unsure = [name for name in given if run.thread.gathered.get(name) == UNCONFIRMED]
    if unsure:
        return unsure
    style = profiles.gather_rule(run, "confirmation")
    counters = run.thread.counters
    is_changed = bool(counters.get(f"changed:{step_name}"))
    is_new = not counters.get(f"readback:{step_name}")
    if (style == "always" and (is_new or is_changed)) or (style == "on_change" and is_changed):
        return given
    return []


def ask(run: Run, names: list[str], fields: list[JsonObject]) -> None:
    """Read values back and wait for a yes."""
    known = {one["name"]: one for one in fields}
    lines = [f"{name.replace('_', ' ')}: {_shown(run, known[name])}" for name in names]
    words = run.message("gather_confirm", {"fields": ", ".join(lines)})
    run.thread.awaiting, run.thread.asked = AWAITING, names
    saying.say(run, words)
    run.act("collect", fields=names, prompts=[words])


def answered(run: Run, step_name: str) -> Literal["stands", "open", "failed"]:
    """Take the answer; return whether the values stand, are open again, or were asked about as often as they may be."""
    names, counters = list(run.thread.asked), run.thread.counters
    run.state.turn.is_consumed = True
    run.thread.awaiting = ""
    is_change_asked = bool(counters.pop(f"change:{step_name}", 0))
    asked = Asked(questions.last_said(run), arguments={name: run.scope.get(name) for name in names})
    label = questions.read(run, asked).label
    if label == "yes" and not is_change_asked:
        counters[f"readback:{step_name}"] = 1
        for key in (f"changed:{step_name}", f"unclear:{step_name}"):
            counters.pop(key, None)
        for name in names:
            if run.thread.gathered.get(name) == UNCONFIRMED:
                run.thread.gathered[name] = "user"
        run.decide("resume", ", ".join(names), outcome="confirmed", matched=True, kind="readback")
        return "stands"
    if _correct(run, asked, freely=is_change_asked):
        counters[f"changed:{step_name}"] = 1
        return "open"
    is_unclear = label not in ("no", "cancel")
    if is_unclear and _asks_again(run, step_name, names):
        return "open"
    run.decide("resume", ", ".join(names), outcome="declined", matched=False, kind="readback")
    unsure = [name for name in names if run.thread.gathered.get(name) == UNCONFIRMED]
    for name in unsure or (names if len(names) == 1 else ()):
        variables.clear_value(run, name)
    if is_unclear and _retries(run, names) is not None:
        run.push("flow.failed", step=step_name, field=names[0])
        return "failed"
    if not unsure and len(names) > 1:
        counters[f"change:{step_name}"] = 1
        run.thread.awaiting, run.thread.asked = AWAITING, names
        saying.say(run, run.message("gather_change"))
        run.act("collect", fields=names, prompts=[])
    return "open"


def _correct(run: Run, asked: Asked, *, freely: bool) -> bool:
    """Take other values for what was read back; return whether there were any."""
    fields = [field for name in asked.arguments if (field := run.agent.fields.get(name)) is not None]
    found = questions.corrected(run, asked, [{**one, "enum": one.get("enum_values")} for one in fields])
    for field in fields:
        if field["name"] in found.values:
            gather.offer(run, field, found.values[field["name"]])
    return bool(found.values) or (not found.is_unclear and gather.correct(run, freely=freely))


def _asks_again(run: Run, step_name: str, names: list[str]) -> bool:
    """Read the values back once more, unless that was done often enough; return whether it was."""
    key = f"unclear:{step_name}"
    run.thread.counters[key] = run.thread.counters.get(key, 0) + 1
    retries = _retries(run, names)
    if run.thread.counters[key] > (MAX_MISSES - 1 if retries is None else retries):
        del run.thread.counters[key]
        return False
    run.decide("resume", ", ".join(names), outcome="unclear", matched=False, kind="readback")
    if questions.is_correction(run):
        saying.tell(run, "correction_unclear")
    ask(run, names, gather.fields_of(run, step_name))
    return True


def _retries(run: Run, names: list[str]) -> int | None:
    """Return the most of what MAX_RETRIES of the fields says, None where none has it."""
    checks = [(run.agent.fields.get(name) or {}).get("validation") or {} for name in names]
    return max((int(one["max_retries"]) for one in checks if one.get("max_retries") is not None), default=None)


def _shown(run: Run, field: JsonObject) -> str:
    value = run.scope.get(field["name"])
    return masked(field, value) if is_sensitive(field) else str(value)
