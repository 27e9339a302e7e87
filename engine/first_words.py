"""What the opening of a session without a message leaves to the first message.

Its flow runs "until it needs input": a step that asks nothing and reads `input` needs it before it begins. A flow that
ran to its end and changed something has dealt with the first message too. Spec: abl-language 14.1 (6). Decisions: 0071,
0092.
"""

from __future__ import annotations

from abl.templates import analyse_template
from domain.json_values import JsonObject, JsonValue
from engine import saying
from engine.calls import tool_of
from engine.run import Run
from engine.state import SessionState, Turn

WORDS = frozenset({"input", "last_input"})
ASKING = ("gather", "on_input", "await_attachment", "human_approval", "reasoning_zone")
"""What makes a step wait for the user by itself, after it has said what it begins with."""
_LATER = frozenset({"on_error", "on_action", "digressions", "sub_intents"})
"""What a step does only when something comes in between."""
_EXPRESSIONS = frozenset({"expression", "condition", "when", "check", "success_when", "source", "filter"})
_OF_EXPRESSIONS = frozenset({"with", "args", "map", "input"})
"""Keys of maps and lists whose texts are expressions."""


def waits(run: Run, step: JsonObject) -> bool:
    """Return whether a step has to wait for the first message of the session: it reads it, and asks for nothing."""
    if not run.state.begun.may_wait or run.state.turn_number or any(step.get(key) for key in ASKING):
        return False
    return any(_reads(run, value, key) for key, value in step.items() if key not in _LATER)


def _reads(run: Run, value: JsonValue, key: str) -> bool:
    if isinstance(value, str):
        return _text_reads(run, value, key)
    if isinstance(value, list):
        return any(_reads(run, one, key) for one in value)
    if not isinstance(value, dict):
        return False
    if value.get("from_state") and _takes_words(run, str(value.get("tool", ""))):
        return True
    inner = key in _OF_EXPRESSIONS
    return any(_reads(run, one, key if inner else name) for name, one in value.items() if name not in _LATER)


def _text_reads(run: Run, text: str, key: str) -> bool:
    if key == "message_key":
        text = run.wording(text)
    if "{{" in text:
        return any(path.partition(".")[0] in WORDS for path in analyse_template(text).paths)
    is_expression = key in _EXPRESSIONS or key in _OF_EXPRESSIONS
    return is_expression and not WORDS.isdisjoint(run.program.texts.roots(text))


def _takes_words(run: Run, tool: str) -> bool:
    """Return whether a call without parentheses takes the text from state: its tool has a parameter of that name."""
    return any(one["name"] in WORDS for one in (tool_of(run, tool) or {}).get("parameters", ()))


def note_opening(state: SessionState, before: Turn) -> None:
    """Remember what the opening said, where its flow is through and has changed something: it is not run again.

    `before` is the turn before the one that begins.
    """
    thread = state.threads.get(state.active)
    if before.number or not state.begun.runs_once or not before.changes or thread is None:
        return
    if thread.status == "completed" or (thread.step and not thread.awaiting):
        state.opened = tuple(before.says)


def say_again(run: Run) -> bool:
    """Answer the first message with what the opening said, if its flow has run for it; return whether it has."""
    said, run.state.opened = run.state.opened, None
    for text in said or ():
        saying.say(run, text, is_checked=True)
    return said is not None
