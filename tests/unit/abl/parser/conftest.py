"""Builders for texts of the parser: a text says with `#! CODE` at the end of a line what must be found there."""

from __future__ import annotations

import re
import textwrap

import pytest

from abl.parser import parse_text
from abl.source import Source

HEAD = "AGENT: Desk\nGOAL: Help\n"
OPENINGS = ("AGENT:", "SUPERVISOR:", "BEHAVIOR_PROFILE:")
MARK = re.compile(r"(?m)[ ]*#! ([A-Z0-9_ ]+)$")


class Reading:
    """Reads texts; what was read last can be looked into."""

    def __call__(self, text, *, head=HEAD, strict=False, kind=None):
        """Return the document in `text`, which gets `head`; its findings must be those the text is marked with."""
        text = textwrap.dedent(text).lstrip("\n")
        if not text.startswith(OPENINGS):
            text = head + text
        marks = [(code, line) for line, row in enumerate(text.split("\n"), 1) for code in _marks(row)]
        self.raw(MARK.sub("", text), strict=strict, kind=kind)
        assert sorted(self.says) == sorted(marks)
        return self.document

    def raw(self, text, *, strict=False, kind=None):
        """Return the document in exactly `text`, whatever is found."""
        self.text = Source(text).text
        self.result = parse_text(text, kind, strict=strict)
        self.document = self.result.document
        self.findings = self.result.findings
        for one in self.findings:
            if one.offset is not None:
                assert Source(text).pos(one.offset)[:2] == (one.line, one.column)
        return self.document

    @property
    def says(self):
        return [(one.code, one.line) for one in self.findings]

    def step(self, body, **options):
        """Return the step whose properties are `body`, in a flow of a whole agent."""
        rows = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
        return self(f"FLOW:\n  ask:\n    REASONING: false\n{rows}\n", **options).flow.steps[0]

    def under(self, section, body, **options):
        """Return the document of an agent with one section."""
        rows = textwrap.indent(textwrap.dedent(body).strip("\n"), "  ")
        return self(f"{section}:\n{rows}\n", **options)

    def stands(self, node, field, value=None):
        """Assert that the value of a field stands where the node says it does."""
        value = getattr(node, field) if value is None else value
        at = node.at[field]
        assert self.text[at : at + len(value)] == value

    def finding(self, code):
        """Return the only finding with a code."""
        (found,) = [one for one in self.findings if one.code == code]
        return found

    def span(self, code):
        """Return the text that the only finding with a code covers."""
        one = self.finding(code)
        return self.text[one.offset : one.offset + one.length]

    def mended(self, code):
        """Return the text after the fix of the only finding with a code."""
        return self.finding(code).fix.apply(self.text)


def _marks(row):
    found = MARK.search(row)
    return found[1].split() if found else []


@pytest.fixture
def read():
    """Return a reader of texts that checks findings against the marks in the text."""
    return Reading()
