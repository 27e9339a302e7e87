"""Showing things to the user: templates and rich content rendered, output checks passed, profile limits kept.

Spec: abl-language 4, 3.18, 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from abl.expressions.limits import MAX_OUTPUT_CHARS
from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from engine import channels, constraints, guardrails, judging, profiles
from engine.effects import Say
from engine.run import Run
from engine.scope import Scope
from engine.state import Task

WORDS = ("respond", "message_key", "voice_config", "rich_content", "actions")
"""What an answer is made of."""
MAX_BOUND_ITEMS = 200


class Answer(NamedTuple):
    """One answer on its way to the user."""

    text: str
    rich: JsonObject
    actions: JsonObject
    voice: JsonObject
    is_heard: bool
    first_token_ms: int = 0


def respond(run: Run, node: JsonObject, names: Mapping[str, JsonValue] | None = None, *, text: str = "") -> bool:
    """Show the answer of `node` (respond, message_key, voice_config, rich_content, actions); return whether it had one.

    `text` stands in where the node has no text of its own.
    """
    scope = run.local(names) if names else run.scope
    key = str(node.get("message_key", ""))
    template = run.wording(key) if key else ""
    template = template or node.get("respond") or text
    words = run.render(template, scope).strip("\n")
    voice = rich = actions = None
    if "voice_config" in node:
        voice = {name: run.render(value, scope) for name, value in node["voice_config"].items()}
    if "rich_content" in node:
        rich = _rendered(run, node["rich_content"], scope)
    if "actions" in node:
        actions = _rendered(run, node["actions"], scope)
    if not (words or rich or actions):
        return False
    say(run, words, voice=voice, rich=rich, actions=actions)
    return True


def tell(run: Run, key: str, names: Mapping[str, JsonValue] | None = None) -> None:
    """Show a platform text; no model judges it."""
    say(run, run.message(key, names), is_platform=True)


def unknown_outcome(run: Run, tool: str) -> None:
    """Warn of a call of which nobody knows whether it was done: asked for again it may be done twice."""
    say(run, run.message("error_outcome_unknown", {"tool": tool}), is_platform=True)


def say(
    run: Run,
    text: str,
    *,
    voice: JsonObject | None = None,
    rich: JsonObject | None = None,
    actions: JsonObject | None = None,
    is_checked: bool = False,
    is_heard: bool = False,
    is_platform: bool = False,
    first_token_ms: int = 0,
) -> None:
    """Show a text after the checks of output; a text that is blocked is replaced by what the rule says.

    Where a rule asks a model, the text is held back until the verdict is there, and everything said after it too.
    `is_heard`: the model's messages hold the text already.
    """
    effects: list[str] = []
    escalating = ""
    if text and not is_checked:
        checked = guardrails.check_local(run, "output", text, is_platform=is_platform)
        if checked.is_blocked or checked.reask:
            rich = actions = voice = None
        escalating = checked.rule if checked.is_escalated else ""
        text = constraints.check_response(run, checked.reask or checked.text)
        is_settled = is_platform or checked.is_blocked or bool(checked.reask)
        effects = [] if is_settled else judging.ask_about(run, "output", text, blocking=False)
    answer = Answer(text, rich or {}, actions or {}, voice or {}, is_heard, first_token_ms)
    if not (text or rich or actions):
        return
    run.act("respond")
    held = run.state.turn.held
    if effects or held:
        held.append({"effects": effects, "thread": run.thread.agent, "answer": list(answer)})
    else:
        _show(run, answer)
    if escalating:
        run.state.turn.hints = {**run.state.turn.hints, "escalate": escalating}


def spoken(run: Run) -> int:
    """Return how many texts this turn has said, or holds back for a check."""
    return len(run.state.turn.says) + len(run.state.turn.held)


def has_spoken(run: Run) -> bool:
    """Return whether this turn has said something, or holds it back for a check."""
    return spoken(run) > 0


def release(run: Run) -> None:
    """Show the held texts whose verdicts are there, in order; one that is blocked is replaced."""
    held, outcomes = run.state.turn.held, run.state.outcomes
    before = run.thread.agent
    while held and all(effect in outcomes for effect in held[0]["effects"]):
        one = held.pop(0)
        answer = Answer(*one["answer"])
        run.focus(one["thread"])
        if one["effects"]:
            checked = judging.verdict_of(run, "output", one["effects"], answer.text)
            text = checked.reask or checked.text
            stays = not (checked.is_blocked or checked.reask)
            answer = answer._replace(text=text) if stays else Answer(text, {}, {}, {}, answer.is_heard)
            if checked.is_escalated:
                run.state.turn.hints = {**run.state.turn.hints, "escalate": checked.rule}
        _show(run, answer)
    run.focus(before)


def release_all(run: Run, task: Task) -> None:
    """Wait for the verdicts on held texts, then show them."""
    del task
    release(run)
    pending = run.state.pending
    if not run.state.turn.held:
        return
    run.push("say.release")
    for effect in [effect for one in run.state.turn.held for effect in one["effects"]]:
        if effect in pending:
            pending[effect] = msgspec.structs.replace(pending[effect], blocking=True)
            run.is_blocked = True


def _show(run: Run, answer: Answer) -> None:
    """Put an answer into the form of the channel and send it."""
    held = profiles.active(run)
    rules = [rule for one in held if (rule := one.get("response_rules"))]
    voice = {**next((one["voice"] for one in reversed(held) if one.get("voice")), {}), **answer.voice}
    shown = channels.for_channel(
        run.state.begun.channel,
        answer.text,
        answer.rich,
        voice if answer.voice or run.state.begun.channel in channels.SPOKEN else {},
        defaults=run.agent.ir["execution"].get("voice"),
        rules=rules,
    )
    text = profiles.limited(run, shown.text)[:MAX_OUTPUT_CHARS]
    actions = profiles.limited_actions(run, answer.actions)
    if not (text or shown.rich or actions):
        return
    turn = run.state.turn
    if not (shown.rich or actions or shown.voice) and _has_just_greeted(run, text):
        return
    if text:
        turn.says.append(text)
        run.note("assistant", text)
        if run.agent.has_loop and not answer.is_heard:
            run.hear("assistant", text)
    turn.rich_content = shown.rich or turn.rich_content
    turn.actions = actions or turn.actions
    turn.voice = shown.voice or turn.voice
    turn.agent = run.thread.agent
    run.send(Say, text=text, rich_content=shown.rich, actions=actions, voice=shown.voice)
    run.trace(
        TraceType.RESPONSE,
        messageId=turn.reply_id or None,
        text=text,
        richContent=shown.rich or None,
        actions=actions or None,
        firstTokenMs=answer.first_token_ms or None,
    )


def _has_just_greeted(run: Run, text: str) -> bool:
    """Return whether the answer that opens the session has said this text last: a greeting and a step may be alike."""
    number = run.state.turn.number
    if number > int(run.state.begun.with_message):
        return False
    said = (line.content for line in reversed(run.state.transcript) if line.role == "assistant")
    return next(said, None) == text


def _rendered(run: Run, value: Any, scope: Scope) -> Any:
    """Return rich content with all texts rendered and collections bound."""
    if isinstance(value, str):
        return _bound_text(run, value, scope) if "{{" in value else value
    if isinstance(value, list):
        return [_rendered(run, one, scope) for one in value]
    if isinstance(value, dict):
        if "from" in value and "template" in value:
            return _collection(run, value, scope)
        return {key: _rendered(run, one, scope) for key, one in value.items()}
    return value


def _bound_text(run: Run, text: str, scope: Scope) -> JsonValue:
    """Return a text; one that is a single `{{path}}` to a list or map is that list or map."""
    bare = text.strip()
    if bare.startswith("{{") and bare.endswith("}}") and bare.count("{{") == 1 and bare[2] not in "#/":
        value = run.program.texts.expression(bare[2:-2].strip())(scope, run.environment)
        if isinstance(value, list | dict):
            return value
    return run.render(text, scope)


def _collection(run: Run, value: JsonObject, scope: Scope) -> list[Any]:
    items = run.program.texts.expression(str(value["from"]))(scope, run.environment)
    if not isinstance(items, list):
        return []
    return [
        _rendered(run, value["template"], run.local({"this": item, "@index": index}))
        for index, item in enumerate(items[:MAX_BOUND_ITEMS])
    ]


OPS = {"say.release": release_all}
