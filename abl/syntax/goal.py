"""The goal of documents that may do without one: what it is when nobody wrote it. Spec: abl-language 3.1, 10.

The compiler and the conversion to the modern form both ask here, so an older text and its converted form compile alike.
"""

from __future__ import annotations

from typing import Any

from abl.syntax.document import Document, Identity
from abl.syntax.flow import Flow, Step

ROUTES = "Hand every request to the right agent"
FOLLOWS = "Follow the steps"


def unwritten_goal(document: Document) -> str:
    """Return the goal of an older or scripted document without one; empty when it has one, or has to write one."""
    identity = document.identity if isinstance(document.identity, Identity) else Identity()
    if document.goal or identity.goal or identity.role or not may_lack_goal(document):
        return ""
    return document.description or (ROUTES if document.kind == "supervisor" else FOLLOWS)


def may_lack_goal(document: Document) -> bool:
    """Return whether a document needs no goal: it is numbered, `MODE: scripted`, or a FLOW that never reasons."""
    if document.format == "legacy" or str(document.mode).lower() == "scripted":
        return True
    steps: Any = document.flow.steps if isinstance(document.flow, Flow) else None
    known = [step for step in steps if isinstance(step, Step)] if isinstance(steps, list) else []
    return bool(known) and not any(step.reasoning for step in known)
