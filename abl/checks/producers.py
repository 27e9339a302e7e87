"""What gives a variable a value: gather fields, SET, results of calls, memory, returns. Spec: abl-language 13.4."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from abl.checks.blocks import Block
from abl.checks.reading import Subject, dig, mapping, rows, text, texts

MAX_TYPE_NESTING = 16


class Producer(NamedTuple):
    """One source of a variable.

    Attributes:
        name: The variable, possibly a dotted path.
        step: The flow step in which it gets its value; empty when that can happen at any time.
        block: The object that says so.
        field: Its key there.
        kind: `set`, `gather`, `call`, `transform`, `return`, `tool`, `memory`, `attachment` or `entity`.
    """

    name: str
    step: str
    block: Block
    field: str
    kind: str


def producers_of(blocks: list[Block]) -> list[Producer]:
    """Return everything that can fill a variable of the agent, in the order of its text."""
    found: list[Producer] = []
    for block in blocks:
        step = block.step
        for name, field, kind in _fills(block):
            if name:
                found.append(Producer(name, step, block, field, kind))
    return found


def _fills(block: Block) -> Iterator[tuple[str, str, str]]:
    subject = block.subject
    yield from _sets(block)
    yield from _calls(block)
    yield from _coordination(block)
    match block.role:
        case "fields" if block.section in ("gather", "flow"):
            yield text(subject.get("name")), "name", "gather"
        case "transform":
            yield text(subject.get("target")), "target", "transform"
            yield text(subject.get("item_var")), "item_var", "transform"
        case "await_attachment":
            yield text(subject.get("variable")) or text(subject.get("name")), "variable", "attachment"
        case "attachments" | "entities" if block.depth == 1:
            yield text(subject.get("name")), "name", "attachment" if block.role == "attachments" else "entity"
        case "tools" if block.depth == 1:
            yield from _tool(subject)
        case "session" | "persistent" if block.section == "memory":
            yield from _memory(subject, block.role)
        case "store":
            yield text(subject.get("target")), "target", "memory"


def _sets(block: Block) -> Iterator[tuple[str, str, str]]:
    """Yield the targets of SET lines; the `set` of a handoff's context fills the child, not this agent."""
    given = block.subject.get("set")
    if isinstance(given, dict) and block.role != "context":
        yield from ((str(name), f"set.{name}", "set") for name in given)
    if block.role == "set" and "variable" in block.subject:
        yield text(block.subject["variable"]), "variable", "set"


def _calls(block: Block) -> Iterator[tuple[str, str, str]]:
    if block.role == "call_spec":
        yield text(block.subject.get("as")), "as", "call"
    elif "call_as" in block.subject:
        yield text(block.subject["call_as"]), "call_as", "call"
    store = block.subject.get("store")
    if isinstance(store, str) and "->" in store:
        yield store.rpartition("->")[2].strip(), "store", "memory"


def _coordination(block: Block) -> Iterator[tuple[str, str, str]]:
    """Yield the variables that receive values of another agent."""
    if block.role not in ("delegates", "delegate", "on_return"):
        return
    for key in ("returns", "map"):
        for theirs, ours in mapping(block.subject.get(key)).items():
            yield text(ours), f"{key}.{theirs}", "return"
    inner = dig(block.subject, "on_return", "map")
    if block.role == "delegate":
        for theirs, ours in mapping(inner).items():
            yield text(ours), f"on_return.map.{theirs}", "return"


def _tool(tool: Subject) -> Iterator[tuple[str, str, str]]:
    name = text(tool.get("name"))
    if not name or tool.get("system") is True:
        return
    yield name, "name", "tool"
    yield f"last_{name}_result", "name", "tool"
    for field in type_fields(tool.get("returns")):
        yield field, "returns", "tool"
    for written in texts(dig(tool, "context_access", "write")):
        yield written, "context_access", "tool"


def _memory(entry: Subject, role: str) -> Iterator[tuple[str, str, str]]:
    """Yield a variable that has a value from the start or from outside; a bare session declaration is no source."""
    if role == "persistent":
        path = text(entry.get("path"))
        yield path, "path", "memory"
        yield path.rpartition(".")[2], "path", "memory"
    elif entry.get("initial_value") is not None or text(entry.get("source")):
        yield text(entry.get("name")), "name", "memory"


def type_fields(returns: object, depth: int = 0) -> Iterator[str]:
    """Yield the field names of a type, those of nested objects and of array elements too."""
    if depth > MAX_TYPE_NESTING or not isinstance(returns, dict):
        return
    fields = returns.get("fields") if "fields" in returns else returns.get("properties")
    if isinstance(fields, dict):
        for name, inner in fields.items():
            yield str(name)
            yield from type_fields(inner, depth + 1)
    for inner in rows(fields):
        yield text(inner.get("name"))
        yield from type_fields(inner.get("type") if isinstance(inner.get("type"), dict) else inner, depth + 1)
    yield from type_fields(returns.get("items"), depth + 1)
