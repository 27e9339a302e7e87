"""The statements of a specification: one for each sentence and each row of a table, under its section's number."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

HEADING = re.compile(r"^#{2,3} (\d+(?:\.\d+)?)\.? ")
SENTENCE_END = re.compile(r"(?:(?<=[.;])|(?<=\.\)))\s+(?=[A-Z`(\"\[])")
SUBHEADING = re.compile(r"^### (?!\d)(\S.*)")
"""A heading without a number; its statements stand under `N Title`, N being the section it is in."""
BULLET = re.compile(r"^(?:[-*]|\d{1,2}\.)\s+")
RULE = re.compile(r"^\|[-| :]+\|$")
MIN_CHARS = 12
"""Shorter pieces are the tail of a sentence that was cut, and belong to the one before."""


class Item(NamedTuple):
    """One statement."""

    section: str
    text: str


def plain(text: str) -> str:
    """Return a text with its spaces made single, as statements are compared."""
    return " ".join(text.split())


def items(text: str) -> Iterator[Item]:
    """Yield every statement of a Markdown text in order."""
    section, block = "", list[str]()
    heading_of_table = True
    in_code = False
    for line in [*text.splitlines(), ""]:
        if line.startswith("```"):
            in_code = not in_code
        found = HEADING.match(line)
        if found or not line.strip() or line.startswith(("|", "#")) or BULLET.match(line):
            yield from _sentences(section, block)
            block = []
        if found:
            section = found[1]
            continue
        if subheading := SUBHEADING.match(line):
            section = f"{section.partition(' ')[0]} {subheading[1]}"
            continue
        if line.startswith("|") and not in_code:
            if RULE.match(line):
                heading_of_table = False
            elif not heading_of_table:
                yield Item(section, plain(line.strip().strip("|")))
            continue
        heading_of_table = True
        if line.strip() and not in_code and not line.startswith(("#", "---", "```")):
            block.append(BULLET.sub("", line).strip())


def _sentences(section: str, block: list[str]) -> Iterator[Item]:
    whole = ""
    for piece in SENTENCE_END.split(plain(" ".join(block))):
        whole = f"{whole} {piece}".strip()
        if len(whole) >= MIN_CHARS:
            yield Item(section, whole)
            whole = ""
    if whole:
        yield Item(section, whole)
