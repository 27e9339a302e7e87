"""Which names an agent declares, with their types: for passing context and for the access of tools."""

from __future__ import annotations

from collections.abc import Iterator

from abl.compiler.plain import Json, one, only, text, texts
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import Gather, GatherField, StepGather
from abl.syntax.memory import Memory, PersistentPath, SessionVariable


def gather_fields(document: Document) -> Iterator[GatherField]:
    """Yield the fields of the agent, then those of its steps."""
    gather = one(Gather, document.gather)
    if gather is not None:
        yield from only(GatherField, gather.fields)
    flow = one(Flow, document.flow)
    for step in only(Step, flow.steps) if flow is not None else []:
        for fields in (one(StepGather, step.gather), one(StepGather, step.collect)):
            if fields is not None:
                yield from only(GatherField, fields.fields)


def declared_names(document: Document) -> dict[str, tuple[str, str]]:
    """Return name -> (type, description) of gather fields, session variables and persistent paths."""
    known: dict[str, tuple[str, str]] = {}

    def add(name: str, kind: str, description: str) -> None:
        before = known.get(name, ("", ""))
        known[name] = (before[0] or kind, before[1] or description)

    for field in gather_fields(document):
        add(text(field.name), text(field.type), text(field.message))
    memory = one(Memory, document.memory)
    if memory is not None:
        for variable in only(SessionVariable, memory.session):
            add(text(variable.name), text(variable.type), text(variable.description))
        for path in only(PersistentPath, memory.persistent):
            add(text(path.path), text(path.type), text(path.description))
        for name in [*texts(memory.reads), *texts(memory.writes)]:
            add(name, "", "")
    return known


def passed(names: list[str], known: dict[str, tuple[str, str]]) -> list[Json]:
    """Return `[{name, type, description}]` of the values a handoff passes."""
    result: list[Json] = []
    for name in names:
        kind, description = known.get(name, ("", ""))
        ir: Json = {"name": name, "type": kind or "string"}
        if description:
            ir["description"] = description
        result.append(ir)
    return result
