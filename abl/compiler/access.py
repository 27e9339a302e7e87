"""Checks which names of the session a tool wants to read and write. Spec: abl-language 3.2."""

from __future__ import annotations

import re

from abl.compiler.plain import Json, texts
from abl.compiler.scope import Scope
from abl.syntax.node import Node
from abl.syntax.tools import Tool

_METADATA = frozenset({"metadata", "messageMetadata", "message_metadata"})
_FREE_ROOTS = frozenset({"caller", "context", "env", "interaction", "sentiment", "workflow", "_context"}) | _METADATA
_MENTIONS_METADATA = re.compile(r"\{\{[^{}]*\b(message_metadata|messageMetadata|metadata)\b")


def check_metadata(ir: Json, node: Node, name: str, scope: Scope) -> None:
    """Report a binding that mentions the metadata of a message without declaring it: it would find nothing."""
    read = (ir.get("context_access") or {}).get("read", ())
    if any(one.removeprefix("session.").partition(".")[0] in _METADATA for one in read):
        return
    bindings = [value for key, value in ir.items() if key.endswith("_binding")]
    found = _MENTIONS_METADATA.search(str(bindings)) if bindings else None
    if found is not None:
        scope.report("METADATA_NOT_DECLARED", node, "name", tool=name, name=found[1])


def check_context_access(tool: Tool, node: Node, name: str, scope: Scope) -> None:
    """Report the names in `context_access` that are declared neither in MEMORY nor in GATHER."""
    known = scope.declared
    plain_names = {*known, *(path.rpartition(".")[2] for path in known)}
    for field in ("context_read", "context_write"):
        for at, wanted in enumerate(texts(getattr(tool, field))):
            root, _, rest = wanted.partition(".")
            if root in _FREE_ROOTS or wanted in known or root in plain_names:
                continue
            if root == "session" and rest.partition(".")[0] in {*plain_names, *_METADATA}:
                continue
            place = f"{field}.{at}"
            scope.report("CONTEXT_ACCESS_UNDECLARED", node, place, tool=name, name=wanted, known=(wanted, known))
