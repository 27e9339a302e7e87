"""What a step that gathers asks, and what it says around the question.

`gather.ask` asks for the first field that is missing or lets the step go on. RESPOND is the question of a field that
has none, and comes after the answer where it tells of it. Decision: 0063. Spec: abl-language 5.2, 5.3, 5.8, 14.4.
"""

from __future__ import annotations

import re

from domain.json_values import JsonObject
from engine import constraints, gather, profiles, readback, saying, variables
from engine.extraction.choices import spoken
from engine.run import Run
from engine.state import Task

_TAG = re.compile(r"\{\{(.*?)\}\}", re.DOTALL)
_PATH = re.compile(r"\s*([A-Za-z_]\w*)(?:[.\[].*)?\s*\Z", re.DOTALL)
_NAME = re.compile(r"(?<![.\w])[A-Za-z_]\w*")
_QUOTED = re.compile(r"\"[^\"{]*\"|'[^'{]*'")
_ASKING_SIGNS = ("?", "？", "؟", ":", "：", "か。")
MIN_NAME_CHARS = 3


def ask(run: Run, task: Task) -> None:
    """Ask for the first field that is missing and end the turn; with nothing missing the step goes on."""
    step_name = task.data["step"]
    step = profiles.step_of(run, step_name) or {}
    fields = gather.fields_of(run, step_name)
    if any(one["name"] in run.state.turn.changed for one in fields):
        rule = constraints.violated(run, constraints.rules_of(run))
        if rule is not None:
            run.push("constraint.act", rule=rule)
            return
    if step.get("complete_when") and run.test(step["complete_when"]):
        run.thread.asked = []
        gathered(run, step)
        return
    wanted = gather.missing(run, fields)
    for field in wanted:
        if gather.gives_up(run, field):
            run.thread.retries.pop(field["name"], None)
            run.push("flow.failed", step=step_name, field=field["name"])
            return
    if not wanted:
        run.thread.asked = []
        if names := readback.wanted(run, step_name, fields):
            readback.ask(run, names, fields)
            run.unwind()
        else:
            gathered(run, step)
        return
    _question(run, step, wanted)
    run.thread.awaiting = "gather"
    run.unwind()


def _question(run: Run, step: JsonObject, wanted: list[JsonObject]) -> None:
    gathering = step.get("gather") or {}
    failed = next((one for one in wanted if f"field:{one['name']}" in run.state.turn.failures), None)
    first = failed or wanted[0]
    _present(run, step)
    if failed is not None:
        words = gather.retry_text(run, failed)
    elif gathering.get("prompt") or gathering.get("message_key"):
        words = run.wording(str(gathering.get("message_key", ""))) or gathering.get("prompt", "")
    else:
        words = gather.prompt_of(run, first)
    by_respond = asks_by_respond(run, step, first) and first["name"] in asked_for(run, step)[:1]
    is_joint = failed is None and bool(gathering.get("prompt") or gathering.get("message_key"))
    names = [one["name"] for one in (wanted if is_joint else [first])]
    is_just_asked = run.state.turn.opening_unseen and failed is None and run.thread.asked[:1] == names[:1]
    run.thread.asked = names
    for name in names:
        run.thread.counters[f"asked:{name}"] = 1
    if by_respond:
        shown = _ask_by_respond(run, step, first, is_said=is_just_asked)
    else:
        shown = run.render(words)
        if not is_just_asked:
            saying.say(run, shown)
    run.act("collect", fields=[one["name"] for one in wanted], prompts=[shown])


def _ask_by_respond(run: Run, step: JsonObject, field: JsonObject, *, is_said: bool) -> str:
    """Put the question that RESPOND is, unless the step has just said it; return its words.

    What is said after an answer that fits nothing stands before it, or in its place where the author has words for it.
    """
    node, words = dict(step), _words_of(run, step)
    is_failed = f"field:{field['name']}" in run.state.turn.failures
    if is_failed:
        words = gather.own_retry(field) or f"{run.message('error_validation')} {words}"
        node.pop("message_key", None)
        node["respond"] = words
    is_said = is_said or (f"said:{step['name']}" in run.state.turn.failures and has_said(run, step["name"]))
    if is_failed or not is_said:
        saying.respond(run, node)
    return run.render(words)


def _present(run: Run, step: JsonObject) -> None:
    """Show PRESENT once something of it is known: every value it mentions is there."""
    words = step.get("present", "")
    if not words:
        return
    roots = re.findall(r"\{\{\s*([A-Za-z_]\w*)", words)
    if all(run.scope.get(name) is not None for name in roots):
        saying.say(run, run.render(words))


# --- RESPOND around the question -----------------------------------------------------------------------------------


def open_step(run: Run, step: JsonObject) -> None:
    """Say what a step begins with, unless it has to wait for the answer, or asks for what is there."""
    unsaid = f"unsaid:{step['name']}"
    run.thread.counters.pop(unsaid, None)
    if waits_with_answer(run, step):
        run.thread.counters[unsaid] = 1
    elif asks_once_more(run, step) or not (asks_by_respond(run, step) and is_filled(run, step)):
        saying.respond(run, step)


