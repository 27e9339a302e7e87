"""How good the diagnostics are: single mistakes in the example projects, and what the checker makes of each.

A mistake counts as found when a new error or warning stands on its line (either line of a repeated one, the owner's
of a line that was left out); a fix is correct when the mended file means what the file meant before; follow-ups are
the other new errors and warnings. `python -m benchmarks.diagnostics --show RULE` prints
the mistakes of one rule that were not answered well.
"""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from abl.diagnostics.model import Diagnostic
from abl.diagnostics.render import render
from abl.frontend import parse
from abl.project import Project, check_project
from benchmarks.mutations import Mutation, mutations
from benchmarks.report import Figure, publish
from benchmarks.slips import ALL_RULES

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
MISTAKES = 2000
FAULTS = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, AssertionError)
"""What a broken checker would raise; each counts as a failure of the benchmark."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the checker made of one mistake."""

    mutation: Mutation
    new: tuple[Diagnostic, ...]
    on_line: bool
    mended: bool
    failed: bool = False

    @property
    def follow_ups(self) -> int:
        """Findings beyond the first."""
        return max(len(self.new) - 1, 0)


def projects(root: Path = EXAMPLES) -> list[dict[str, str]]:
    """Return the files of every example project: path -> text."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for path in sorted(root.rglob("*")):
        if path.name.endswith((".abl", ".agent.yaml")):
            found[path.relative_to(root).parts[0]][str(path.relative_to(root))] = path.read_text(encoding="utf-8")
    return [dict(files) for _, files in sorted(found.items())]


def findings(files: dict[str, str]) -> Counter[tuple[str | None, str, str]]:
    """Return how often each finding stands in a project, wherever it is."""
    return Counter(_key(one) for one in check_project(Project.from_files(files)))


def _key(one: Diagnostic) -> tuple[str | None, str, str]:
    return (one.file, one.code, one.message)


def answer(mutation: Mutation, files: dict[str, str], before: Counter[tuple[str | None, str, str]]) -> Answer:
    """Return what the checker says of one mistake in a project."""
    left = before.copy()
    new: list[Diagnostic] = []
    try:
        found = check_project(Project.from_files({**files, mutation.path: mutation.after}))
    except FAULTS:
        return Answer(mutation, (), on_line=False, mended=False, failed=True)
    for one in found:
        key = _key(one)
        if left[key] > 0:
            left[key] -= 1
        elif one.severity != "info":
            new.append(one)
    here = [one for one in new if one.file == mutation.path and one.line in mutation.lines]
    return Answer(mutation, tuple(new), bool(here), any(_mends(one, mutation) for one in here))


def _mends(one: Diagnostic, mutation: Mutation) -> bool:
    """Return whether the fix of a finding gives a file that means what it meant before."""
    if one.fix is None or not one.fix.edits:
        return False
    after = one.fix.apply(mutation.after)
    if after == mutation.before:
        return True
    return parse(after).document == parse(mutation.before).document


def answers(count: int, seed: int = 1) -> list[Answer]:
    """Return the answers to `count` mistakes, spread over all rules and projects."""
    everything = projects()
    owner = {path: index for index, files in enumerate(everything) for path in files}
    before = [findings(files) for files in everything]
    texts = {path: text for files in everything for path, text in files.items()}
    return [answer(one, everything[owner[one.path]], before[owner[one.path]]) for one in mutations(texts, count, seed)]


def figures(found: list[Answer]) -> list[Figure]:
    """Return the promises of issue 2 as figures."""
    count = len(found)
    right = 100 * sum(one.on_line for one in found) / count
    mended = 100 * sum(one.mended for one in found) / count
    follow = sum(one.follow_ups for one in found) / count
    failed = sum(one.failed for one in found)
    idle = len(ALL_RULES.keys() - {one.mutation.rule for one in found})
    return [
        Figure("mistakes made", count, "", None, "at least 1,500", count >= 1500),
        Figure("kinds of mistakes", len(ALL_RULES), "", None, "at least 40", len(ALL_RULES) >= 40),
        Figure("kinds without a spot", idle, "", None, "0", idle == 0),
        Figure("exceptions", failed, "", None, "0", failed == 0),
        Figure("found on the right line", right, "%", None, "at least 99", right >= 99),
        Figure("a correct fix offered", mended, "%", None, "at least 80", mended >= 80),
        Figure("follow-up findings, on average", follow, "", None, "at most 1", follow <= 1),
    ]


def by_rule(found: Iterable[Answer]) -> str:
    """Return one line per rule: mistakes, found, mended, follow-ups."""
    rules: dict[str, list[Answer]] = defaultdict(list)
    for one in found:
        rules[one.mutation.rule].append(one)
    lines = [f"{'rule':28} {'count':>6} {'line':>6} {'fix':>6} {'follow':>7}"]
    for name, group in rules.items():
        total = len(group)
        lines.append(
            f"{name:28} {total:6} {100 * sum(one.on_line for one in group) / total:5.0f}% "
            f"{100 * sum(one.mended for one in group) / total:5.0f}% "
            f"{sum(one.follow_ups for one in group) / total:7.2f}"
        )
    return "\n".join(lines)


def show(found: Iterable[Answer], rule: str, limit: int = 12) -> None:
    """Print the mistakes of one rule that were missed, not mended, or followed by others."""
    shown = 0
    for one in found:
        if one.mutation.rule != rule or (one.on_line and one.mended and not one.follow_ups):
            continue
        mutation = one.mutation
        line = mutation.after.split("\n")[mutation.line - 1]
        print(f"--- {mutation.path}:{mutation.line} found={one.on_line} mended={one.mended}\n    {line}")
        for finding in one.new[:4]:
            print(render(finding, mutation.after if finding.file == mutation.path else "", path=finding.file))
        shown += 1
        if shown >= limit:
            return


if __name__ == "__main__":
    everything = answers(MISTAKES)
    if "--show" in sys.argv:
        show(everything, sys.argv[-1])
    else:
        print(by_rule(everything), "\n")
        sys.exit(0 if publish("diagnostics", figures(everything)) else 1)
