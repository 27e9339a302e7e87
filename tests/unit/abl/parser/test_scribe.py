"""What a parse finds, and where it says it: places, fixes, bounds. Spec: abl-language 2.4, 13."""

import pytest

from abl.diagnostics.catalogue import RULES
from abl.parser import parse_text
from abl.parser.lines import scan
from abl.parser.scribe import MAX_DIAGNOSTICS, MAX_SUGGESTIONS, Scribe
from abl.source import Pos, Source
from benchmarks.shapes import of_lines
from tests.support.proportion import grows_in_proportion

STRICT = {
    "MODE_DEPRECATED", "REASONING_MISSING", "GOAL_MISSING", "E720", "LEGACY_RECALL_EVENT_ALIAS", "WITH_OUTSIDE_CALL",
    "ACTION_CALL_WITHOUT_AS", "MISPLACED_ON_RETURN", "LAMBDA_DEPRECATED", "LEGACY_ROUTING", "MODEL_SECTION",
}  # fmt: skip
"""What newer versions refuse and older ones accepted. Spec: abl-language 0, 3."""


@pytest.fixture
def scribe():
    return Scribe(scan(Source("A: 1\n  b: 2\n    c: |\n      d\n  e: 3\n")))


def test_a_finding_has_line_column_offset_and_length(scribe):
    scribe.report_line("EMPTY_SECTION", 1, name="b", section="b")
    (one,) = scribe.findings
    assert (one.code, one.line, one.column, one.offset, one.length) == ("EMPTY_SECTION", 2, 3, 7, 4)


def test_the_place_of_a_line_is_that_of_its_first_character(scribe):
    assert scribe.pos(1) == Pos(2, 3, 7)


def test_after_the_last_finding_that_is_kept_one_more_says_so(scribe):
    for _ in range(MAX_DIAGNOSTICS + 10):
        scribe.report("EMPTY_SECTION", 0, 1, name="A", section="A")
    assert len(scribe.findings) == MAX_DIAGNOSTICS + 1
    assert scribe.findings[-1].code == "TOO_MANY_DIAGNOSTICS"
    assert str(MAX_DIAGNOSTICS) in scribe.findings[-1].message


def test_near_words_are_looked_for_a_bounded_number_of_times(scribe):
    assert [scribe.near("GAOL", ["GOAL"]) for _ in range(MAX_SUGGESTIONS + 1)] == ["GOAL"] * MAX_SUGGESTIONS + [None]


def test_a_document_full_of_faults_stays_bounded_and_fast():
    shape = of_lines("AGENT: A\nGOAL: b\nTOOLS:\n", "  bad tool {} {{\n".format)
    grows_in_proportion(parse_text, shape, 400_000)
    result = parse_text(shape(400_000))
    assert len(result.findings) == MAX_DIAGNOSTICS + 1
    assert result.document.name == "A"


def test_unknown_words_beyond_the_limit_are_still_reported():
    rows = "".join(f"FOOBAR_{'X' * (number % 9)}: 1\n" for number in range(MAX_SUGGESTIONS + 50))
    result = parse_text("AGENT: A\nGOAL: b\n" + rows)
    assert [one.code for one in result.errors] == ["UNKNOWN_SECTION"] * (MAX_SUGGESTIONS + 50)


def test_lines_are_moved_with_all_that_is_nested_in_them(scribe):
    moved = scribe.indent_fix(1, 3, 4).apply(scribe.source.text)
    assert moved == "A: 1\n    b: 2\n      c: |\n        d\n  e: 3\n"


def test_lines_are_moved_to_the_left_as_far_as_they_can(scribe):
    assert scribe.indent_fix(3, 4, 0).apply(scribe.source.text).endswith("\ne: 3\n")


def test_the_raw_value_of_a_line_has_its_nested_lines_without_their_common_indent(scribe):
    assert scribe.raw_value(1, 3, "2") == "2\nc: |\n  d"
    assert scribe.raw_value(2, 3, "|") == "|\nd"
    assert scribe.raw_value(3, 4, "3") == "3"


def test_a_line_is_removed_only_when_the_other_says_the_same():
    scribe = Scribe(scan(Source("A: 1\nB: 2\nA: 1\nA: 3")))
    assert scribe.removal(2, 1).apply(scribe.source.text) == "A: 1\nB: 2\nA: 3"
    assert scribe.removal(3, 1) is None


def test_exactly_the_codes_of_older_generations_are_graver_in_strict_mode():
    assert {code for code, rule in RULES.items() if rule.severity_when(True) != rule.severity} == STRICT
    assert all(RULES[code].severity == "warning" and RULES[code].severity_when(True) == "error" for code in STRICT)


OLDER = """AGENT: Desk
MODE: scripted
MODEL: small
TOOLS:
  find() -> object
    endpoint: "https://x.example"
FLOW:
  ask:
    CALL: find
    AS: found
HANDOFF:
  - TO: Other
    RETURN: true
    MAP: {a: b}
ACTION_HANDLERS:
  go:
    CALL: find()
    COLOUR: red
"""


def test_strict_mode_changes_severities_and_finds_nothing_else():
    lenient, strict = parse_text(OLDER), parse_text(OLDER, strict=True)
    assert {(one.code, one.line) for one in lenient.findings} == {(one.code, one.line) for one in strict.findings}
    graver = {one.code for one in lenient.warnings} - {one.code for one in strict.warnings}
    assert graver == {
        "MODE_DEPRECATED", "MODEL_SECTION", "GOAL_MISSING", "E720", "WITH_OUTSIDE_CALL", "MISPLACED_ON_RETURN",
        "ACTION_CALL_WITHOUT_AS",
    }  # fmt: skip
    assert [one.code for one in lenient.errors] == ["UNKNOWN_ACTION_KEY"]


def test_in_strict_mode_a_binding_inside_an_agent_is_not_attached():
    assert parse_text(OLDER).document.tools[0].endpoint == "https://x.example"
    assert parse_text(OLDER, strict=True).document.tools[0].endpoint == ""


def test_findings_stand_in_text_order():
    result = parse_text("AGENT: A\nGOAL: b\nGAHTER:\n  x:\n    typ: string\nMODE: reasoning\nPERSNA: c\n")
    assert [one.line for one in result.errors] == sorted(one.line for one in result.errors) == [3, 7]
    assert [one.line for one in result.warnings] == [5, 6]
