"""What a finding is. Spec: abl-language 2.4, 13."""

from dataclasses import FrozenInstanceError

import pytest

from abl.diagnostics.model import Diagnostic, Edit, Fix

PLACED = Diagnostic(
    "UNKNOWN_SECTION",
    "Unknown section: GAOL.",
    "error",
    2,
    1,
    9,
    4,
    Fix("write `GOAL:`", (Edit(9, 4, "GOAL"),)),
    "Desk",
    "goal",
    "a.abl",
)


def test_edits_are_made_whatever_their_order():
    edits = (Edit(0, 1, "X"), Edit(4, 0, "!"), Edit(2, 1, ""))
    assert Fix("mend", edits).apply("abcd") == "Xbd!"
    assert Fix("mend", edits[::-1]).apply("abcd") == "Xbd!"


def test_a_fix_without_edits_changes_nothing():
    assert Fix("look at it").apply("abc") == "abc"


@pytest.mark.parametrize(("severity", "grave"), [("error", True), ("warning", False), ("info", False)])
def test_only_errors_make_a_text_unusable(severity, grave):
    assert Diagnostic("X", "x", severity).is_error is grave


def test_the_json_form_leaves_out_what_is_not_known():
    assert Diagnostic("X", "Something.", "info").to_dict() == {"code": "X", "message": "Something.", "severity": "info"}


def test_the_json_form_has_all_that_is_known():
    assert PLACED.to_dict() == {
        "code": "UNKNOWN_SECTION",
        "message": "Unknown section: GAOL.",
        "severity": "error",
        "line": 2,
        "column": 1,
        "offset": 9,
        "length": 4,
        "agent": "Desk",
        "path": "goal",
        "file": "a.abl",
        "fix": {"title": "write `GOAL:`", "edits": [{"offset": 9, "length": 4, "text": "GOAL"}]},
    }


def test_the_first_place_of_a_text_is_known_too():
    plain = Diagnostic("X", "x", "error", 1, 1, 0).to_dict()
    assert (plain["line"], plain["column"], plain["offset"]) == (1, 1, 0)


def test_the_same_finding_may_be_said_of_a_file():
    assert PLACED.in_file("b.abl").file == "b.abl"
    assert PLACED.in_file("b.abl").in_file("a.abl") == PLACED
    assert PLACED.in_file(None).to_dict() == {key: value for key, value in PLACED.to_dict().items() if key != "file"}


def test_findings_are_values():
    assert PLACED.in_file("a.abl") == PLACED
    assert hash(PLACED) == hash(PLACED.in_file("a.abl"))
    with pytest.raises(FrozenInstanceError):
        PLACED.line = 3
