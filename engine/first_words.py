"""What the opening of a session without a message leaves to the first message.

Its flow runs "until it needs input": a step that asks nothing and reads `input` needs it before it begins. A flow that
ran to its end and changed something has dealt with the first message too. Spec: abl-language 14.1 (6). Decisions: 0071,
0092.
"""

from __future__ import annotations

from domain.json_values import JsonObject
from engine import saying
from engine.naming import reads
from engine.run import Run
from engine.state import SessionState, Turn

WORDS = frozenset({"input", "last_input"})
ASKING = ("gather", "on_input", "await_attachment", "human_approval", "reasoning_zone")
"""What makes a step wait for the user by itself, after it has said what it begins with."""


def waits(run: Run, step: JsonObject) -> bool:
    """Return whether a step has to wait for the first message of the session: it reads it, and asks for nothing."""
    return bool(run.state.begun.may_wait) and not run.state.turn_number and _needs_words(run, step)


def _needs_words(run: Run, step: JsonObject) -> bool:
    return not any(step.get(key) for key in ASKING) and reads(run, step, WORDS)


def note_opening(state: SessionState, before: Turn) -> None:
    """Remember what the opening said, where its flow is through and has changed something: it is not run again.

    `before` is the turn before the one that begins.
    """
    thread = state.threads.get(state.active)
    if before.number or not state.begun.runs_once or not before.changes or thread is None:
        return
    if thread.status == "completed" or (thread.step and not thread.awaiting):
        state.opened = tuple(before.says)


def say_again(run: Run, step: JsonObject) -> bool:
    """Answer the first message with what the opening said, if its flow has run for it; return whether it has.

    A flow that has come to `step` and waits there for the message has not.
    """
    said, run.state.opened = run.state.opened, None
    if _needs_words(run, step):
        return False
    for text in said or ():
        saying.say(run, text, is_checked=True)
    return said is not None
