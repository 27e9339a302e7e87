"""Rules: what fits on the line of the dash."""

import pytest

from abl.printer.page import Page
from abl.printer.rules import fits_head, write_rule, write_rules
from abl.syntax.document import Document
from abl.syntax.rules import Constraint

ROW = Document.BY_FIELD["constraints"]


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        (Constraint(kind="require", condition="a > 1"), "- REQUIRE a > 1\n"),
        (Constraint(condition="a"), "- REQUIRE a\n"),
        (Constraint(kind="restrict", condition="a", before="calling find"), "- RESTRICT a BEFORE calling find\n"),
        (Constraint(kind="require", condition="x when y"), "- CONDITION: x when y\n"),
        (Constraint(kind="warn", condition="x when y"), "- CONDITION: x when y\n  KIND: warn\n"),
        (Constraint(text="Be kind"), '- "Be kind"\n'),
    ],
    ids=str,
)
def test_a_rule_is_written_so_that_it_is_read_back(rule, text):
    page = Page()
    write_rule(page, 0, rule)
    assert str(page) == text


@pytest.mark.parametrize(
    ("text", "fits"), [("a == 1", True), ("a WHEN b", False), ("before_noon", True), ("a\nb", False)]
)
def test_a_word_that_is_a_modifier_does_not_fit(text, fits):
    assert fits_head(text) is fits


def test_rules_of_one_label_stand_under_it():
    page = Page()
    rules = [Constraint(condition="a"), Constraint(condition="b", phase="p"), Constraint(condition="c", phase="p")]
    write_rules(page, 0, "CONSTRAINTS:", rules, ROW, Document())
    assert str(page) == "CONSTRAINTS:\n  - REQUIRE a\n  p:\n    - REQUIRE b\n    - REQUIRE c\n"
