"""From one form of the language to another: text, YAML, and older generations made modern. Spec: abl-language 0, 9, 10.

Comments and blank lines are not part of a document, so a converted text has none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from abl.diagnostics.model import Diagnostic
from abl.frontend import parse
from abl.legacy import modernise
from abl.parser.detect import split_documents
from abl.printer import serialize
from abl.syntax.document import Document
from abl.syntax.flow import Step
from abl.syntax.gather import GatherField, StepGather

Target = Literal["abl", "yaml", "modern"]
TARGETS: tuple[Target, ...] = ("abl", "yaml", "modern")


@dataclass(slots=True)
class Conversion:
    """What a conversion gives.

    Attributes:
        text: The converted text; None when there is none.
        findings: What reading found.
        reason: Why there is no text.
    """

    text: str | None = None
    findings: list[Diagnostic] = field(default_factory=list)
    reason: str = ""


def convert(text: str, to: Target) -> Conversion:
    """Return `text` in another form: `abl` (text form), `yaml` (YAML form) or `modern` (text form of today).

    >>> convert("agent: Desk\\ngoal: Help\\n", "abl").text.split("\\n")[0]
    'AGENT: Desk'
    """
    results = [parse(piece) for piece in split_documents(text)]
    findings = [one for result in results for one in result.findings]
    documents = [result.document for result in results if result]
    if len(documents) < len(results):
        return Conversion(None, findings, "mend the errors first")
    if to == "yaml" and len(documents) > 1:
        return Conversion(None, findings, f"it holds {len(documents)} agents, and a YAML text holds one")
    if to == "modern":
        documents = [modern(document) for document in documents if document is not None]
    form = "yaml" if to == "yaml" else "abl"
    pieces = [serialize(document, form) for document in documents if document is not None]
    return Conversion("\n".join(pieces), findings)


def modern(document: Document) -> Document:
    """Return `document` in the forms of the newest generation, as far as one text by itself can say them.

    Tool bindings inside agents stay where they are: their place is a library, which is another text.
    """
    if document.format == "legacy":
        made = modernise(document)
        made.goal = made.goal or _goal(made)
        return made
    scripted = document.mode.lower() == "scripted"
    document.mode = ""
    identity, document.identity = document.identity, None
    if identity is not None:
        document.goal = document.goal or identity.goal or identity.role
        document.persona = "\n".join(
            [one for one in (document.persona or identity.persona, _knowledge(identity.expertise)) if one]
        )
        document.limitations = list(dict.fromkeys([*document.limitations, *identity.limitations]))
    if scripted:
        document.goal = document.goal or _goal(document)
    for step in (document.flow.steps if document.flow is not None else None) or ():
        _modern_step(step)
    return document


def _goal(document: Document) -> str:
    """Return a goal for an older document, which needed none."""
    routes = document.kind == "supervisor"
    return document.description or ("Hand every request to the right agent" if routes else "Follow the steps")


def _knowledge(expertise: list[str]) -> str:
    return f"Expertise: {', '.join(expertise)}" if expertise else ""


def _modern_step(step: Step) -> None:
    if step.reasoning is None:
        step.reasoning = False
    if step.collect and step.gather is None:
        step.gather = StepGather(fields=[GatherField(name=step.collect, prompt=step.prompt)])
        step.collect = step.prompt = ""
