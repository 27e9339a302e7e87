"""CONSTRAINTS and STEP_CONSTRAINTS. Spec: abl-language 3.6, 5.2."""

import pytest

from abl.syntax.rules import Constraint, FailAction


@pytest.mark.parametrize(
    ("written", "rule"),
    [
        ("REQUIRE a <= 5", Constraint(kind="require", condition="a <= 5")),
        ("REQUIRE: a <= 5", Constraint(kind="require", condition="a <= 5")),
        ("WARN a < 3", Constraint(kind="warn", condition="a < 3")),
        ("LIMIT a < 3", Constraint(kind="limit", condition="a < 3")),
        ("RESTRICT a == 3", Constraint(kind="restrict", condition="a == 3")),
        ("require a", Constraint(kind="require", condition="a")),
        ("REQUIRE a WHEN b == 1", Constraint(kind="require", condition="a", when="b == 1")),
        ("REQUIRE a when b", Constraint(kind="require", condition="a", when="b")),
        ("REQUIRE a BEFORE calling find", Constraint(kind="require", condition="a", before="calling find")),
        ("REQUIRE a BEFORE returning results", Constraint(kind="require", condition="a", before="returning results")),
        (
            "REQUIRE a BEFORE call find() WHEN b",
            Constraint(kind="require", condition="a", before="call find()", when="b"),
        ),
        ("REQUIRE a WHEN b BEFORE respond", Constraint(kind="require", condition="a", before="respond", when="b")),
        ("REQUIRE a IMPLIES b", Constraint(kind="require", condition="a IMPLIES b")),
        ('REQUIRE a == "b WHEN c"', Constraint(kind="require", condition='a == "b WHEN c"')),
        ("REQUIRE f(a WHEN b)", Constraint(kind="require", condition="f(a WHEN b)")),
        ("REQUIRE a  # said", Constraint(kind="require", condition="a")),
    ],
)
def test_a_rule_has_a_kind_a_condition_and_modifiers(read, written, rule):
    (found,) = read.under("CONSTRAINTS", f"- {written}").constraints
    found.phase = ""
    assert found == rule
    for field in ("condition", "when", "before"):
        if getattr(rule, field):
            read.stands(found, field)


def test_rules_may_stand_under_labels(read):
    rules = read.under("CONSTRAINTS", "claims:\n  - REQUIRE a\n  - WARN b\nalways:\n    - REQUIRE c").constraints
    assert [(one.phase, one.condition) for one in rules] == [("claims", "a"), ("claims", "b"), ("always", "c")]


@pytest.mark.parametrize("width", [1, 2, 4, 7])
def test_labels_may_stand_at_any_indent(read, width):
    pad = " " * width
    rules = read(
        f"CONSTRAINTS:\n{pad}claims:\n{pad * 2}- REQUIRE a\n{pad}later:\n{pad * 2}- WARN b\nPERSONA: x\n"
    ).constraints
    assert [(one.phase, one.condition) for one in rules] == [("claims", "a"), ("later", "b")]


def test_properties_of_a_rule_may_stand_below_it(read):
    (rule,) = read.under(
        "CONSTRAINTS", "- REQUIRE a\n  WHEN: b\n  BEFORE: calling find\n  SEVERITY: warning\n  ON_FAIL: No"
    ).constraints
    assert rule == Constraint(
        kind="require",
        condition="a",
        when="b",
        before="calling find",
        severity="warning",
        on_fail=FailAction(message="No"),
        phase=rule.phase,
    )


def test_plain_items_are_kept_with_one_warning_that_counts_them(read):
    rules = read.under("CONSTRAINTS", '- Be kind   #! CONSTRAINT_PLAIN_ITEM\n- REQUIRE a\n- "Be brief"').constraints
    assert [one.text for one in rules] == ["Be kind", "", "Be brief"]
    assert "2" in read.finding("CONSTRAINT_PLAIN_ITEM").message


@pytest.mark.parametrize("written", ["REQUIRE", "REQUIRE:", 'REQUIRE ""', "LIMIT"])
def test_a_kind_without_expression_is_an_error(read, written):
    read.under("CONSTRAINTS", f"- {written}   #! MALFORMED_CONSTRAINT\n- WARN b")
    assert read.finding("MALFORMED_CONSTRAINT").message.startswith("Malformed constraint requirement")
    assert read.finding("MALFORMED_CONSTRAINT").severity == "error"


def test_a_misspelt_kind_is_read_as_the_one_that_was_meant(read):
    (rule,) = read.under("CONSTRAINTS", "- REQUIER a <= 5   #! MISSPELT_PROPERTY\n  ON_FAIL: No").constraints
    assert (rule.kind, rule.condition, rule.on_fail.message) == ("require", "a <= 5", "No")
    assert "- REQUIRE a <= 5" in read.mended("MISSPELT_PROPERTY")


def test_what_stands_below_the_reaction_and_not_under_it_is_a_part_of_it(read):
    (rule,) = read.under("CONSTRAINTS", "- REQUIRE a > 1\n  ON_FAIL: No\n  COLLECT: [a]\n  THEN: retry").constraints
    assert rule.when == ""
    assert (rule.on_fail.message, rule.on_fail.collect_fields, rule.on_fail.then) == ("No", ["a"], "retry")


def test_a_part_of_a_reaction_that_is_not_there_is_kept(read):
    (rule,) = read.under("CONSTRAINTS", "- REQUIRE a > 1\n  THEN: retry   #! UNKNOWN_PROPERTY").constraints
    assert (rule.when, rule.on_fail, rule.extras) == ("", None, {"THEN": "retry"})


def test_a_sentence_that_begins_like_a_kind_is_a_plain_item(read):
    (rule,) = read.under("CONSTRAINTS", "- WARNINGS come first   #! CONSTRAINT_PLAIN_ITEM").constraints
    assert (rule.kind, rule.text) == ("", "WARNINGS come first")


def test_sections_of_rules_are_merged(read):
    assert len(read("CONSTRAINTS:\n  - REQUIRE a\nPERSONA: x\nCONSTRAINTS:\n  - WARN b\n").constraints) == 2


def test_a_step_may_have_rules_of_its_own(read):
    step = read.step("STEP_CONSTRAINTS:\n  - REQUIRE a\n    ON_FAIL: No\n  - WARN b\nTHEN: COMPLETE")
    assert [(one.kind, one.condition) for one in step.step_constraints] == [("require", "a"), ("warn", "b")]
    assert step.then == "COMPLETE"


def test_a_rule_may_be_written_as_a_map(read):
    (rule,) = read.under("CONSTRAINTS", "- CONDITION: a <= 5\n  ON_FAIL: No").constraints
    assert (rule.kind, rule.condition, rule.on_fail.message) == ("require", "a <= 5", "No")


def test_the_condition_may_be_a_block(read):
    (rule,) = read.under("CONSTRAINTS", "- REQUIRE: |\n    a == 1\n    AND b == 2\n  ON_FAIL: No").constraints
    assert (rule.condition, rule.on_fail.message) == ("a == 1 AND b == 2", "No")
