"""What agents of one compile give each other: values passed at a handoff, values read at the return."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from abl.checks.blocks import Block
from abl.checks.reading import dig, mapping, rows, text, texts
from abl.diagnostics.suggest import closest

MAX_NAMES = 1_000
"""Beyond so many agents and unknown names none is guessed at."""


class Exchange:
    """Names by receiving agent.

    Attributes:
        passed: Agent -> names it receives by `pass`, `set` and INPUT.
        returned: Agent -> names that others read from it by RETURNS and MAP.
    """

    def __init__(self, agents: Mapping[str, list[Block]] | None = None) -> None:
        self.passed: dict[str, set[str]] = {}
        self.returned: dict[str, set[str]] = {}
        self._meant: dict[str, str] = dict.fromkeys(agents or (), "")
        for blocks in (agents or {}).values():
            for block in blocks:
                self._add(block)

    def _add(self, block: Block) -> None:
        subject = block.subject
        if block.role == "handoffs":
            context = mapping(subject.get("context"))
            given = [*_passed_names(context.get("pass")), *mapping(context.get("set"))]
            self._note(subject.get("to"), given, mapping(dig(subject, "on_return", "map")))
        elif block.role in ("delegates", "delegate"):
            read = [*mapping(subject.get("returns")), *mapping(subject.get("map"))]
            self._note(subject.get("agent"), mapping(subject.get("input")), read)

    def _note(self, agent: Any, given: Iterable[str], read: Iterable[str]) -> None:
        name = self._as_meant(text(agent))
        self.passed.setdefault(name, set()).update(map(str, given))
        self.returned.setdefault(name, set()).update(map(str, read))

    def _as_meant(self, name: str) -> str:
        """Return the agent a misspelt name means, so that its values are not missed as well: one fault is said once."""
        if name and name not in self._meant and len(self._meant) < MAX_NAMES:
            self._meant[name] = closest(name, (one for one, meant in self._meant.items() if not meant)) or ""
        return self._meant.get(name) or name


def _passed_names(value: object) -> list[str]:
    """Return the names of a `pass` list, whose items are texts or objects with a name."""
    return [*(text(one.get("name")) for one in rows(value)), *texts(value)]