def set_now(run: Run, step: JsonObject) -> None:
    """Carry out SET of a step, apart from the lines that read a field which the step has yet to ask for."""
    later = _lines_for_later(run, step)
    run.thread.counters.pop(_unset(step), None)
    if later:
        run.thread.counters[_unset(step)] = 1
    variables.set_lines(run, [line for line in step.get("set", ()) if line not in later])


def _lines_for_later(run: Run, step: JsonObject, *, is_open: bool = False) -> list[JsonObject]:
    """Return the lines of SET that read a field of the gather that is not there, or what such a line sets."""
    lines: list[JsonObject] = list(step.get("set", ())) if "gather" in step else []
    names = {one for one in asked_for(run, step) if is_open or run.scope.get(one) is None} if lines else set()
    found = []
    for line in lines:
        if not names.isdisjoint(_NAME.findall(_QUOTED.sub(" ", str(line["expression"])))):
            found.append(line)
            names.add(str(line["variable"]).partition(".")[0])
    return found


def _unset(step: JsonObject) -> str:
    return f"unset:{step.get('name', '')}"


def gathered(run: Run, step: JsonObject) -> None:
    """Set and say what has waited for the answer: the gather of a step is complete."""
    if run.thread.counters.pop(_unset(step), 0):
        variables.set_lines(run, _lines_for_later(run, step, is_open=True))
    if run.thread.counters.pop(f"unsaid:{step.get('name', '')}", 0):
        saying.respond(run, step)


def mark_said(run: Run, step_name: str) -> None:
    """Remember how much this turn has said when a step begins, or its question is answered."""
    run.state.turn.failures[f"said:{step_name}"] = _said(run)


def has_said(run: Run, step_name: str) -> bool:
    """Return whether something was said in this turn since then."""
    return _said(run) > run.state.turn.failures.get(f"said:{step_name}", 0)


def _said(run: Run) -> int:
    turn = run.state.turn
    return len(turn.says) + len(turn.held)


def is_filled(run: Run, step: JsonObject) -> bool:
    """Return whether the gather of a step has nothing to ask for."""
    if step.get("complete_when") and run.test(step["complete_when"]):
        return True
    return not gather.missing(run, gather.fields_of(run, step["name"]))


def asks_once_more(run: Run, step: JsonObject) -> bool:
    """Return whether a step with ON_INPUT that has just been entered asks for values that are there.

    They are the answer to an earlier question; what the user has told unasked is not asked for again.
    """
    name, thread = step["name"], run.thread
    if not thread.counters.get(f"entered:{name}") or not is_filled(run, step):
        return False
    if "call_spec" in step or (any(step.get(key) for key in saying.WORDS) and not asks_by_respond(run, step)):
        return False  # it says something else, which the next message answers
    names = asked_for(run, step)
    was_asked = any(thread.counters.get(f"asked:{one}") for one in names)
    return bool(names) and (was_asked or thread.attempts.get(name, 0) > 1)


def asked_for(run: Run, step: JsonObject) -> list[str]:
    """Return the fields of a step that the user is asked for, whether they are there or not."""
    return [
        one["name"]
        for one in gather.fields_of(run, step["name"])
        if one.get("required") and one.get("prompt_mode") != "extract_only" and "default" not in one
    ]


def clear(run: Run, step: JsonObject) -> None:
    """Unset the fields of a step that are asked for once more."""
    for name in asked_for(run, step):
        variables.clear_value(run, name)


def asks_by_respond(run: Run, step: JsonObject, field: JsonObject | None = None) -> bool:
    """Return whether RESPOND is the question for a field that has none: it asks, has buttons, or names the field."""
    gathering = step.get("gather") or {}
    fields = gather.fields_of(run, step["name"]) if gathering else []
    if not fields or gathering.get("prompt") or gathering.get("message_key") or waits_with_answer(run, step):
        return False
    field = field or next(iter(gather.missing(run, fields)), fields[0])
    words = _words_of(run, step).strip().rstrip("\"'*_)")
    if field.get("prompt") or field.get("message_key") or not words:
        return False
    names = [word for word in spoken(str(field["name"])).split() if len(word) >= MIN_NAME_CHARS]
    said = spoken(words)
    return words.endswith(_ASKING_SIGNS) or bool(step.get("actions")) or any(f" {name} " in said for name in names)


def waits_with_answer(run: Run, step: JsonObject) -> bool:
    """Return whether what a step says tells of a field that it has yet to ask for."""
    if "gather" not in step:
        return False
    if run.thread.counters.get(f"unsaid:{step['name']}"):
        return True
    said = f"{_words_of(run, step)} {step.get('rich_content', '')}"
    if "{{#" in said or "{%" in said:
        return False  # it looks itself at what is there
    told = {found[1] for tag in _TAG.findall(said) if (found := _PATH.match(tag)) is not None}
    return any(name in told and run.scope.get(name) is None for name in asked_for(run, step))


def _words_of(run: Run, step: JsonObject) -> str:
    return run.wording(str(step.get("message_key") or "")) or str(step.get("respond") or "")


OPS = {"gather.ask": ask}
