"""Findings are made from the rows of the catalogue; every code can be explained."""

import pytest

from abl.diagnostics.catalogue import RULES
from abl.diagnostics.model import Edit, Fix
from abl.diagnostics.reporter import MAX_ARGUMENT_CHARS, did_you_mean, explain, finding
from tests.support.cells import over


def test_a_finding_carries_its_place_and_its_fix():
    fix = Fix("write `GATHER`", (Edit(3, 6, "GATHER"),))
    made = finding(
        "UNKNOWN_SECTION",
        name="GAHTER",
        suggestion="Did you mean GATHER? ",
        known="GATHER, TOOLS",
        line=2,
        column=1,
        offset=3,
        length=6,
        fix=fix,
        agent="Desk",
        path="document",
        file="desk.agent.abl",
    )
    assert made.message == "Unknown section: GAHTER. Did you mean GATHER? Valid sections are GATHER, TOOLS."
    assert (made.severity, made.line, made.column, made.offset, made.length) == ("error", 2, 1, 3, 6)
    assert (made.fix, made.agent, made.path, made.file) == (fix, "Desk", "document", "desk.agent.abl")


def test_a_missing_argument_takes_the_optional_part_of_the_message_with_it():
    assert finding("UNKNOWN_SECTION", name="X").message == "Unknown section: X."
    assert finding("DUPLICATE_SECTION", name="GOAL").message == "Duplicate section GOAL: Merge the two into one."


def test_another_argument_stands_in_for_one_the_message_cannot_do_without():
    assert finding("UNEXPECTED_NESTING", property="prompt").message.startswith("prompt takes a value on its line")
    assert finding("UNEXPECTED_NESTING", name="prompt").message.startswith("prompt takes a value on its line")
    assert finding("UNDEFINED_TOOL_CALL", tool="list_hubs").message.startswith("The tool list_hubs is called but")


def test_the_line_of_the_first_occurrence_is_an_argument_of_its_own():
    made = finding("DUPLICATE_SECTION", name="GOAL", line=9, first_line="2")
    assert made.line == 9
    assert "already given in line 2" in made.message


@pytest.mark.parametrize("suggestion", ["GATHER", "Did you mean GATHER?", "Did you mean GATHER? "])
def test_a_suggestion_may_be_a_word_or_a_sentence(suggestion):
    assert finding("UNKNOWN_SECTION", name="GAHTER", suggestion=suggestion, known="GATHER").message == (
        "Unknown section: GAHTER. Did you mean GATHER? Valid sections are GATHER."
    )


def test_did_you_mean_says_nothing_about_nothing():
    assert did_you_mean(None) == ""
    assert did_you_mean("GATHER") == "Did you mean GATHER? "


@pytest.mark.parametrize(
    ("code", "lenient", "strict"),
    [
        ("MODE_DEPRECATED", "warning", "error"),
        ("REASONING_MISSING", "warning", "error"),
        ("GOAL_MISSING", "warning", "error"),
        ("E720", "warning", "error"),
        ("LEGACY_RECALL_EVENT_ALIAS", "warning", "error"),
        ("WITH_OUTSIDE_CALL", "warning", "error"),
        ("ACTION_CALL_WITHOUT_AS", "warning", "error"),
        ("MISPLACED_ON_RETURN", "warning", "error"),
        ("UNKNOWN_PROPERTY", "warning", "warning"),
        ("GOAL_REQUIRED", "error", "error"),
    ],
)
def test_strictness_changes_the_severity_of_what_newer_versions_refuse(code, lenient, strict):
    assert finding(code).severity == lenient
    assert finding(code, strict=True).severity == strict


def test_what_the_user_wrote_is_never_taken_for_a_message_template():
    made = finding("UNKNOWN_PROPERTY", name="{agent}", section="[[x]]", agent="Desk")
    assert "{agent}" in made.message
    assert "[[x]]" in made.message


def test_very_long_and_broken_values_are_cut_to_one_line():
    made = finding("UNKNOWN_PROPERTY", name="a\nb" + "x" * 5000)
    assert "\n" not in made.message
    assert len(made.message) < MAX_ARGUMENT_CHARS + 100


@over("code", sorted(RULES))
def test_every_code_can_be_reported_without_any_argument(code):
    made = finding(code)
    assert made.message
    assert made.message == made.message.strip()
    assert "{" not in made.message.replace("{{", "")
    assert "[[" not in made.message


def test_an_unknown_code_is_a_fault_of_the_program():
    with pytest.raises(KeyError):
        finding("NO_SUCH_CODE")


def test_an_explanation_has_severity_reason_and_both_examples():
    assert explain("MODE_DEPRECATED").startswith("MODE_DEPRECATED (warning, error with strict): MODE line\n\n")
    text = explain("with_outside_call")
    assert "WITH gives the arguments of a CALL" in text
    assert "Wrong:\n\n    AGENT: Parcel_Desk\n" in text
    assert "Right:\n\n    AGENT: Parcel_Desk\n" in text
    assert "          AS: hubs\n" in text


def test_an_explanation_says_what_its_example_needs():
    assert "Shown with: a project" in explain("E728")
    assert "There is no short example" in explain("TOO_MANY_TOOLS")


def test_an_unknown_code_is_answered_with_the_nearest_one():
    assert (
        explain("UNKNOWN_SECTON")
        == "There is no diagnostic with the code UNKNOWN_SECTON. Did you mean UNKNOWN_SECTION?\n"
    )
    assert explain("weather") == "There is no diagnostic with the code weather.\n"


@over("code", sorted(RULES))
def test_every_code_can_be_explained(code):
    text = explain(code)
    assert text.startswith(f"{code} (")
    assert text.endswith("\n")
    assert "\n\n\n" not in text
