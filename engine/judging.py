"""Guardrails that need a model: asked all at once, their verdicts applied by priority. Spec: abl-language 3.7, 8."""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import extraction_model, guardrails
from engine.guardrails import Checked, Stage
from engine.run import Run
from engine.state import Outcome, Task

VERDICT = "verdict"


def push_checks(run: Run, stage: Stage, text: str) -> None:
    """Ask a model about every rule of a stage that needs one; `take_verdict` has the result afterwards."""
    if effects := ask_about(run, stage, text):
        run.push("judge.settle", effects=effects, stage=stage, text=text)


def ask_about(run: Run, stage: Stage, text: str, *, blocking: bool = True) -> list[str]:
    """Ask a model about every rule of a stage that needs one; return the effects, none when nothing is to be asked.

    Without a model `guardrails.check_local` has decided already.
    """
    rules = guardrails.rules_for(run, stage, local=False)
    if not rules or not text or not run.state.begun.has_model:
        return []
    return [extraction_model.judge(run, _sentence(rule), text, operation="judge", blocking=blocking) for rule in rules]


def _sentence(rule: JsonObject) -> str:
    if rule.get("llmCheck"):
        return str(rule["llmCheck"])
    return f"The text holds no {rule.get('category') or 'harmful content'} (score from 0 to 1 in `score`)."


def settle(run: Run, task: Task) -> None:
    """Apply the verdicts in the order of the rules; the first that blocks or asks again ends it."""
    needs = task.data
    checked = verdict_of(run, needs["stage"], needs["effects"], needs["text"])
    extra: JsonObject = {name: getattr(checked, name) for name in Checked.__slots__}
    run.state.outcomes[VERDICT] = Outcome(ok=True, extra=extra)


def verdict_of(run: Run, stage: Stage, effects: list[str], text: str) -> Checked:
    """Return what the answers to `ask_about` make of a text, rule by rule."""
    rules = guardrails.rules_for(run, stage, local=False)
    checked = Checked(text)
    for rule, effect in zip(rules, effects, strict=True):
        answer = extraction_model.answer_of(run, effect)
        score = answer.get("score")
        is_violated = answer.get("valid") is not True  # no answer, or one that says nothing, lets nothing pass
        has_verdict = isinstance(answer.get("valid"), bool)
        if rule.get("threshold") is not None and isinstance(score, int | float):
            is_violated, has_verdict = score >= rule["threshold"], True
        if checked.is_blocked or checked.reask:
            continue
        checked = guardrails.apply(
            run,
            rule,
            guardrails.Subject(stage),
            checked.text,
            is_violated=is_violated,
            reason=str(answer.get("reason", "")) if has_verdict else guardrails.NO_VERDICT,
            score=float(score) if isinstance(score, int | float) else None,
        )
    return checked


def take_verdict(run: Run, text: str) -> Checked:
    """Return what the model's checks made of `text`; the text itself when there were none."""
    outcome = run.state.outcomes.pop(VERDICT, None)
    return Checked(text) if outcome is None else Checked(**outcome.extra)


OPS = {"judge.settle": settle}
