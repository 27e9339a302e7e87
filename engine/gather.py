"""GATHER: what was said becomes values, values are checked, and what is missing is asked for.

`gather.read` fills what can be read, `gather.take` what a model read or judged; then `gather.ask` of `engine.asking`
asks for the first field that is missing or lets the step go on. Spec: abl-language 3.3, 5.3, 5.7, 14.4.
"""

from __future__ import annotations

from datetime import date
from typing import cast

from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from engine import extraction_model, memory, profiles, tongue, variables
from engine.extraction.choices import read_choice, spoken
from engine.extraction.corrections import corrected
from engine.extraction.fields import Reading
from engine.extraction.second import read_in_any
from engine.extraction.side_questions import is_question
from engine.extraction.validate import is_valid
from engine.run import Run
from engine.sensitive import is_sensitive
from engine.state import Task

DEFAULT_RETRIES = 3

FAMILIES = {
    **dict.fromkeys(("number", "integer", "float", "currency"), "number"),
    **dict.fromkeys(("date", "datetime"), "date"),
    "email": "email",
    "phone": "phone",
}
"""Types whose value in one message fills one field only, unless another field is named beside it."""


def fields_of(run: Run, step_name: str) -> list[JsonObject]:
    """Return the fields of a step, or of the agent for an empty name, as the profiles change them."""
    step = profiles.step_of(run, step_name) if step_name else None
    fields = (step or {}).get("gather", {}).get("fields", []) if step_name else run.agent.ir["gather"]["fields"]
    return [profiles.changed_field(run, one) for one in fields]


def is_active(run: Run, field: JsonObject) -> bool:
    """Return whether a field is wanted now: its activation holds and what it depends on is there."""
    activation = field.get("activation", "required")
    if isinstance(activation, dict) and not run.test(activation.get("when", "")):
        return False
    return all(run.scope.get(name) is not None for name in field.get("depends_on", ()))


def missing(run: Run, fields: list[JsonObject]) -> list[JsonObject]:
    """Return the fields that have to be asked for."""
    return [
        one
        for one in fields
        if one.get("required")
        and one.get("prompt_mode") != "extract_only"
        and one.get("activation") not in ("optional", "progressive")
        and is_active(run, one)
        and run.scope.get(one["name"]) is None
    ]


def begin(run: Run, step_name: str) -> None:
    """Give fields with a default their value, and those the test context or the caller filled their mark."""
    for field in fields_of(run, step_name):
        name = field["name"]
        if "default" in field and run.scope.get(name) is None:
            variables.set_value(run, name, field["default"], "default")


def read(run: Run, task: Task) -> None:
    """Fill the open fields from the text of the turn; ask a model for the rest where the strategy says so."""
    step_name, is_answer = task.data.get("step", ""), bool(task.data.get("answer"))
    turn, thread = run.state.turn, run.thread
    if not turn.text or turn.opening == thread.agent or (turn.is_consumed and (is_answer or not turn.is_branched)):
        return
    asked = list(thread.asked) if is_answer else []
    found = 0
    used: set[str] = set()
    for field in sorted(fields_of(run, step_name), key=lambda one: one["name"] not in asked):
        name = field["name"]
        is_open = run.scope.get(name) is None or thread.gathered.get(name) == "default"
        if not (is_open or name in asked) or not (is_active(run, field) or name in asked):
            continue
        if not _reads_first(run, name) and name not in asked:
            continue
        family = FAMILIES.get(str(field.get("type")), "")
        is_asked = _counts_as_asked(run, name, asked, found)
        value = _read_one(run, field, turn.text, is_asked=is_asked, is_used=bool(family) and family in used)
        if value is not None and value != run.scope.get(name):
            found += 1
            used.add(family)
            _offer(run, field, value, "user")
    if turn.opening_unseen and asked and not found and step_name:
        run.unwind()
        run.thread.awaiting = "gather"
        return
    if is_answer:
        turn.is_consumed = bool(step_name)
        thread.asked = asked if step_name else []
    _ask_model(run, step_name, found, asked)
    if asked and not found and (step_name or not run.state.begun.has_model) and not run.is_blocked:
        _reject(run, asked[0])


def read_sensitive(run: Run) -> None:
    """Read sensitive fields of a reasoning agent by type, so that their values have stand-ins before a model reads."""
    fields = [one for one in fields_of(run, "") if is_sensitive(one)] if run.agent.has_sensitive else []
    asked, text = list(run.thread.asked), run.state.turn.text
    for field in fields:
        name = field["name"]
        if run.scope.get(name) is not None or not is_active(run, field) or not _reads_first(run, name):
            continue
        value = _read_one(run, field, text, is_asked=name in asked[:1])
        if value is not None:
            text = text.replace(str(value), " ")  # the digits of one value are none of the next
            _offer(run, field, value, "user")


