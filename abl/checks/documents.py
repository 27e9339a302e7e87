"""Rules over a document rather than its IR, because profiles are written apart from the agents that use them.

Spec: abl-language 3.18.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from abl.checks.action_ids import unknown_action_ids
from abl.checks.declarations import declaration_findings
from abl.checks.document_expressions import text_findings
from abl.checks.without_effect import properties_without_effect
from abl.compiler.places import Place, Unit, locate
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import finding
from abl.expressions.analysis import analyse
from abl.syntax.profile import FlowChanges, Profile


def document_findings(unit: Unit, *, strict: bool = False) -> Iterator[Diagnostic]:
    """Yield everything that is said of a document: its texts and its profiles."""
    for profile in unit.document.behavior_profiles:
        yield from invalid_profile_condition(profile, unit)
        yield from profile_flow_conflict(profile, unit)
    yield from text_findings(unit, strict=strict)
    yield from declaration_findings(unit)
    yield from unknown_action_ids(unit)
    yield from properties_without_effect(unit)


def invalid_profile_condition(profile: Profile, unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for a profile whose WHEN cannot be read; what is wrong in it is said beside."""
    if not profile.when.strip():
        return
    faults = [one for one in analyse(profile.when, condition=True).faults if one.code == "INVALID_CONDITION"]
    if faults:
        detail = str(faults[0].arguments.get("detail", ""))
        said: dict[str, Any] = {"name": profile.name, "value": profile.when, "detail": detail}
        yield finding("PROFILE_INVALID_WHEN", path="when", **locate(Place(profile, unit), "when"), **said)


def profile_flow_conflict(profile: Profile, unit: Unit) -> Iterator[Diagnostic]:
    """Yield a finding for a profile that both replaces the flow and changes it."""
    changes = profile.flow if isinstance(profile.flow, FlowChanges) else FlowChanges()
    replaces = profile.flow_replace is not None or changes.replace is not None
    if replaces and (changes.skip or changes.overrides or changes.insertions):
        where = locate(Place(profile, unit), "flow")
        yield finding("PROFILE_FLOW_CONFLICT", path="flow", **where, name=profile.name)
