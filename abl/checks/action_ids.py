"""Whether buttons and options send actions that something handles. Spec: abl-language 3.13, 4.3."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.checks.document_report import unknown_at
from abl.checks.suggestions import Guesses
from abl.checks.walk import nodes_of
from abl.compiler.places import Place, Unit
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.suggest import distance
from abl.syntax.node import Node
from abl.syntax.rich import ActionSet, Element, Option
from abl.syntax.steps import ActionHandler

_COMPARED = re.compile(r"""["']([\w-]+)["']""")


def unknown_action_ids(unit: Unit) -> Iterator[Diagnostic]:
    """Yield ids of buttons and options that nothing handles, when they are nearly one that is handled.

    An id that another button sends is somebody else's, unless a single letter differs.
    """
    handled = dict.fromkeys(node.action_id for node, _ in nodes_of(unit.document) if isinstance(node, ActionHandler))
    if not handled:
        return
    sent = [(node, path, *one) for node, path in nodes_of(unit.document) if (one := _id_of(node))]
    if not sent:
        return
    compared = {word for node, _ in nodes_of(unit.document) for word in _compared(node)}
    offered = {name for *_, name in sent}
    guesses = Guesses()
    for node, path, field, name in sent:
        if name in handled or name in compared:
            continue
        near = guesses.slip(name, handled)
        if near and (near not in offered or distance(name, near, 1) == 1):
            yield unknown_at("UNKNOWN_ACTION_ID", Place(node, unit), field, name, [near], path=path)


def _id_of(node: Node) -> tuple[str, str] | None:
    if isinstance(node, Element | Option) and node.id and "id" in node.at:
        return "id", node.id
    return ("submit_id", node.submit_id) if isinstance(node, ActionSet) and node.submit_id else None


def _compared(node: Node) -> Iterator[str]:
    """Yield the texts that the conditions of a node compare with."""
    for field in ("condition", "when", "check"):
        value = getattr(node, field, "")
        if isinstance(value, str) and value:
            yield from _COMPARED.findall(value)
