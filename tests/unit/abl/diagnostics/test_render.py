"""Findings are shown with the user's own line, a caret and the mended line, whatever the line holds."""

import pytest

from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.diagnostics.render import render, summary
from tests.support.cells import over

TEXT = """\
AGENT: Parcel_Desk
GOAL: "Help people find their parcels"

GAHTER:
  code:
    prompt: "Which code?"
    requried: false
"""


def diagnostic(code="SOME_CODE", message="This is wrong.", severity="error", **place):
    return Diagnostic(code, message, severity, **place)


def at(word, text=TEXT, **more):
    return diagnostic(offset=text.index(word), length=len(word), **more)


def test_a_line_is_shown_with_a_caret_and_its_fix():
    offset = TEXT.index("GAHTER")
    found = at("GAHTER", fix=Fix("write `GATHER:`", (Edit(offset, 6, "GATHER"),)))
    assert render(found, TEXT, path="desk.agent.abl") == (
        "error[SOME_CODE]: This is wrong.\n"
        " --> desk.agent.abl:4:1\n"
        "  |\n"
        "4 | GAHTER:\n"
        "  | ^^^^^^\n"
        "help: write `GATHER:`\n"
        "  |\n"
        "4 - GAHTER:\n"
        "4 + GATHER:\n"
        "  = note: abl explain SOME_CODE"
    )


def test_an_indented_line_is_shown_below_the_header_of_its_block():
    assert render(at("requried", severity="warning"), TEXT) == (
        "warning[SOME_CODE]: This is wrong.\n"
        " --> <text>:7:5\n"
        "  |\n"
        "5 |   code:\n"
        "...\n"
        "7 |     requried: false\n"
        "  |     ^^^^^^^^\n"
        "  = note: abl explain SOME_CODE"
    )


def test_a_header_right_above_needs_no_dots():
    assert "5 |   code:\n6 |     prompt" in render(at("prompt"), TEXT)


def test_a_finding_without_a_place_has_only_its_message():
    assert render(diagnostic(), TEXT) == "error[SOME_CODE]: This is wrong.\n  = note: abl explain SOME_CODE"
    assert render(diagnostic(), "", path="a.abl") == (
        "error[SOME_CODE]: This is wrong.\n --> a.abl\n  = note: abl explain SOME_CODE"
    )


def test_the_file_of_the_finding_goes_before_the_given_path():
    assert " --> b.abl\n" in render(diagnostic(file="b.abl"), "", path="a.abl")


def test_line_and_column_are_enough():
    assert "4 | GAHTER:\n  |   ^\n" in render(diagnostic(line=4, column=3), TEXT)


def test_an_empty_span_gets_one_caret_even_at_the_end_of_the_line():
    assert "4 | GAHTER:\n  |        ^\n" in render(diagnostic(line=4, column=8), TEXT)


def test_a_span_over_several_lines_is_underlined_to_the_end_of_the_first():
    found = diagnostic(offset=TEXT.index("GAHTER"), length=30)
    assert "4 | GAHTER:\n  | ^^^^^^^\n" in render(found, TEXT)


def test_tabs_are_shown_as_spaces_and_the_caret_stands_right():
    text = "TOOLS:\n\tname:\tfats\n"
    assert "2 |     name:   fats\n  |             ^^^^\n" in render(at("fats", text), text)


def test_wide_and_combining_characters_keep_the_caret_in_its_place():
    wide = "名前: あい x\n"
    assert "1 | 名前: あい x\n  |            ^\n" in render(at("x", wide), wide)
    assert "1 | 名前: あい x\n  |       ^^^^\n" in render(at("あい", wide), wide)
    accents = "e\u0301te\u0301: x\n"
    assert f"1 | {accents}  |      ^\n" in render(at("x", accents), accents)


def test_characters_a_terminal_would_act_on_are_not_printed():
    text = "GOAL: \x1b[31mred\x07\n"
    shown = render(at("red", text, message="bad \x1b[2J value", fix=Fix("take \x1b out")), text, path="a\x1b.abl")
    assert "\x1b" not in shown
    assert "\x07" not in shown


def test_a_long_line_is_cut_around_the_span():
    text = "GOAL: " + "a" * 300 + " WRONG " + "b" * 300 + "\n"
    shown = render(at("WRONG", text), text, width=60)
    line, carets = shown.split("\n")[3:5]
    assert max(map(len, shown.split("\n")[1:])) <= 60
    assert line.startswith("1 | …")
    assert line.endswith("…")
    assert line[carets.index("^") : carets.rindex("^") + 1] == "WRONG"


