"""Writers of FLOW and the gathers of its steps. Spec: abl-language 5.1, 5.3."""

from __future__ import annotations

from abl.printer.nodes import entry_name, is_absent, rows_of, write_props, write_remarks, write_row, writes
from abl.printer.page import STEP, Page
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import StepGather
from abl.syntax.node import Kind, Node, Prop


@writes(Kind.FLOW)
def write_flow(page: Page, indent: int, head: str, value: Flow, row: Prop, node: Node) -> None:
    """Write entry point, order, sequences and digressions, then the steps with blank lines between them."""
    page.put(indent, head)
    inside = indent + STEP
    for name in ("entry_point", "order"):
        if not is_absent(value, name):
            write_row(page, inside, value, Flow.BY_FIELD[name])
    for sequence in value.sequences or ():
        page.put(inside, " -> ".join(sequence))
    for inner in rows_of(Flow):
        if inner.field not in ("entry_point", "order") and not is_absent(value, inner.field):
            write_row(page, inside, value, inner)
    write_remarks(page, inside, value)
    for step in value.steps or ():
        if page.lines[-1].strip() != head:
            page.gap()
        write_step(page, inside, step)


def write_step(page: Page, indent: int, step: Step) -> None:
    """Write one step."""
    page.put(indent, f"{entry_name(step.name)}:")
    write_props(page, indent + STEP, step)


@writes(Kind.STEP_GATHER)
def write_step_gather(page: Page, indent: int, head: str, value: StepGather, row: Prop, node: Node) -> None:
    """Write the fields of a step as dash items."""
    page.put(indent, head)
    write_props(page, indent + STEP, value)
