"""How time and memory grow with the text: parse, fmt and check on texts of 1x and 2x, realistic and hostile shapes.

A shape is a function of a size in characters. `ratio` is time(2n)/time(n): 2 for work in proportion to the text, 4 for
a square. `python -m benchmarks.scaling --mb 8` goes up to 8 MB; without it the sizes are small.
"""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from itertools import count
from time import process_time

from abl.formatter import format_text
from abl.frontend import parse
from abl.validation import validate_abl
from benchmarks.agents_project import agent
from benchmarks.report import Figure, publish

Shape = Callable[[int], str]
OPERATIONS: dict[str, Callable[[str], object]] = {"parse": parse, "fmt": format_text, "check": validate_abl}
HEAD = "AGENT: A\nGOAL: x\n"
SMALL_CHARS = 64_000
MEGABYTE = 1_000_000
PROMISED = 2.2


def of_lines(head: str, line: Callable[[int], str]) -> Shape:
    """Return the shape that repeats a numbered line under `head`."""

    def text(size: int) -> str:
        parts = [head]
        length = len(head)
        for number in count():
            if length >= size:
                return "".join(parts)
            parts.append(line(number))
            length += len(parts[-1])
        raise AssertionError

    return text


def of_signs(head: str, signs: str, tail: str = "\n") -> Shape:
    """Return the shape of one long line: `head`, then `signs` over and over."""
    return lambda size: head + signs * (size // len(signs)) + tail


def _agents(size: int) -> str:
    """Return generated agents pasted into one text."""

    def texts() -> Iterator[str]:
        length = 0
        for number in count(1):
            made = agent(number, 1 << 20)
            yield made
            length += len(made)
            if length >= size:
                return

    return "".join(texts())


def _one_agent(size: int) -> str:
    """Return one agent with as many tools, fields, rules, hand-overs and steps as fit."""
    fifth = size // 5
    parts = (
        of_lines(HEAD + "TOOLS:\n", lambda n: f'  find_{n}(code: string) -> object\n    description: "Finds {n}"\n'),
        of_lines("GATHER:\n", lambda n: f'  field_{n}:\n    prompt: "What is {n}?"\n    type: string\n'),
        of_lines("CONSTRAINTS:\n", lambda n: f'  - REQUIRE field_{n} > {n}\n    ON_FAIL: "Not {n}"\n'),
        of_lines("HANDOFF:\n", lambda n: f"  - TO: Desk_{n}\n    WHEN: field_{n} == {n}\n    RETURN: true\n"),
        of_lines("FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    RESPOND: Hello\n    THEN: s{n + 1}\n"),
    )
    return "".join(part(fifth) for part in parts)


REALISTIC: dict[str, Shape] = {"agents pasted together": _agents, "one large agent": _one_agent}
HOSTILE: dict[str, Shape] = {
    "sentences": of_lines(HEAD, lambda n: "Let me know what you think of it\nGOAL: x\n"),
    "closing brackets": of_lines(HEAD + "GATHER:\n", lambda n: "]\n}\n"),
    "unknown sections": of_lines(HEAD, lambda n: f"GAOL{n}: x\n"),
    "repeated sections": of_lines(HEAD, lambda n: "GOAL: x\n"),
    "unknown properties": of_lines(HEAD + "EXECUTION:\n", lambda n: f"  xq{n}: 1\n"),
    "repeated properties": of_lines(HEAD + "EXECUTION:\n", lambda n: "  model: a\n"),
    "steps of one name": of_lines(HEAD + "FLOW:\n", lambda n: "  s:\n    THEN: s\n"),
    "tools of one name": of_lines("TOOLS:\n", lambda n: "  f(a: string) -> object\n"),
    "sections of tools": of_lines("", lambda n: f"TOOLS:\n  f{n}() -> object\n"),
    "the last tool again": lambda size: (
        of_lines("TOOLS:\n", lambda n: f"  f{n}() -> object\n")(size // 2) + "  last() -> object\n" * (size // 40)
    ),
    "imports": lambda size: (
        of_lines("TOOLS:\n", lambda n: f"  f{n}() -> object\n")(size // 2) + 'FROM "./a.abl" USE: b\n' * (size // 44)
    ),
    "conversation": of_lines(HEAD + "CONVERSATION:\n", lambda n: f"  a{n}: 1\n"),
    "open signatures": of_lines("TOOLS:\n", lambda n: "  f(\n"),
    "bare items": of_lines(HEAD + "GATHER:\n", lambda n: "  - f\n"),
    "lines of text": of_lines("", lambda n: "hello there\n"),
    "open strings": of_lines(HEAD + "ON_START:\n", lambda n: '  RESPOND: "x\n    y\n'),
    "open brackets": of_lines(HEAD + "HANDOFF:\n  - pass: [a\n", lambda n: "     b,\n"),
    "stairs": of_lines(HEAD + "HANDOFF:\n", lambda n: " " * (2 + n % 63) + "- a:\n"),
    "deep stairs": lambda size: HEAD + "".join(" " * n + "a:\n" for n in range(int((2 * size) ** 0.5))),
    "wide indents": of_lines(HEAD + "GATHER:\n", lambda n: " " * 2000 + "a: b\n"),
    "blank lines": of_lines(HEAD, lambda n: "\n"),
    "comments": of_lines(HEAD, lambda n: "# x\n"),
    "open comment": of_lines(HEAD + "/*\n", lambda n: " x\n"),
    "fences": of_lines(HEAD, lambda n: "```\n"),
    "block text": of_lines(HEAD + "PERSONA: |\n", lambda n: "  hello you\n"),
    "agents": of_lines("", lambda n: HEAD),
    "conditions": of_lines(HEAD + "COMPLETE:\n", lambda n: f"  - WHEN: a{n} == 1 AND (b OR c > 2\n"),
    "references": of_lines(HEAD + "COMPLETE:\n", lambda n: f"  - WHEN: done == true\n    RESPOND: {{{{x{n}}}}}\n"),
    "spaces": of_signs(HEAD + "ESCALATE:\n  on_human_complete:\n    - IF a", " ", "x\n"),
    "when": of_signs(HEAD + "CONSTRAINTS:\n  - REQUIRE a", " WHEN a"),
    "brackets": of_signs("TOOLS:\n  f(a: ", "{a: "),
    "parameters": of_signs("TOOLS:\n  f(", "a: string, "),
    "assignments": of_signs(HEAD + "ON_START:\n  SET: ", "a = 1, "),
    "parentheses": of_signs(HEAD + "COMPLETE:\n  - WHEN: ", "("),
    "and": of_signs(HEAD + "COMPLETE:\n  - WHEN: a", " AND a"),
    "templates": of_signs(HEAD + "ON_START:\n  RESPOND: ", "{{a}} {{"),
    "arrows": of_signs(HEAD + "FLOW:\n  ", "a -> "),
    "hashes": of_signs(HEAD + "LIMITATIONS: ", "# "),
    "quotes": of_signs(HEAD + "LIMITATIONS: [", '"a", '),
    "json": of_lines(HEAD + "ON_START:\n  RESPOND: x\n    FORMATS:\n      SLACK: |\n", lambda n: "        [\n"),
    "yaml": of_lines("agent: A\ngoal: x\nlimitations:\n", lambda n: f"  - a{n}\n"),
    "yaml brackets": of_signs("agent: A\ngoal: x\nlimitations: ", "["),
    "numbered": of_lines("AGENT: A\nSTEPS:\n", lambda n: f"  {n + 1}. Say hello\n"),
}


def time_of(work: Callable[[str], object], text: str, tries: int = 1) -> float:
    """Return the shortest processor time of `work(text)` in seconds, without collecting what was in memory before."""
    best = float("inf")
    for _ in range(tries):
        gc.collect()
        gc.freeze()
        start = process_time()
        work(text)
        best = min(best, process_time() - start)
        gc.unfreeze()
    return best


def growth(work: Callable[[str], object], shape: Shape, size: int, tries: int = 2) -> tuple[float, float]:
    """Return time(2n)/time(n) at `size` characters for 2n, and time(2n) in seconds."""
    half = time_of(work, shape(size // 2), tries)
    whole = time_of(work, shape(size), tries)
    return whole / max(half, 1e-4), whole


def memory(text: str) -> float:
    """Return the greatest memory of a parse, its result included, as a multiple of the text's length."""
    tracemalloc.start()
    try:
        parse(text)
        return tracemalloc.get_traced_memory()[1] / max(len(text), 1)
    finally:
        tracemalloc.stop()


def figures(size: int) -> list[Figure]:
    """Return the worst growth of each operation, and the memory of a realistic text."""
    made = []
    for name, work in OPERATIONS.items():
        worst = {shape: growth(work, text, size)[0] for shape, text in {**REALISTIC, **HOSTILE}.items()}
        shape = max(worst, key=lambda one: worst[one])
        title = f"{name}, time(2n)/time(n), {shape}"
        made.append(Figure(title, worst[shape], "times", 2.0, f"at most {PROMISED}", worst[shape] <= PROMISED))
        real = max(worst[shape] for shape in REALISTIC)
        made.append(Figure(f"{name}, realistic", real, "times", 2.0, f"at most {PROMISED}", real <= PROMISED))
    for shape, text in REALISTIC.items():
        peak = memory(text(min(size, MEGABYTE)))
        made.append(Figure(f"memory of a parse, {shape}", peak, "times the text", None, "at most 60", peak <= 60))
    return made


if __name__ == "__main__":
    chars = int(sys.argv[sys.argv.index("--mb") + 1]) * MEGABYTE if "--mb" in sys.argv else SMALL_CHARS * 4
    sys.exit(0 if publish("scaling", figures(chars)) else 1)
