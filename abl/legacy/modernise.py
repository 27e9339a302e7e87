"""Lowers a document of the numbered grammar to the modern one. Spec: abl-language 5.9, 10.2, 10.3."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from abl.legacy.flow import flow_of
from abl.legacy.handoffs import aliases_of, completions_of, handoffs_of
from abl.syntax.document import Document
from abl.syntax.goal import unwritten_goal
from abl.syntax.legacy import Behavior, Communication, Contract, LegacyAgent, LegacySupervisor, Policy
from abl.syntax.memory import Memory, PersistentPath, SessionVariable
from abl.syntax.rules import Constraint, FailAction
from abl.syntax.tools import Parameter, Tool, TypeExpr

REPLY_FIELDS = frozenset({"response", "signal"})
"""Outputs of a contract that every reply has; they are no variables."""

PERSISTENT_ROOTS = ("user", "project")
"""Namespaces of STATE whose values outlive the session (spec 3.5, 6.7)."""

_RETRY = re.compile(r"retry\s*\(\s*([0-9]{1,3})\s*\)", re.IGNORECASE)


def modernise(document: Document) -> Document:
    """Return a modern document that says the same; other documents are returned as they are.

    Only lists that are added to are copied: nodes that stay the same are shared with `document`.
    """
    if document.format != "legacy":
        return document
    made = _copy(document)
    made.goal = document.goal or unwritten_goal(document)
    _identity(made)
    made.tools = [_tool(tool) for tool in document.tools]
    legacy = document.legacy
    if isinstance(legacy, LegacyAgent | LegacySupervisor):
        _contract(made, legacy.contract)
        if legacy.steps and made.flow is None:
            made.flow = flow_of(legacy.steps, legacy.entry_point)
    if isinstance(legacy, LegacySupervisor):
        _state(made, legacy.state)
        rules = [*legacy.intents, *legacy.routing]
        made.agents = aliases_of(legacy.agents)
        made.handoffs = [*made.handoffs, *handoffs_of(rules, legacy.agents)]
        made.complete = [*made.complete, *completions_of(rules)]
        made.constraints = [*made.constraints, *(rule for one in legacy.policies for rule in _policy(one))]
        _communication(made, legacy.communication)
        _behavior(made, legacy.behavior)
    return made


def _copy(document: Document) -> Document:
    made = Document(**{name: getattr(document, name) for name in Document.FIELDS})
    made.pos, made.at = document.pos, dict(document.at)
    made.format, made.legacy, made.mode = "abl", None, ""
    return made


def _identity(made: Document) -> None:
    """Make goal, persona and limitations of an IDENTITY section (spec 3.1)."""
    identity, made.identity = made.identity, None
    if identity is None:
        return
    made.goal = made.goal or identity.goal or identity.role
    persona = made.persona or identity.persona
    knows = f"Expertise: {', '.join(identity.expertise)}" if identity.expertise else ""
    made.persona = "\n".join([text for text in (persona, knows) if text])
    made.limitations = [*made.limitations, *(one for one in identity.limitations if one not in made.limitations)]


def _tool(tool: Tool) -> Tool:
    """Return a tool whose `on_failure: retry(n)` is written as `retry`."""
    found = _RETRY.fullmatch(tool.on_failure.strip())
    if found is None:
        return tool
    made = Tool(**{name: getattr(tool, name) for name in Tool.FIELDS})
    made.pos, made.at = tool.pos, dict(tool.at)
    made.on_failure = ""
    if made.retry is None:
        made.retry = int(found[1])
    return made


def _contract(made: Document, contract: Contract | None) -> None:
    """Make the fields of a contract variables of the session."""
    if contract is None:
        return
    fields = [*contract.inputs, *(one for one in contract.outputs if one.name not in REPLY_FIELDS)]
    _declare(made, [_variable(one.name, one) for one in fields])


def _state(made: Document, state: Sequence[Parameter]) -> None:
    """Make `user.` and `project.` fields persistent paths; of other namespaces one object variable each."""
    variables: dict[str, SessionVariable] = {}
    paths: dict[str, PersistentPath] = {}
    for one in state:
        space, _, name = one.name.removeprefix("session.").partition(".")
        if not name:
            variables[space] = _variable(space, one)
            continue
        if space in PERSISTENT_ROOTS:
            paths[one.name] = _path(space, one)
            continue
        variable = variables.setdefault(space, SessionVariable(name=space, type="object", pos=one.pos))
        if one.default is not None:
            _place(variable, name.split("."), one.default)
    _declare(made, list(variables.values()), list(paths.values()))


def _path(scope: str, one: Parameter) -> PersistentPath:
    """Return the declaration of a fact that outlives the session; a user's facts need no SCOPE."""
    return PersistentPath(
        path=one.name,
        scope="" if scope == "user" else scope,
        type=(one.type or TypeExpr()).base,
        default_value=one.default,
        description=one.description,
        pos=one.pos,
    )


def _place(variable: SessionVariable, path: Sequence[str], value: Any) -> None:
    """Store a default at its path within a variable's initial value."""
    if not isinstance(variable.initial_value, dict):
        variable.initial_value = {}
    inside: dict[str, Any] = variable.initial_value
    for name in path[:-1]:
        deeper = inside.setdefault(name, {})
        if not isinstance(deeper, dict):
            return
        inside = deeper
    inside[path[-1]] = value


def _variable(name: str, one: Parameter) -> SessionVariable:
    kind = one.type or TypeExpr()
    return SessionVariable(
        name=name, type=kind.base, initial_value=one.default, description=one.description, pos=one.pos
    )


def _declare(made: Document, variables: Sequence[SessionVariable], paths: Sequence[PersistentPath] = ()) -> None:
    """Add variables and persistent paths that are not declared yet."""
    if not variables and not paths:
        return
    old = made.memory
    memory = Memory(**{name: getattr(old, name) for name in Memory.FIELDS}) if old is not None else Memory()
    known = {one.name for one in memory.session}
    fresh = {one.name: one for one in variables if one.name not in known}
    memory.session = [*memory.session, *fresh.values()]
    stored = {one.path for one in memory.persistent}
    memory.persistent = [*memory.persistent, *(one for one in paths if one.path not in stored)]
    made.memory = memory


def _policy(policy: Policy) -> list[Constraint]:
    """Return the rules of a policy; its signal says what happens when they are broken."""
    signal = policy.trigger_signal.upper()
    on_fail = FailAction(type="escalate", reason=policy.name) if signal == "ESCALATE" else None
    rules = (("require", policy.allowed_when), ("restrict", policy.forbidden_when))
    return [
        Constraint(kind=kind, condition=condition, phase=policy.name, on_fail=on_fail, pos=policy.pos)
        for kind, condition in rules
        if condition
    ]


def _communication(made: Document, communication: Communication | None) -> None:
    if communication is None:
        return
    made.language = made.language or communication.language
    formality = f"Formality: {communication.formality}" if communication.formality else ""
    made.persona = "\n".join([text for text in (made.persona, formality) if text])
    made.limitations = [*made.limitations, *communication.constraints]


def _behavior(made: Document, behavior: Behavior | None) -> None:
    if behavior is None:
        return
    allowed = f"You may: {', '.join(behavior.allowed_actions)}." if behavior.allowed_actions else ""
    direct = "You may answer the user yourself." if behavior.can_respond_directly else ""
    made.instructions = "\n".join([text for text in (made.instructions, direct, allowed) if text])
    made.limitations = [*made.limitations, *(f"Never: {one}" for one in behavior.forbidden_actions)]
