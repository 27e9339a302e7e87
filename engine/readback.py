"""Values read back before a gather counts as complete: inferred ones, and all of them where a profile wants it.

Spec: abl-language 3.3 (infer_confirm), 3.18 (confirmation).
"""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import consent, gather, profiles, saying, variables
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


def answered(run: Run, step_name: str) -> bool:
    """Take the answer; return whether the values stand. Corrections have been taken already."""
    names, counters = list(run.thread.asked), run.thread.counters
    run.state.turn.is_consumed = True
    run.thread.awaiting = ""
    if consent.is_yes(run):
        counters[f"readback:{step_name}"] = 1
        counters.pop(f"changed:{step_name}", None)
        for name in names:
            if run.thread.gathered.get(name) == UNCONFIRMED:
                run.thread.gathered[name] = "user"
        run.decide("resume", ", ".join(names), outcome="confirmed", matched=True, kind="readback")
        return True
    run.decide("resume", ", ".join(names), outcome="declined", matched=False, kind="readback")
    unsure = [name for name in names if run.thread.gathered.get(name) == UNCONFIRMED]
    for name in unsure or (names if len(names) == 1 else ()):
        variables.clear_value(run, name)
    if not unsure and len(names) > 1 and not gather.correct(run, freely=True):
        run.thread.awaiting, run.thread.asked = AWAITING, names
        saying.say(run, run.message("gather_change"))
        run.act("collect", fields=names, prompts=[])
    return False


def _shown(run: Run, field: JsonObject) -> str:
    value = run.scope.get(field["name"])
    return masked(field, value) if is_sensitive(field) else str(value)
