"""What hover and completion say of a thing, as Markdown. The words stand in the schema; this only arranges them."""

from __future__ import annotations

from abl.editor.names import Symbol
from abl.editor.symbols import DECLARES, Occurrence
from abl.expressions.library import Entry
from abl.printer.signature import literal_text, signature_text, type_text
from abl.syntax.document import Document
from abl.syntax.flow import Step
from abl.syntax.gather import GatherField
from abl.syntax.memory import PersistentPath, SessionVariable
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rich import Template
from abl.syntax.steps import Assignment, Call
from abl.syntax.tools import Tool

MAX_SHOWN = 400
"""Characters of an author's text that are shown."""

_FORMS = {
    Kind.TEXT: "text", Kind.NAME: "name", Kind.CODE: "text, kept exactly", Kind.CONDITION: "condition",
    Kind.EXPRESSION: "expression", Kind.TARGET: "step, COMPLETE or ESCALATE", Kind.CHOICE: "one of a set",
    Kind.BOOL: "true or false", Kind.FLAG: "true or false, true when it stands alone", Kind.INTEGER: "whole number",
    Kind.NUMBER: "number", Kind.LITERAL: "value", Kind.LIST: "list", Kind.MAP: "map", Kind.FREE: "YAML-like body",
    Kind.ENTRIES: "list of entries", Kind.RESPOND: "text with rich content", Kind.SET: "assignments",
    Kind.CALL: "call of a tool", Kind.BRANCHES: "IF and ELSE items", Kind.RULES: "rules", Kind.ACTION: "action",
    Kind.STORE: "value -> target", Kind.TOOLS: "tool signatures", Kind.FLOW: "steps", Kind.TYPE: "type",
    Kind.STEP_GATHER: "fields", Kind.CONVERSATION: "YAML body with closed keys",
}  # fmt: skip


def form_of(row: Prop) -> str:
    """Return the form of a property's value in words."""
    if row.kind is Kind.DURATION:
        return "duration in milliseconds" if row.unit == "ms" else "duration in seconds"
    return _FORMS.get(row.kind, "block")


def property_text(cls: type[Node] | None, row: Prop) -> str:
    """Return what a property is: its sentence, the form of its value, its choices and default."""
    lines = [f"**{row.key}**: {form_of(row)}", "", row.doc]
    if row.choices:
        more = ", or another word" if row.open else ""
        lines += ["", "Values: " + ", ".join(f"`{one}`" for one in row.choices) + more]
    bounds = [f"at least {row.minimum:g}"] if row.minimum is not None else []
    bounds += [f"at most {row.maximum:g}"] if row.maximum is not None else []
    if bounds:
        lines += ["", "Range: " + ", ".join(bounds)]
    default = cls.DEFAULTS.get(row.field) if cls is not None else None
    if default not in (None, "", [], {}) and row.kind is not Kind.FLAG:
        lines += ["", f"Default: `{literal_text(default)}`"]
    if row.aliases:
        lines += ["", "Also written " + ", ".join(f"`{one}`" for one in row.aliases)]
    if row.legacy:
        lines += ["", "An older form."]
    return "\n".join(lines)


def function_text(entry: Entry) -> str:
    """Return what a function of the expression language is."""
    return f"```abl\n{entry.signature}\n```\n{entry.summary}"


def symbol_text(one: Occurrence, mentioned: int = 0) -> str:
    """Return what a name stands for, told by the place where it is declared."""
    lines = [f"**{one.name}**: {one.symbol}", *_details(one)]
    if mentioned:
        lines += ["", f"Stands in {mentioned} {'place' if mentioned == 1 else 'places'}."]
    return "\n".join(lines)


def summary_of(one: Occurrence) -> str:
    """Return one line about a declared name, for lists."""
    node = one.node
    if isinstance(node, Tool):
        return signature_text(node)
    if isinstance(node, Document):
        return _short(node.description or node.goal, 100)
    if isinstance(node, GatherField | SessionVariable | PersistentPath):
        return node.type or "variable"
    if isinstance(node, Call):
        return f"result of {node.tool}"
    return str(one.symbol)


def _details(one: Occurrence) -> list[str]:
    node = one.node
    if isinstance(node, Tool):
        shown = ["", "```abl", signature_text(node), "```"]
        shown += [node.description] if node.description else []
        return shown + [f"- `{p.name}`: {p.description}" for p in node.parameters if p.description]
    if isinstance(node, Document) and one.symbol is Symbol.AGENT:
        head = ["", node.description] if node.description else []
        return [*head, "", f"{node.kind}: {_short(node.goal)}"]
    if isinstance(node, Step) and one.symbol is Symbol.STEP:
        return ["", *_step(node)]
    if isinstance(node, Template):
        return ["", "```", _short(node.text), "```"]
    if isinstance(node, Assignment):
        return ["", f"`{node.variable} = {_short(node.expression, 120)}`"]
    if isinstance(node, Call) and one.rank == DECLARES:
        return ["", f"Result of `{node.tool}`"]
    if isinstance(node, GatherField):
        kind = node.type or "string"
        return ["", f"Field of type `{kind}`" + (f": {node.prompt}" if node.prompt else "")]
    if isinstance(node, SessionVariable):
        value = f", at first `{literal_text(node.initial_value)}`" if node.initial_value is not None else ""
        return ["", f"Session variable{value}", *([node.description] if node.description else [])]
    if isinstance(node, PersistentPath):
        return ["", f"Fact of {node.scope or 'the user'} that outlives the session", node.description]
    return []


def _step(step: Step) -> list[str]:
    lines = ["Reasoning zone" if step.reasoning else "Deterministic step"]
    if step.goal:
        lines.append(f"Goal: {_short(step.goal)}")
    if step.call is not None:
        lines.append(f"Calls `{step.call.tool}`")
    if step.gather is not None and step.gather.fields:
        lines.append("Collects " + ", ".join(f"`{one.name}`" for one in step.gather.fields))
    targets = [one.then for one in (*step.on_input, *step.on_result) if one.then]
    targets += [step.then] if step.then else []
    if targets:
        lines.append("Goes to " + ", ".join(f"`{one}`" for one in dict.fromkeys(targets)))
    return [line + "  " for line in lines]


def result_fields(tool: Tool) -> dict[str, str]:
    """Return the fields of what a tool returns, with their types."""
    returns = tool.returns
    if returns is None or not returns.fields:
        return {}
    return {one.name: type_text(one.type) if one.type is not None else "string" for one in returns.fields}


def _short(text: str, limit: int = MAX_SHOWN) -> str:
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"
