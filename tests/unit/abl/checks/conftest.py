"""What the tests of the checks share: findings of an IR, of a text, of a project."""

from __future__ import annotations

import textwrap

import pytest

from abl.checks import CheckContext, CheckOptions, run_checks
from abl.compiler import CompileOptions, Unit
from abl.frontend import parse
from abl.source import Source
from abl.validation import check_text, check_units

HEAD = 'AGENT: Parcel_Desk\nGOAL: "Help people"\n'


def _flush(text):
    return textwrap.dedent(text).strip("\n") + "\n"


@pytest.fixture
def in_ir():
    """Return the findings of one code (or all) in an AgentIR; `agents` are the others of the compile."""

    def find(ir, code=None, *, agents=None, **options):
        context = CheckContext(agents or {}, CheckOptions(**options)) if agents or options else None
        return [one for one in run_checks(ir, context) if code in (None, one.code)]

    return find


@pytest.fixture
def in_text():
    """Return the findings of one code (or all) in an agent document; a text without AGENT gets a head."""

    def find(text, code=None, **options):
        text = _flush(text)
        if not text.startswith(("AGENT:", "SUPERVISOR:", "BEHAVIOR_PROFILE:", "agent:")):
            text = HEAD + text
        return [one for one in check_text(text, **options) if code in (None, one.code)]

    return find


@pytest.fixture
def in_project():
    """Return the findings of one code (or all) in several documents, given as path=text."""

    def find(code=None, **texts):
        units = []
        for path, text in texts.items():
            source = Source(_flush(text), path)
            units.append(Unit(parse(source.text).document, source, path))
        return [one for one in check_units(units, CompileOptions()) if code in (None, one.code)]

    return find


@pytest.fixture
def mended():
    """Return a text with the fix of a finding made."""

    def apply(found, text):
        text = _flush(text)
        if not text.startswith(("AGENT:", "SUPERVISOR:", "BEHAVIOR_PROFILE:", "agent:")):
            text = HEAD + text
        assert found.fix is not None
        return found.fix.apply(text)

    return apply
