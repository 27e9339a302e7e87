"""Lowers behaviour profiles: those inside the agent and those it uses by name. Spec: abl-language 3.18, 12.2."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any

from abl.compiler.flow import lower_flow_node
from abl.compiler.gather import lower_changed_check
from abl.compiler.lowering import Changes, lower, shape, shape_of
from abl.compiler.places import Unit
from abl.compiler.plain import Json, number, one, only, plain, text, texts
from abl.compiler.scope import Scope
from abl.compiler.types import lower_parameter, lower_returns
from abl.syntax.document import Document
from abl.syntax.flow import Flow
from abl.syntax.node import Node
from abl.syntax.profile import (
    AddedTool,
    FieldOverride,
    FlowChanges,
    GatherChanges,
    Insertion,
    Profile,
    ResponseRules,
    StepOverride,
    ToolChanges,
)  # fmt: skip
from abl.syntax.tools import Parameter
from abl.syntax.understanding import Entity

Found = tuple[Profile, Unit | None] | Json
"""A profile and its document, or one that came ready made with the options."""

_PROFILE = shape(
    Profile,
    Changes(
        skip=("response", "tools", "tools_hide", "tools_add", "gather", "flow", "flow_replace"),
        names={"conversation": "conversation_behavior"},
    ),
)
_FIELD = shape(FieldOverride, Changes(skip=("name",), use={"validation": lower_changed_check}))
_STEP = shape(StepOverride, Changes(skip=("name",)))
_GATHER = shape(GatherChanges, Changes(skip=("field_overrides",)))


class Profiles:
    """The profiles a compile knows: documents among the units, and those of the options."""

    def __init__(self, units: Iterable[Unit], option: Any) -> None:
        self._known: dict[str, Found] = {}
        for unit in units:
            for profile in profiles_in(unit.document):
                self._known.setdefault(text(profile.name), (profile, unit))
        pairs = option.items() if isinstance(option, Mapping) else ((None, value) for value in option or ())
        for name, value in pairs:
            self._add_option(text(name) if name is not None else "", value)

    def _add_option(self, name: str, value: Any) -> None:
        if isinstance(value, Document):
            for profile in profiles_in(value):
                self._known.setdefault(name or text(profile.name), (profile, None))
        elif isinstance(value, Profile):
            self._known.setdefault(name or text(value.name), (value, None))
        elif isinstance(value, Mapping):
            ready: Json = plain(dict(value))
            ready.setdefault("name", name)
            self._known.setdefault(text(ready["name"]), ready)

    def find(self, name: str) -> Found | None:
        """Return the profile of a name."""
        return self._known.get(name)

    @property
    def names(self) -> Collection[str]:
        """All names known."""
        return self._known.keys()


def profiles_in(document: Document) -> list[Profile]:
    """Return the profiles of a profile document; its own name and texts stand in for missing ones."""
    if document.kind != "profile":
        return []
    return only(Profile, document.behavior_profiles)


def lower_profiles(scope: Scope, known: Profiles, entities: dict[str, Entity]) -> list[Json]:
    """Return the attached profiles by ascending priority; reports unknown names and equal priorities."""
    own = {text(profile.name): profile for profile in only(Profile, scope.document.behavior_profiles)}
    attached: list[Json] = []
    document = scope.document
    used = {name: at for at, name in reversed(list(enumerate(texts(document.use_behavior_profiles))))}
    for name in dict.fromkeys([*texts(document.use_behavior_profiles), *own]):
        found: Found | None = (own[name], scope.unit) if name in own else known.find(name)
        if found is None:
            if not (scope.options.single_agent and not known.names):
                place = f"use_behavior_profiles.{used[name]}"
                scope.report("PROFILE_NOT_FOUND", document, place, name=name, known=(name, known.names or own))
        elif isinstance(found, dict):
            attached.append(dict(found))
        else:
            attached.append(lower_profile(found[0], found[1], scope, entities))
    attached.sort(key=_priority)
    for lower_one, higher in pairwise(attached):
        if _priority(lower_one) == _priority(higher):
            names = (text(lower_one.get("name")), text(higher.get("name")))
            _report_conflict(names, used, own, scope)
    return attached


def _report_conflict(names: tuple[str, str], used: dict[str, int], own: dict[str, Profile], scope: Scope) -> None:
    """Report two profiles of one priority where the later is attached, or else where it is written."""
    first, second = names
    later = max((used[name] for name in names if name in used), default=-1)
    inline = own.get(second) or own.get(first)
    if later >= 0 or inline is None:
        field = f"use_behavior_profiles.{later}" if later >= 0 else ""
        scope.report("PROFILE_PRIORITY_CONFLICT", scope.document, field, name=first, value=second)
    else:
        scope.report("PROFILE_PRIORITY_CONFLICT", inline, "name", name=first, value=second)


def _priority(profile: Json) -> float:
    found = number(profile.get("priority"))
    return 0 if found is None else found


def lower_profile(profile: Profile, unit: Unit | None, scope: Scope, entities: dict[str, Entity]) -> Json:
    """Return one profile; long and short spellings of its sections are joined."""
    here = scope.unit
    if unit is not None:
        scope.unit = unit
    ir = lower(profile, scope, _PROFILE)
    ir["name"] = text(profile.name)
    ir.setdefault("priority", 0)
    _add_sections(profile, ir, scope)
    changes = one(FlowChanges, profile.flow)
    replacement = one(Flow, profile.flow_replace) or (one(Flow, changes.replace) if changes is not None else None)
    if replacement is not None:
        ir["flow_replace"] = lower_flow_node(replacement, scope, entities)
    if changes is not None and (lowered := _flow_changes(changes, scope)):
        ir["flow_modifications"] = lowered
    scope.unit = here
    return ir


def _add_sections(profile: Profile, ir: Json, scope: Scope) -> None:
    tools = one(ToolChanges, profile.tools)
    response = one(ResponseRules, profile.response)
    gather = one(GatherChanges, profile.gather)
    if response is not None:
        ir["response_rules"] = lower(response, scope, shape_of("ResponseRules"))
    hidden = texts(profile.tools_hide) + (texts(tools.hide) if tools is not None else [])
    added = only(AddedTool, profile.tools_add) + (only(AddedTool, tools.add) if tools is not None else [])
    if hidden:
        ir["tools_hide"] = list(dict.fromkeys(hidden))
    if added:
        ir["tools_add"] = [_added_tool(tool, scope) for tool in added]
    if gather is not None:
        ir["gather_overrides"] = {
            **lower(gather, scope, _GATHER),
            "field_overrides": _by_name(only(FieldOverride, gather.field_overrides), _FIELD, scope),
        }


def _added_tool(node: AddedTool, scope: Scope) -> Json:
    return scope.record(
        {
            "name": text(node.name),
            "description": text(node.description) or f"Execute {text(node.name)}",
            "parameters": [lower_parameter(one_, scope) for one_ in only(Parameter, node.parameters)],
            "returns": lower_returns(node.returns),
        },
        node,
    )


def _flow_changes(node: FlowChanges, scope: Scope) -> Json:
    ir: Json = {}
    if skipped := texts(node.skip):
        ir["skip"] = skipped
    if overrides := _by_name(only(StepOverride, node.overrides), _STEP, scope):
        ir["overrides"] = overrides
    if insertions := [lower(one_, scope, shape_of("Insertion")) for one_ in only(Insertion, node.insertions)]:
        ir["insertions"] = insertions
    return scope.record(ir, node)


def _by_name(nodes: Iterable[Node], how: Any, scope: Scope) -> Json:
    return {text(getattr(node, "name", "")): lower(node, scope, how) for node in nodes}
