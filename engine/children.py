"""A delegated child is a session of its own: how it begins, and what its end tells the parent.

Spec: abl-language 7.3.
"""

from __future__ import annotations

from engine.changing import MADE, UNKNOWN
from engine.effects import Delegate, EndTurn
from engine.elsewhere import UNKNOWN as OUTCOME_UNKNOWN
from engine.facts import ChildReplied, SessionBegun
from engine.state import SessionState


def child_session_id(parent_id: str, effect: Delegate) -> str:
    """Return the child's session id: the same for the same effect, so that asking twice finds the same child."""
    return f"{parent_id}.{effect.id}"


def child_begun(parent: SessionState, effect: Delegate, at: str) -> SessionBegun:
    """Return the fact the child begins with; of a test context it takes over the mocks."""
    begun = parent.begun
    return SessionBegun(
        at=at,
        session_id=child_session_id(begun.session_id, effect),
        project_id=begun.project_id,
        tenant_id=begun.tenant_id,
        user_id=begun.user_id,
        customer_id=begun.customer_id,
        agent=effect.target,
        channel=begun.channel,
        language=begun.language,
        locale=begun.locale,
        caller=begun.caller,
        environment=begun.environment,
        has_model=begun.has_model,
        has_classifier=begun.has_classifier,
        task=effect.task,
        test_context=begun.test_context,
        input={**effect.input, "_depth": effect.depth},
    )


def child_replied(effect_id: str, end: EndTurn, at: str, duration_ms: int = 0) -> ChildReplied:
    """Return what the end of a child's only turn means to the parent.

    What a child says of itself holds: nobody can tell whether it was done when a call of its is unknown, and neither
    when it has changed something and not come to its end.
    """
    errors = {"needs_input": "needs_input", "failed": end.error or "delegation_error", "cancelled": "timeout"}
    errors |= {"suspended": "needs_input", "ended": "delegation_error"}
    error = errors.get(end.status, "")
    if end.changes == UNKNOWN or (end.changes == MADE and error not in ("", "needs_input")):
        error = OUTCOME_UNKNOWN
    return ChildReplied(
        at=at,
        effect_id=effect_id,
        values=end.values,
        text=end.reply,
        error=error,
        error_message="The agent needs an answer from the user" if end.status == "needs_input" else end.error,
        duration_ms=duration_ms,
        changes=end.changes,
    )
