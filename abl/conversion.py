"""From one form of the language to another: text, YAML, and older generations made modern. Spec: abl-language 0, 9, 10.

Comments and blank lines are not part of a document, so a converted text has none of them; what else is left out or
made up on the way stands in the notes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from abl.diagnostics.model import Diagnostic
from abl.frontend import parse
from abl.legacy.losses import losses
from abl.legacy.modernise import modernise
from abl.parser.detect import split_documents
from abl.parser.lines import scan
from abl.printer import serialize
from abl.source import Source
from abl.syntax.document import Document
from abl.syntax.flow import Step, gathering
from abl.syntax.goal import unwritten_goal
from abl.syntax.tools import BINDING_FIELDS, Tool

Target = Literal["abl", "yaml", "modern"]
TARGETS: tuple[Target, ...] = ("abl", "yaml", "modern")
AGENT_KINDS = frozenset({"agent", "supervisor"})
MAX_NAMED = 5
"""Things of one sort that a note names; of more it gives the number."""

_COMMENT = re.compile(r"\s*(?:#|//|/\*)")
_COMMENT_BEHIND = re.compile(r"[\"'\])}]\s+(?:#|//)\s")


@dataclass(slots=True)
class Conversion:
    """What a conversion gives.

    Attributes:
        text: The converted text; None when there is none.
        findings: What reading found.
        reason: Why there is no text.
        notes: What was left out, what was made up, and what strict mode still refuses; a sentence each.
        library: A tool library with the bindings of the agents, when these were asked for and there are any.
    """

    text: str | None = None
    findings: list[Diagnostic] = field(default_factory=list)
    reason: str = ""
    notes: list[str] = field(default_factory=list)
    library: str | None = None


def convert(text: str, to: Target, *, split_tools: bool = False) -> Conversion:
    """Return `text` in another form: `abl` (text form), `yaml` (YAML form) or `modern` (text form of today).

    With `split_tools` the bindings of tools are taken out of modern agents and put into a library of their own.

    >>> convert("agent: Desk\\ngoal: Help\\n", "abl").text.split("\\n")[0]
    'AGENT: Desk'
    >>> convert("AGENT: Desk\\nMODE: scripted\\nFLOW:\\n  a:\\n    THEN: COMPLETE\\n", "modern").notes
    ['made up for Desk, which has none: GOAL: "Follow the steps"']
    """
    results = [parse(piece) for piece in split_documents(text)]
    made = Conversion(findings=[one for result in results for one in result.findings])
    documents = [result.document for result in results if result and result.document is not None]
    if len(documents) < len(results):
        made.reason = "mend the errors first"
        return made
    if to == "yaml" and len(documents) > 1:
        made.reason = f"it holds {len(documents)} agents, and a YAML text holds one"
        return made
    if _has_comments(text):
        made.notes.append("left out: the comments")
    if to == "modern" or (to == "yaml" and documents[0].format == "legacy"):
        made.notes.extend(note for one in documents for note in _changes(one))
    if to == "modern":
        documents = [modern(document) for document in documents]
        if split_tools:
            made.library = _library(documents, made.notes)
    form = "yaml" if to == "yaml" else "abl"
    made.text = "\n".join([serialize(document, form) for document in documents])
    if to == "modern":
        made.notes.extend(_refused(made.text))
    return made


def modern(document: Document) -> Document:
    """Return `document` in the forms of the newest generation, as far as one text by itself can say them.

    Tool bindings inside agents stay where they are: their place is a library, which is another text.
    """
    if document.format == "legacy":
        return modernise(document)
    document.goal = document.goal or (unwritten_goal(document) if document.kind in AGENT_KINDS else "")
    document.mode = ""
    identity, document.identity = document.identity, None
    if identity is not None:
        document.goal = document.goal or identity.goal or identity.role
        document.persona = "\n".join(
            [one for one in (document.persona or identity.persona, _knowledge(identity.expertise)) if one]
        )
        document.limitations = list(dict.fromkeys([*document.limitations, *identity.limitations]))
    for step in (document.flow.steps if document.flow is not None else None) or ():
        _modern_step(step)
    return document


def _knowledge(expertise: list[str]) -> str:
    return f"Expertise: {', '.join(expertise)}" if expertise else ""


def _modern_step(step: Step) -> None:
    if step.reasoning is None:
        step.reasoning = False
    step.gather, step.collect, step.prompt = gathering(step), None, ""


# --- bindings ---------------------------------------------------------------------------------------------


def _library(documents: list[Document], notes: list[str]) -> str | None:
    """Take the bindings out of the agents and return them as a tool library, None when there are none."""
    tools: dict[str, Tool] = {}
    for document in documents:
        if document.kind not in AGENT_KINDS:
            continue
        for at, tool in enumerate(document.tools):
            if not _is_bound(tool):
                continue
            if tools.setdefault(tool.name, tool) != tool:
                notes.append(f"left out: the binding of {tool.name} in {document.name}; another agent has its own")
            document.tools[at] = _unbound(tool)
    return serialize(Document(kind="tools", tools=list(tools.values()))) if tools else None


def _is_bound(tool: Tool) -> bool:
    return any(getattr(tool, name) != Tool.DEFAULTS[name] for name in BINDING_FIELDS)


def _unbound(tool: Tool) -> Tool:
    kept: dict[str, Any] = {name: getattr(tool, name) for name in Tool.FIELDS if name not in BINDING_FIELDS}
    return Tool(**kept)


# --- notes ------------------------------------------------------------------------------------------------


def _changes(document: Document) -> list[str]:
    """Return what becoming modern leaves out of a document, and what it makes up."""
    notes = [f"left out of {document.name}: {one}" for one in losses(document)]
    goal = unwritten_goal(document) if document.kind in AGENT_KINDS else ""
    if goal:
        notes.append(f'made up for {document.name}, which has none: GOAL: "{goal}"')
    return notes


def _refused(text: str) -> list[str]:
    """Return what strict mode refuses in a converted text, one note for each code."""
    found: dict[str, list[Diagnostic]] = {}
    for piece in split_documents(text):
        for one in parse(piece, strict=True).errors:
            found.setdefault(one.code, []).append(one)
    notes: list[str] = []
    for code, errors in found.items():
        said = " ".join(one.message for one in errors[:MAX_NAMED])
        more = f" And {len(errors) - MAX_NAMED} more." if len(errors) > MAX_NAMED else ""
        notes.append(f"`abl check --strict` still refuses ({code}): {said}{more}")
    return notes


def _has_comments(text: str) -> bool:
    """Return whether a text holds comments, outside of block texts."""
    lines = scan(Source(text))
    inside = {number for first, stop in lines.blocks.values() for number in range(first, stop)}
    return any(
        _COMMENT.match(line) or _COMMENT_BEHIND.search(line)
        for number, line in enumerate(lines.raw)
        if number not in inside
    )
