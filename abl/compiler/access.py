"""Checks which names of the session a tool wants to read and write. Spec: abl-language 3.2."""

from __future__ import annotations

from abl.compiler.plain import texts
from abl.compiler.scope import Scope
from abl.syntax.node import Node
from abl.syntax.tools import Tool

_FREE_ROOTS = frozenset({"caller", "context", "env", "interaction", "metadata", "sentiment", "workflow", "_context"})


def check_context_access(tool: Tool, node: Node, name: str, scope: Scope) -> None:
    """Report the names in `context_access` that are declared neither in MEMORY nor in GATHER."""
    known = scope.declared
    plain_names = {*known, *(path.rpartition(".")[2] for path in known)}
    for field in ("context_read", "context_write"):
        for at, wanted in enumerate(texts(getattr(tool, field))):
            root, _, rest = wanted.partition(".")
            if root in _FREE_ROOTS or wanted in known or root in plain_names:
                continue
            if root == "session" and rest.partition(".")[0] in plain_names:
                continue
            place = f"{field}.{at}"
            scope.report("CONTEXT_ACCESS_UNDECLARED", node, place, tool=name, name=wanted, known=(wanted, known))
