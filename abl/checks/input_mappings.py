"""Whether the values given to another agent are written in the word form. Spec: abl-language 6.1, 13.1."""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.checks.context import CheckContext
from abl.checks.facts import AgentFacts
from abl.checks.finding import Finding
from abl.checks.reading import mapping, text
from abl.checks.report import Check

MAX_SHOWN = 80
MAX_READ = 2_000
"""Characters of a value that are looked at."""

_STRING = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_CEL = re.compile(r"&&|\|\||(?<![=!<>])!(?!=)|\?[^:?]*:|\.(?:contains|startsWith|endsWith|matches)\s*\(")


def cel_in_inputs(facts: AgentFacts, _context: CheckContext) -> Iterator[Finding]:
    """Yield INPUT values with `&&`, `||`, `!x`, `a ? b : c` or `x.contains(y)`."""
    for block in facts.blocks:
        if block.role not in ("delegates", "delegate"):
            continue
        for name, value in mapping(block.subject.get("input")).items():
            plain = text(value)
            if plain and _CEL.search(_STRING.sub('""', plain[:MAX_READ])):
                said = {"name": str(name), "value": plain[:MAX_SHOWN]}
                yield Finding("CEL_IN_INPUT_MAPPING", block, f"input.{name}", arguments=said)


CHECKS = (Check("CEL_IN_INPUT_MAPPING", cel_in_inputs),)
"""The rules of this family, in the order in which they are checked."""
