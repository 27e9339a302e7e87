"""Lowers ON_START, HOOKS, ACTION_HANDLERS, and the branches and digressions of steps.

Spec: abl-language 3.11, 3.13, 5.5, 5.6.
"""

from __future__ import annotations

from typing import Any

from abl.compiler.calls import mark_list
from abl.compiler.lowering import Changes, listed, lower, nested, shape
from abl.compiler.plain import Json, only, text
from abl.compiler.scope import Scope
from abl.syntax.flow import Digression
from abl.syntax.node import Node
from abl.syntax.steps import ActionHandler, Branch, Do, Hook, OnStart, Outcome


def _do(nodes: Any, scope: Scope, node: Node) -> list[Json]:
    found: list[Json] = _ENTRIES(nodes, scope, node)
    return found


_BRANCH = shape(Branch, Changes(skip=("otherwise", "gather")))
_ON_START = shape(OnStart)
_HOOK = shape(Hook, Changes(skip=("name",), defaults={"critical": False}))


def lower_branches(nodes: Any, scope: Scope, _node: Node | None = None) -> list[Json]:
    """Return branches; ELSE has no condition."""
    return [_branch(node, scope) for node in only(Branch, nodes)]


def _branch(node: Branch, scope: Scope) -> Json:
    ir = lower(node, scope, _BRANCH)
    if node.otherwise is True:
        ir.pop("condition", None)
    return ir


OUTCOME = shape(Outcome, Changes(use={"branches": lower_branches}))
_ENTRIES = listed(shape(Do, Changes(use={"do": _do, "on_fail": nested(OUTCOME)})))


def lower_do(nodes: Any, scope: Scope, node: Node) -> list[Json]:
    """Return the entries of a DO list; the words below a call in it are noted as such."""
    found: list[Json] = _ENTRIES(nodes, scope, node)
    mark_list(found)
    return found


DIGRESSION = shape(Digression, Changes(use={"do": lower_do}))
HANDLERS = listed(_HANDLER := shape(ActionHandler, Changes(use={"do": lower_do})))


def lower_on_start(scope: Scope) -> Json | None:
    """Return the first action, None when there is none."""
    node = scope.document.on_start
    return lower(node, scope, _ON_START) if isinstance(node, OnStart) else None


def lower_hooks(scope: Scope) -> Json:
    """Return hook name -> actions."""
    hooks: Json = {}
    for node in only(Hook, scope.document.hooks):
        hooks.setdefault(text(node.name).lower(), lower(node, scope, _HOOK))
    return hooks


def lower_action_handlers(scope: Scope) -> list[Json]:
    """Return what buttons and forms do."""
    return [lower(node, scope, _HANDLER) for node in only(ActionHandler, scope.document.action_handlers)]