def _reads_first(run: Run, name: str) -> bool:
    """Return whether this turn's text has not been read for a field before: a cleared field is not filled again."""
    key = f"read:{name}"
    is_first = key not in run.state.turn.failures
    run.state.turn.failures[key] = 1
    return is_first


def _counts_as_asked(run: Run, name: str, asked: list[str], found: int) -> bool:
    """Return whether a field may take free text: it was asked for, and the user has seen the question."""
    if run.state.turn.opening_unseen:
        return False
    return name in asked[:1] or (name in asked and not found)


def _ask_model(run: Run, step_name: str, found: int, asked: list[str]) -> None:
    """Send an extraction call when the strategy wants one and fields are still open."""
    step = profiles.step_of(run, step_name) if step_name else None
    gathering = (step or {}).get("gather") or run.agent.ir["gather"]
    if gathering.get("strategy") not in ("llm", "hybrid") or not run.state.begun.has_model or not step_name:
        return
    wanted = [one for one in fields_of(run, step_name) if run.scope.get(one["name"]) is None and is_active(run, one)]
    if wanted:
        effect = extraction_model.ask(run, wanted, understand=False)
        run.push("gather.take", effect=effect, step=step_name, asked=asked, found=found)


def take(run: Run, task: Task) -> None:
    """Take the values a model read; they are checked like any others."""
    needs = task.data
    values = extraction_model.values_of(run, needs["effect"])
    found = needs["found"] + offer_all(run, fields_of(run, needs["step"]), values)
    if needs["asked"] and not found:
        _reject(run, needs["asked"][0])


def offer_all(run: Run, fields: list[JsonObject], values: JsonObject) -> int:
    """Check and set the values a model read; return how many there were."""
    count = 0
    for field in fields:
        value = values.get(field["name"])
        if value is None or value == "" or value == run.scope.get(field["name"]):
            continue
        count += 1
        _offer(run, field, value, "model")
    return count


def _read_one(run: Run, field: JsonObject, text: str, *, is_asked: bool, is_used: bool = False) -> JsonValue:
    if is_asked and _asks_back(run, field, text):
        return None
    options = _options(run, field)
    first, *others = tongue.readings_of(run.program, run.state, run.thread)
    reading = Reading(
        text=text,
        is_asked=is_asked,
        is_used=is_used,
        today=date.fromisoformat(run.state.at[:10]),
        words=first,
        locale=str(run.scope.get("locale") or run.scope.get("language") or ""),
        options=options,
    )
    return read_in_any(field, reading, others)


def _asks_back(run: Run, field: JsonObject, text: str) -> bool:
    """Return whether a text asks something where a value was asked for; free text may be a question."""
    is_free = field.get("type", "string") in ("string", "text") and not (
        field.get("enum_values") or _options(run, field) or field.get("validation") or field.get("extraction_pattern")
    )
    return not is_free and is_question(text, run.words)


def read_value(run: Run, field: JsonObject, text: str) -> JsonValue:
    """Return the value a text gives to a field that was asked for; None when there is none."""
    return _read_one(run, field, text, is_asked=True)


def as_allowed(run: Run, field: JsonObject, value: JsonValue) -> JsonValue:
    """Return a value as the options of its field write it, None for one they do not have; without options as it is."""
    options = _options(run, field) or tuple(field.get("enum_values") or ())
    if not options or value in options or isinstance(value, list):
        return value
    return cast("JsonValue", read_choice(str(value), options, field.get("synonyms") or {}))


def offer(run: Run, field: JsonObject, value: JsonValue) -> bool:
    """Give a field the value a user has stated, if it passes its check; return whether the field has it now."""
    _offer(run, field, value, "user")
    return bool(run.scope.get(field["name"]) == value)


def _options(run: Run, field: JsonObject) -> tuple[object, ...]:
    """Return the values of the lookup table a field is bound to."""
    name = (field.get("semantics") or {}).get("lookup")
    table = run.agent.ir.get("lookup_tables", {}).get(name) if name else None
    return tuple((table or {}).get("values") or run.thread.lookups.get(str(name)) or ())