def test_a_long_line_is_shown_from_its_start_when_the_span_is_there():
    text = "WRONG: " + "b" * 300 + "\n"
    assert "1 | WRONG: bbb" in render(at("WRONG", text), text, width=60)


def test_the_whole_line_is_shown_when_it_fits():
    text = "GOAL: " + "a" * 40 + " WRONG\n"
    assert f"1 | {text}" in render(at("WRONG", text), text, width=60)


def test_a_huge_line_gives_a_short_text():
    text = "x" * 2_000_000 + " WRONG " + "\u0301" * 200_000
    found = at("WRONG", text, fix=Fix("write RIGHT", (Edit(text.index("WRONG"), 5, "RIGHT"),)))
    assert len(render(found, text)) < 5_000


def test_a_fix_may_add_a_line():
    found = diagnostic(
        line=1, column=1, fix=Fix("add a line", (Edit(len("AGENT: Parcel_Desk"), 0, '\nVERSION: "1.0"'),))
    )
    assert 'help: add a line\n  |\n2 + VERSION: "1.0"\n' in render(found, TEXT)


def test_a_fix_may_remove_a_line():
    start = TEXT.index("    requried")
    found = at("requried", fix=Fix("remove the line", (Edit(start, len("    requried: false\n"), ""),)))
    assert "help: remove the line\n  |\n7 -     requried: false\n  =" in render(found, TEXT)


def test_a_fix_may_have_several_edits():
    text = "ON_START:\n  SET: “hello”\n"
    edits = tuple(Edit(text.index(quote), 1, '"') for quote in "“”")
    shown = render(at("“hello”", text, fix=Fix("write plain quotes", edits)), text)
    assert '2 -   SET: “hello”\n2 +   SET: "hello"\n' in shown


@pytest.mark.parametrize(
    "fix",
    [
        Fix("do something"),
        Fix("do something", (Edit(900, 3, "x"),)),
        Fix("do something", (Edit(-4, 3, "x"),)),
        Fix("do something", (Edit(0, 0, ""),)),
        Fix("do something", (Edit(0, 0, "a\n" * 40),)),
        Fix("do something", (Edit(0, len(TEXT), ""),)),
    ],
)
def test_a_fix_that_cannot_be_shown_in_a_few_lines_is_only_named(fix):
    assert render(diagnostic(fix=fix), TEXT).split("\n")[1:] == [
        "help: do something",
        "  = note: abl explain SOME_CODE",
    ]


@over(
    "place",
    [
        {"line": 0, "column": 0},
        {"line": 99, "column": 99},
        {"line": 2},
        {"offset": -5, "length": -3},
        {"offset": 10_000, "length": 10_000},
        {"offset": len(TEXT)},
    ],
)
@over("text", ["", "\n", TEXT, TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_a_place_outside_the_text_never_fails(place, text):
    shown = render(diagnostic(**place), text, width=1)
    assert shown.startswith("error[SOME_CODE]: This is wrong.\n")
    assert shown.endswith("note: abl explain SOME_CODE")


def test_windows_line_ends_leave_no_trace():
    text = TEXT.replace("\n", "\r\n")
    assert render(at("GAHTER"), text) == render(at("GAHTER"), TEXT)


def test_colours_are_codes_around_the_same_text():
    found = at("GAHTER", fix=Fix("write `GATHER:`", (Edit(TEXT.index("GAHTER"), 6, "GATHER"),)))
    coloured = render(found, TEXT, color=True)
    assert coloured.startswith("\x1b[1;31merror[SOME_CODE]\x1b[0m\x1b[1m: This is wrong.\x1b[0m\n")
    assert "\x1b[31m-\x1b[0m \x1b[31mGAHTER:\x1b[0m" in coloured
    assert "\x1b[32m+\x1b[0m \x1b[32mGATHER:\x1b[0m" in coloured
    for code in ("\x1b[1;31m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[31m", "\x1b[32m", "\x1b[1m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == render(found, TEXT)


@pytest.mark.parametrize(
    ("severities", "files", "expected"),
    [
        ([], [], "no problems"),
        (["error"], [None], "1 error"),
        (["error", "error", "warning"], ["a", "b", "c"], "2 errors, 1 warning in 3 files"),
        (["warning", "info", "info"], ["a", "a", "a"], "1 warning, 2 notes in 1 file"),
    ],
)
def test_a_summary_counts_by_severity_and_file(severities, files, expected):
    found = [diagnostic(severity=severity, file=file) for severity, file in zip(severities, files, strict=True)]
    assert summary(found) == expected
