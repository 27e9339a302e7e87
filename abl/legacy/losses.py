"""What lowering a numbered document leaves out, in words: the modern grammar has no place for it.

Spec: abl-language 10.
"""

from __future__ import annotations

from collections.abc import Iterable

from abl.legacy.modernise import REPLY_FIELDS
from abl.syntax.document import Document
from abl.syntax.legacy import LegacyAgent, LegacySupervisor
from abl.syntax.tools import Parameter

KEPT_FLAGS = frozenset({"silent"})
KEPT_SIGNALS = frozenset({"", "ESCALATE"})


def losses(document: Document) -> list[str]:
    """Return a phrase for each part of a numbered document that `modernise` leaves out; none for other documents."""
    legacy = document.legacy
    if not isinstance(legacy, LegacyAgent | LegacySupervisor):
        return []
    found: list[str] = []
    if legacy.tests:
        found.append(f"TESTS ({_names(one.name for one in legacy.tests)})")
    if legacy.contract is not None:
        dropped = [one.name for one in legacy.contract.outputs if one.name in REPLY_FIELDS]
        if dropped:
            found.append(f"CONTRACT outputs that every reply has ({_names(dropped)})")
        found.extend(_enums("CONTRACT", [*legacy.contract.inputs, *legacy.contract.outputs]))
    if isinstance(legacy, LegacySupervisor):
        found.extend(_enums("STATE", legacy.state))
        found.extend(_of_supervisor(legacy))
    return found


def _of_supervisor(legacy: LegacySupervisor) -> Iterable[str]:
    validated = [one.alias for one in legacy.agents if one.requires_validation is not None]
    if validated:
        yield f"REQUIRES_VALIDATION of AGENTS ({_names(validated)})"
    rules = [*legacy.intents, *legacy.routing]
    by_variable = [one.name or one.target for one in rules if one.action == "route_to_variable"]
    if by_variable:
        yield f"rules with ROUTE_TO_VARIABLE ({_names(by_variable)})"
    flags = dict.fromkeys(flag for one in rules for flag in one.flags if flag not in KEPT_FLAGS)
    if flags:
        yield f"FLAGS of ROUTING ({_names(flags)})"
    signals = [one.name for one in legacy.policies if one.trigger_signal.upper() not in KEPT_SIGNALS]
    if signals:
        yield f"trigger_signal of POLICIES ({_names(signals)})"


def _enums(section: str, fields: Iterable[Parameter]) -> Iterable[str]:
    names = [one.name for one in fields if one.type is not None and one.type.values is not None]
    if names:
        yield f"allowed values in {section} ({_names(names)})"


def _names(names: Iterable[str]) -> str:
    return ", ".join(names)
