"""What the lowering of one agent shares: its document, the options, and where findings go."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice
from typing import Any

from abl.compiler.bounds import CONDITION_BYTES, RECORD_BYTES, Full, room_of
from abl.compiler.conditions import facts_of
from abl.compiler.declared import declared_names
from abl.compiler.options import CompileOptions
from abl.compiler.places import Place, Places, Unit, locate
from abl.compiler.plain import Json, only, text
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.reporter import did_you_mean, finding
from abl.diagnostics.suggest import closest
from abl.patterns import check_pattern
from abl.syntax.document import Document
from abl.syntax.node import Node
from abl.syntax.rich import Template

MAX_FINDINGS = 1000
MAX_KNOWN_SHOWN = 20
MAX_LENT_CHARS = 4_000_000
"""Characters that an agent may repeat where it names a template, an entity, a field or its goal."""
MAX_LENT_NESTING = 64

_TEMPLATE = re.compile(r"""TEMPLATE\(\s*+["']?([\w.-]++)["']?\s*+\)\s*+""")


class Scope:
    """The lowering of one agent.

    Attributes:
        unit: The document being read; a library's while one of its tools is lowered.
        name: Name of the agent.
        parameters: Tool name -> names of its parameters, for positional arguments.
        error_default: Platform text for errors, MESSAGES applied.
    """

    __slots__ = (
        "_declared", "_lent", "_room", "_said", "_sizes", "_steps", "_templates", "_used", "document", "error_default",
        "findings", "intents", "name", "options", "parameters", "places", "unit",
    )  # fmt: skip

    def __init__(
        self, unit: Unit, document: Document, options: CompileOptions, places: Places, findings: list[Diagnostic]
    ) -> None:
        self.unit = unit
        self.document = document
        self.options = options
        self.places = places
        self.findings = findings
        self.name = text(document.name)
        self.parameters: dict[str, dict[str, None]] = {}
        self.error_default = ""
        self.intents: dict[str, tuple[Node, str]] = {}
        self._steps: frozenset[str] | None = None
        self._templates: dict[str, Template] = {}
        for template in only(Template, document.templates):
            self._templates.setdefault(template.name, template)
        self._used: set[str] = set()
        self._said: set[Diagnostic] = set()
        self._declared: dict[str, tuple[str, str]] | None = None
        self._room = room_of(unit)
        self._lent = 0
        self._sizes: dict[str, int] = {}

    @property
    def step_names(self) -> frozenset[str]:
        """The names of the steps of the document."""
        if self._steps is None:
            flow = self.document.flow
            self._steps = frozenset(step.name for step in (flow.steps if flow is not None else None) or [])
        return self._steps

    def record(self, ir: Json, node: Node) -> Json:
        """Remember where `ir` came from and return it; ends the lowering when there is no room for it."""
        self.places.record(ir, node, self.unit)
        self._spend(RECORD_BYTES)
        return ir

    def _spend(self, size: int) -> None:
        self._room -= size
        if self._room < 0:
            raise Full

    def report(
        self,
        code: str,
        node: Node | None = None,
        field: str = "",
        *,
        start: int = 0,
        length: int | None = None,
        path: str = "",
        known: tuple[str, Collection[str]] | None = None,
        **arguments: str,
    ) -> None:
        """Add a finding at a field of a node; `known` is a misspelt word and the names it may have meant."""
        at = locate(Place(node, self.unit), field, start, length) if node is not None else {}
        if node is None and self.unit.path:
            at["file"] = self.unit.path
        self._say(code, at, path, known, arguments)

    def report_at(self, code: str, node: Node, offset: int | None, length: int, **arguments: str) -> None:
        """Add a finding at an offset of the text, at the node when the offset is not known."""
        at = locate(Place(node, self.unit))
        if self.unit.source is not None and offset is not None:
            pos = self.unit.source.pos(offset)
            at.update(line=pos.line, column=pos.column, offset=pos.offset, length=length)
        self._say(code, at, "", None, arguments)

    def _say(
        self,
        code: str,
        at: dict[str, Any],
        path: str,
        known: tuple[str, Collection[str]] | None,
        arguments: dict[str, str],
    ) -> None:
        if len(self.findings) >= MAX_FINDINGS:
            return
        words: dict[str, Any] = dict(arguments)
        if known is not None:
            word, names = known
            words["suggestion"] = did_you_mean(closest(word, names))
            words["known"] = ", ".join(islice(names, MAX_KNOWN_SHOWN))
        made = finding(code, strict=self.options.strict, agent=self.name or None, path=path or None, **at, **words)
        if made not in self._said:
            self._said.add(made)
            self.findings.append(made)

    def condition(self, value: str, node: Node, field: str) -> None:
        """Check what the compiler checks of every condition: the patterns in it, and which intents it names."""
        self._spend(CONDITION_BYTES)
        if "atches" in value or "ATCHES" in value:
            for pattern in facts_of(value).patterns:
                self.pattern(pattern, node, field, within=value)
        if "intent" in value:
            for intent in facts_of(value).intents:
                self.intents.setdefault(intent, (node, field))

    def pattern(self, pattern: str, node: Node, field: str, within: str = "") -> bool:
        """Report a pattern that cannot be used; return whether it can."""
        reason = check_pattern(pattern)
        if reason is None:
            return True
        start = max(within.find(pattern), 0)
        length = len(pattern) if within else None
        self.report("INVALID_REGEX", node, field, start=start, length=length, value=pattern, detail=reason)
        return False

    def template_in(self, value: str, node: Node, field: str) -> Template | None:
        """Return the template that `value` as a whole, `TEMPLATE(name)`, stands for."""
        found = _TEMPLATE.fullmatch(value.strip()) if value.lstrip()[:9] == "TEMPLATE(" else None
        if found is None:
            return None
        name = found[1]
        template = self._templates.get(name)
        if template is None:
            self.report("E601", node, field, name=name, known=(name, self._templates))
            return None
        self._used.add(name)
        return template if self.lends(name, (template.text, template.formats, template.voice), node, field) else None

    def lends(self, name: str, content: object, node: Node, field: str) -> bool:
        """Return whether `content`, which stands elsewhere under `name`, may be repeated at a field of a node.

        Without a bound a text of 1 MB could name one template a thousand times, and grow to 1 GB.
        """
        if name not in self._sizes:
            self._sizes[name] = _size(content)
        before = self._lent
        self._lent += self._sizes[name]
        if self._lent <= MAX_LENT_CHARS:
            return True
        if before <= MAX_LENT_CHARS:
            self.report("REPEATED_TOO_OFTEN", node, field, name=name, value=f"{MAX_LENT_CHARS:,}")
        return False

    @property
    def declared(self) -> dict[str, tuple[str, str]]:
        """Name -> (type, description) of everything the document declares."""
        if self._declared is None:
            self._declared = declared_names(self.document)
        return self._declared

    def unused_templates(self) -> None:
        """Report the templates that nothing uses."""
        for name, template in self._templates.items():
            if name not in self._used:
                self.report("W602", template, "name", name=name)


def _size(content: object) -> int:
    """Return how many characters and values something holds."""
    size, pending = 0, [(content, 0)]
    while pending:
        value, depth = pending.pop()
        size += len(value) if isinstance(value, str) else 1
        if depth >= MAX_LENT_NESTING:
            continue
        if isinstance(value, Node):
            value = value.to_dict()
        if isinstance(value, dict):
            pending.extend((one, depth + 1) for one in value.values())
        elif isinstance(value, list | tuple):
            pending.extend((one, depth + 1) for one in value)
    return size
