"""Writers of CONSTRAINTS and STEP_CONSTRAINTS: `- KIND condition` items under labels. Spec: abl-language 3.6."""

from __future__ import annotations

import re
from itertools import groupby

from abl.printer.kinds import put_text
from abl.printer.nodes import is_absent, rows_of, write_extras, write_row, writes
from abl.printer.page import STEP, Page
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import Constraint

_MODIFIER = re.compile(r"\b(WHEN|BEFORE)\b", re.IGNORECASE)
_MODIFIERS = ("when", "before")


@writes(Kind.RULES)
def write_rules(page: Page, indent: int, head: str, value: list[Constraint], row: Prop, node: Node) -> None:
    """Write rules in their order, each run of one label under that label."""
    page.put(indent, head)
    for phase, rules in groupby(value, key=lambda rule: rule.phase):
        deeper = indent + STEP
        if phase:
            page.put(deeper, f"{phase}:")
            deeper += STEP
        for rule in rules:
            write_rule(page, deeper, rule)


def write_rule(page: Page, indent: int, rule: Constraint) -> None:
    """Write one rule: its head on the line of the dash, the rest below."""
    inline = [name for name in _MODIFIERS if getattr(rule, name) and fits_head(getattr(rule, name))]
    written = {"kind", "condition"}
    if rule.text:
        put_text(page, indent, "-", rule.text)
    elif fits_head(rule.condition):
        parts = [rule.kind.upper() or "REQUIRE", rule.condition]
        parts += [f"{name.upper()} {getattr(rule, name)}" for name in inline]
        page.put(indent, "- " + " ".join(parts).rstrip())
        written.update(inline)
    else:
        page.put(indent, f"- CONDITION: {rule.condition}")
        written = {"condition"} if rule.kind != "require" else written
    for row in rows_of(Constraint):
        if row.field not in written and not is_absent(rule, row.field):
            write_row(page, indent + STEP, rule, row)
    write_extras(page, indent + STEP, rule)


def fits_head(text: str) -> bool:
    """Return whether a condition can stand on the line of the dash: no word in it is taken for a modifier."""
    return "\n" not in text and not _MODIFIER.search(text)
