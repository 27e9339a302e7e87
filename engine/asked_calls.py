"""What the user still has to say before a call that the author wrote, and the values he corrects.

Every CALL of a document passes here, that of a step (`flow_calls`) and those of branches, outcomes, handlers and
digressions (`actions`). Decisions: 0012, 0044, 0079. Spec: abl-language 3.2, 8, 14.3 (3).
"""

from __future__ import annotations

from abl.languages.folding import words_only
from domain.json_values import JsonObject
from engine import consent, constraints, gather, questions, rewinding, saying, variables
from engine.answer_question import flat_text
from engine.run import Run

_STAYS = frozenset({None, "respond", "block", "redact", "warn"})
"""What a broken rule does that leads nowhere."""


def needed(run: Run, tool: JsonObject | None, arguments: JsonObject) -> consent.Need:
    """Return what has to be had of the user before a CALL; the author's own question just before counts as asked."""
    if tool is None:
        return ""
    need = consent.needed(run, tool, arguments)
    return "" if need == "confirm" and _has_just_agreed(run, tool, arguments) else need


def _has_just_agreed(run: Run, tool: JsonObject, arguments: JsonObject) -> bool:
    """Return whether the flow itself has asked: this turn's message is a yes to a question about this call.

    One yes is for one call: the second one of a turn is asked about.
    """
    turn = run.state.turn
    if not turn.is_consumed or turn.is_agreed:
        return False
    is_changed = any(turn.changed.get(name, value) != value for name, value in arguments.items())
    said = questions.last_said(run)
    return (
        not is_changed
        and not _brings_a_value(turn.text, said, arguments)
        and questions.asks_about(said, tool, arguments, run.words)
        and questions.is_yes(run, questions.names_of(tool), arguments)
    )


def _brings_a_value(answer: str, question: str, arguments: JsonObject) -> bool:
    """Return whether a value of the call stands in the answer and not in the question, which was not about it then."""
    answered, asked = f" {words_only(answer)} ", f" {words_only(question)} "
    values = [words_only(flat_text(value)) for value in arguments.values() if value not in (None, True, False)]
    return any(value and f" {value} " in answered and f" {value} " not in asked for value in values)


def fixed(run: Run, tool: JsonObject, spec: JsonObject) -> list[str]:
    """Return the parameters of a call that the user cannot correct: the immutable ones, and what he has not given."""
    immutable = (tool.get("confirmation") or {}).get("immutable_params") or ()
    names = [str(one["name"]) for one in tool.get("parameters", ())]
    return [one for one in names if one in immutable or not rewinding.origin_of(run, _source(spec, one))]


def _source(spec: JsonObject, name: str) -> str:
    return str((spec.get("with") or {}).get(name, name)).strip()


def take_over(run: Run, spec: JsonObject) -> bool:
    """Give the variables of a call the values the user has corrected; return whether the flow goes on elsewhere then.

    What fails a field's check or breaks a rule is not taken, nor what a handler of the agent has looked at.
    """
    asked = run.thread.confirmation
    corrected = dict(asked["corrected"])
    before: JsonObject = {}
    for name, value in asked["corrected"].items():
        source = rewinding.origin_of(run, _source(spec, name))
        if not source or rewinding.is_held_outside(run, {source, _source(spec, name)}, spec):
            del corrected[name]
            saying.tell(run, "correction_unclear")
            continue
        before[source] = run.scope.get(source)
        field = run.agent.fields.get(source)
        if field is None:
            variables.set_value(run, source, value, "user")
            continue
        value = corrected[name] = gather.as_allowed(run, field, value)
        if value is None or not gather.offer(run, field, value):
            del corrected[name], before[source]
            saying.say(run, gather.refusal_of(run, field))
    run.thread.confirmation = {**asked, "corrected": corrected}
    rule = constraints.violated(run, constraints.rules_of(run)) if before else None
    if rule is not None and (rule.get("on_fail") or {}).get("then_action") != "continue":
        return _breaks(run, rule, before)
    if rule is not None:
        saying.say(run, constraints.text_of(run, rule), is_checked=True)
    back = rewinding.first_step(run, set(before), spec) if before else ""
    if back:
        run.thread.confirmation = {}
        rewinding.go_back(run, back)
    return bool(back)


def _breaks(run: Run, rule: JsonObject, before: JsonObject) -> bool:
    """Keep the values of before where a rule forbids the new ones; one that leads elsewhere is followed."""
    action = rule.get("on_fail") or {}
    if action.get("type") in _STAYS and "then_action" not in action:
        for name, value in before.items():
            variables.set_value(run, name, value, "user")
        run.thread.confirmation = {**run.thread.confirmation, "corrected": {}}
        saying.say(run, constraints.text_of(run, rule), is_checked=True)
        return False
    run.thread.confirmation, run.thread.awaiting = {}, ""
    run.push("constraint.act", rule=rule)
    return True
