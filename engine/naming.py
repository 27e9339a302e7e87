"""Which names a piece of a program reads: the roots of its expressions, and of its templates where they count.

What a piece does when something comes in between is no part of its way.
"""

from __future__ import annotations

from collections.abc import Set

from abl.templates import analyse_template
from domain.json_values import JsonValue
from engine.calls import tool_of
from engine.run import Run

LATER = frozenset({"on_error", "on_action", "digressions", "sub_intents"})
"""What a step does only when something comes in between."""
SPOKEN = frozenset({"respond", "message_key", "voice_config", "rich_content", "actions", "prompt"})
"""What is said to the user, which decides nothing."""
_EXPRESSIONS = frozenset({"expression", "condition", "when", "check", "success_when", "source", "filter"})
_OF_EXPRESSIONS = frozenset({"with", "args", "map", "input"})
"""Keys of maps and lists whose texts are expressions."""


def reads(run: Run, value: JsonValue, names: Set[str], *, key: str = "", without: Set[str] = LATER) -> bool:
    """Return whether a piece of IR under a key reads one of these names; keys of `without` are not looked at."""
    if isinstance(value, str):
        return _text_reads(run, value, names, key)
    if isinstance(value, list):
        return any(reads(run, one, names, key=key, without=without) for one in value)
    if not isinstance(value, dict):
        return False
    if value.get("from_state") and _takes(run, str(value.get("tool", "")), names):
        return True
    inner = key in _OF_EXPRESSIONS
    return any(
        reads(run, one, names, key=key if inner else name, without=without)
        for name, one in value.items()
        if inner or name not in without
    )


def _text_reads(run: Run, text: str, names: Set[str], key: str) -> bool:
    if key == "message_key":
        text = run.wording(text)
    if "{{" in text:
        return any(path.partition(".")[0] in names for path in analyse_template(text).paths)
    is_expression = key in _EXPRESSIONS or key in _OF_EXPRESSIONS
    return is_expression and not names.isdisjoint(run.program.texts.roots(text))


def _takes(run: Run, tool: str, names: Set[str]) -> bool:
    """Return whether a call without parentheses takes a name from state: its tool has a parameter of that name."""
    return any(one["name"] in names for one in (tool_of(run, tool) or {}).get("parameters", ()))
