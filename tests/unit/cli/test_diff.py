"""The diff of two layouts says exactly what changes, and takes no longer for many changes than for few."""

from __future__ import annotations

import random
import re

from benchmarks.shapes import of_lines
from cli.diff import unified_diff
from tests.support.cells import over
from tests.support.proportion import grows_in_proportion

HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n")


def applied(before: str, diff: str) -> str:
    """Return `before` with a unified diff made; every line that it keeps or takes has to be there."""
    old, made, at = before.splitlines(keepends=True), [], 0
    shown = diff.replace("\n\\ No newline at end of file", "").splitlines(keepends=True)[2:]
    for line in shown:
        if (hunk := HUNK.fullmatch(line)) is not None:
            first = int(hunk[1]) - (hunk[2] != "0")
            made += old[at:first]
            at = first
        elif line[0] == "+":
            made.append(line[1:])
        else:
            assert old[at].rstrip("\n") == line[1:].rstrip("\n")
            made += [old[at]] if line[0] == " " else []
            at += 1
    return "".join([*made, *old[at:]])


def layout(chance: random.Random, words: int) -> str:
    lines = []
    for number in range(words):
        lines.append(chance.choice(("", "  ")) + f"k{number}: v")
        lines += [""] * chance.choice((0, 0, 0, 1, 2))
    return "\n".join(lines) + "\n"


@over("seed", range(60))
def test_a_diff_turns_one_layout_into_the_other(seed: int) -> None:
    chance = random.Random(seed)
    words = chance.randint(0, 30)
    before, after = layout(chance, words), layout(chance, words)
    assert applied(before, unified_diff("a.abl", before, after)) == after


def test_only_what_changes_is_shown() -> None:
    before = "".join(f"k{n}: v\n" for n in range(20))
    after = before.replace("k9: v\n", "k9:  v\n")
    assert unified_diff("a.abl", before, after) == (
        "--- a.abl\n+++ a.abl\n@@ -7,7 +7,7 @@\n k6: v\n k7: v\n k8: v\n-k9: v\n+k9:  v\n k10: v\n k11: v\n k12: v\n"
    )
    assert unified_diff("a.abl", before, before) == ""


def test_a_missing_line_end_is_named() -> None:
    assert unified_diff("a.abl", "a:  b", "a: b\n") == (
        "--- a.abl\n+++ a.abl\n@@ -1 +1 @@\n-a:  b\n\\ No newline at end of file\n+a: b\n"
    )


def test_texts_that_are_no_two_layouts_have_a_diff_too() -> None:
    assert applied("a\nb\nc\n", unified_diff("a.abl", "a\nb\nc\n", "a\nc\n")) == "a\nc\n"


def test_many_changes_take_time_in_proportion() -> None:
    shape = of_lines("", "f{}:\n  type:   string\n".format)
    grows_in_proportion(lambda text: unified_diff("a.abl", text, text.replace(":   s", ": s")), shape, 800_000)
    before = shape(800_000)
    changes = unified_diff("a.abl", before, before.replace(":   s", ": s"))
    assert changes.count("\n+") == before.count("type") + 1
