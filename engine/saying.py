"""Showing things to the user: templates and rich content rendered, output checks passed, profile limits kept.

Spec: abl-language 4, 3.18, 8.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from abl.expressions.limits import MAX_OUTPUT_CHARS
from domain.json_values import JsonObject, JsonValue
from domain.traces import TraceType
from engine import constraints, guardrails, profiles
from engine.effects import Say
from engine.run import Run
from engine.scope import Scope

MAX_BOUND_ITEMS = 200


def respond(run: Run, node: JsonObject, names: Mapping[str, JsonValue] | None = None, *, text: str = "") -> bool:
    """Show the answer of `node` (respond, message_key, voice_config, rich_content, actions); return whether it had one.

    `text` stands in where the node has no text of its own.
    """
    scope = run.local(names) if names else run.scope
    key = str(node.get("message_key", ""))
    template = run.agent.messages.get(key.lower(), "") if key else ""
    template = template or node.get("respond") or text
    words = run.render(template, scope).strip("\n")
    voice = {name: run.render(value, scope) for name, value in (node.get("voice_config") or {}).items()}
    rich = _rendered(run, node.get("rich_content") or {}, scope)
    actions = _rendered(run, node.get("actions") or {}, scope)
    if not (words or rich or actions):
        return False
    say(run, words, voice=voice, rich=rich, actions=actions)
    return True


def tell(run: Run, key: str, names: Mapping[str, JsonValue] | None = None) -> None:
    """Show a platform text."""
    say(run, run.message(key, names))


def say(
    run: Run,
    text: str,
    *,
    voice: JsonObject | None = None,
    rich: JsonObject | None = None,
    actions: JsonObject | None = None,
    is_checked: bool = False,
) -> None:
    """Show a text after the checks of output; a text that is blocked is replaced by what the rule says."""
    if text and not is_checked:
        checked = guardrails.check_local(run, "output", text)
        if checked.is_blocked:
            rich = actions = voice = None
        text = checked.text
        text = constraints.check_response(run, text)
    text = profiles.limited(run, text)[:MAX_OUTPUT_CHARS]
    if not (text or rich or actions):
        return
    actions = profiles.limited_actions(run, actions or {})
    turn = run.state.turn
    if text:
        turn.says.append(text)
        run.note("assistant", text)
    turn.rich_content = rich or turn.rich_content
    turn.actions = actions or turn.actions
    turn.voice = voice or turn.voice
    turn.agent = run.thread.agent
    run.act("respond")
    run.send(Say, text=text, rich_content=rich or {}, actions=actions, voice=voice or {})
    run.trace(TraceType.RESPONSE, text=text, messageId=None, richContent=rich or None, actions=actions or None)


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
