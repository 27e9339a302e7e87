"""Lines, dash items and blank lines."""

from abl.printer.page import Page


def test_a_page_ends_with_one_line_end():
    page = Page()
    page.put(0, "GOAL: x")
    page.gap()
    assert str(page) == "GOAL: x\n"


def test_the_first_line_of_an_item_gets_the_dash():
    page = Page()
    page.put(4, "IF: x")
    page.put(4, "THEN: y")
    page.dash(0, 2)
    assert page.lines == ["  - IF: x", "    THEN: y"]


def test_an_item_without_lines_is_a_lone_dash():
    page = Page()
    page.dash(0, 2)
    assert page.lines == ["  -"]


def test_blank_lines_of_a_block_hold_no_space():
    page = Page()
    page.block(2, "a\n\n  b ")
    assert page.lines == ["  a", "", "    b"]


def test_a_gap_is_one_blank_line_at_most():
    page = Page()
    page.gap()
    page.put(0, "a")
    page.gap()
    page.gap()
    assert page.lines == ["a", ""]