def _offer(run: Run, field: JsonObject, value: JsonValue, source: str) -> None:
    """Set a value that passes its check; count a failure where it does not."""
    name = field["name"]
    run.trace(
        TraceType.DECISION,
        decisionKind="extraction",
        decision=name,
        outcome=source,
        matched=True,
        kind="entity_extraction",
    )
    holds = is_valid(
        field, value, lambda rule: run.test(rule, run.local({name: value, "value": value, "input": value}))
    )
    if not holds:
        if profiles.gather_rule(run, "validation_style") == "lenient" and run.thread.retries.get(name):
            run.thread.warnings.append(f"{name} did not pass its check")
            accept(run, field, value, "lenient")
            return
        _reject(run, name)
        return
    validation = field.get("validation") or {}
    if validation.get("type") == "llm":
        if not run.state.begun.has_model:
            _reject(run, name)  # as a guardrail that only a model can judge lets nothing pass (decisions 0050, 0087)
            return
        effect = extraction_model.judge(run, str(validation.get("rule", "")), str(value))
        run.push("gather.judged", effect=effect, field=name, value=value, source=source)
        return
    accept(run, field, value, source)


def accept(run: Run, field: JsonObject, value: JsonValue, source: str) -> None:
    """Set a checked value."""
    name = field["name"]
    is_inferred = source == "model" and field.get("infer") and field.get("infer_confirm")
    run.thread.retries.pop(name, None)
    run.state.turn.failures.pop(f"field:{name}", None)
    variables.set_value(run, name, value, "unconfirmed" if is_inferred else source)
    memory.recall(run, f"entity:{name}:extracted")


def judged(run: Run, task: Task) -> None:
    """Take a model's judgement of a value; when it cannot be had the value is asked for again. Decision: 0087."""
    needs = task.data
    field = run.agent.fields[needs["field"]]
    verdict = extraction_model.verdict_of(run, needs["effect"])
    if verdict:
        accept(run, field, needs["value"], needs["source"])
    else:
        _reject(run, needs["field"])


def _reject(run: Run, name: str) -> None:
    """Record and count an answer that gives a field no value: nothing is read from it, or its check fails."""
    run.decide("extraction", name, outcome="rejected", kind="field_rejected")
    run.thread.retries[name] = run.thread.retries.get(name, 0) + 1
    run.state.turn.failures[f"field:{name}"] = 1


def gives_up(run: Run, field: JsonObject) -> bool:
    """Return whether a field has been asked for again as often as MAX_RETRIES says."""
    return run.thread.retries.get(field["name"], 0) > most_retries(field)


def most_retries(field: JsonObject) -> int:
    """Return how often a field is asked for again after its first question."""
    retries = (field.get("validation") or {}).get("max_retries")
    return DEFAULT_RETRIES if retries is None else int(retries)


def prompt_of(run: Run, field: JsonObject) -> str:
    """Return the question for a field."""
    words = run.wording(str(field.get("message_key", ""))) or field.get("prompt") or ""
    return words or run.message("gather_prompt", {"fields": field["name"].replace("_", " ")})


def retry_text(run: Run, field: JsonObject) -> str:
    """Return what is said after an answer that gives a field no value: its own words, else the question again."""
    if words := own_retry(field):
        return words
    asked = prompt_of(run, field)
    return f"{run.message('error_validation')} {asked}" if asked else run.message("error_validation")


def own_retry(field: JsonObject) -> str:
    """Return the words an author has for an answer that does not pass; empty without them."""
    validation = field.get("validation") or {}
    return str(validation.get("retry_prompt") or validation.get("error_message") or "")


def refusal_of(run: Run, field: JsonObject) -> str:
    """Return what is said of a value that did not pass the check of its field, where another one is there already."""
    words = own_retry(field)
    return run.render(words) if words else run.message("error_constraint")


def correct(run: Run, *, freely: bool = False) -> bool:
    """Overwrite an earlier field when the text is a correction; return whether it was one.

    `freely`: the user was asked what to change, so the text need not sound like a correction.
    """
    text = run.state.turn.text
    tail = corrected(text, run.words) or (text if freely else "")
    if not tail:
        return False
    given = [field for name in reversed(list(run.thread.gathered)) if (field := run.agent.fields.get(name)) is not None]
    said = spoken(text)
    named = [one for one in given if _is_named(one, said)]
    for is_asked, candidates in ((True, named), (False, given)):
        for field in candidates:
            value = _read_one(run, field, tail, is_asked=is_asked)
            if value is not None and value != run.scope.get(field["name"]):
                run.decide("extraction", field["name"], outcome="corrected", matched=True, kind="correction")
                old = run.scope.get(field["name"])
                run.state.turn.correction = {"field": field["name"], "old": old, "new": value}
                run.state.turn.is_consumed = True
                _offer(run, field, value, "user")
                return True
    return False


def _is_named(field: JsonObject, said: str) -> bool:
    names = [word for word in spoken(str(field["name"])).split() if len(word) > 2]
    return any(f" {name} " in said for name in names)


OPS = {"gather.read": read, "gather.take": take, "gather.judged": judged}
