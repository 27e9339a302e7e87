"""Texts of any size by their shape: how they are made, and what people write.

A shape is a function of a size in characters. What a hostile author would think of is in `hostile_shapes`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count

from benchmarks.agents_project import agent

Shape = Callable[[int], str]
FIRST = 1_000_000
"""The first number of a line: all have the same number of digits, so that a text twice as long is no denser."""
HEAD = "AGENT: A\nGOAL: x\n"
STEP = HEAD + "FLOW:\n  s:\n    REASONING: false\n"
YAML = "agent: A\ngoal: x\n"
TOOLS = "TOOLS:\n"
NUMBERED = "AGENT: A\nSTEPS:\n"


def of_lines(head: str, line: Callable[[int], str]) -> Shape:
    """Return the shape that repeats a numbered line under `head`."""

    def text(size: int) -> str:
        parts = [head]
        length = len(head)
        for number in count(FIRST):
            if length >= size:
                return "".join(parts)
            parts.append(line(number))
            length += len(parts[-1])
        raise AssertionError

    return text


def of_signs(head: str, signs: str, tail: str = "\n") -> Shape:
    """Return the shape of one long line: `head`, then `signs` over and over."""
    return lambda size: head + signs * (size // len(signs)) + tail


def of_numbered_signs(head: str, signs: Callable[[int], str], tail: str = "\n") -> Shape:
    """Return the shape of one long line whose parts all differ."""
    made = of_lines(head, signs)
    return lambda size: made(size) + tail


def then(first: Shape, second: Shape) -> Shape:
    """Return the shape that is half `first` and half `second`: names declared, then names used."""
    return lambda size: first(size // 2) + second(size // 2)


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
        of_lines(HEAD + TOOLS, lambda n: f'  find_{n}(code: string) -> object\n    description: "Finds {n}"\n'),
        of_lines("GATHER:\n", lambda n: f'  field_{n}:\n    prompt: "What is {n}?"\n    type: string\n'),
        of_lines("CONSTRAINTS:\n", lambda n: f'  - REQUIRE field_{n} > {n}\n    ON_FAIL: "Not {n}"\n'),
        of_lines("HANDOFF:\n", lambda n: f"  - TO: Desk_{n}\n    WHEN: field_{n} == {n}\n    RETURN: true\n"),
        of_lines("FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    RESPOND: Hello\n    THEN: s{n + 1}\n"),
    )
    return "".join(part(fifth) for part in parts)


REALISTIC: dict[str, Shape] = {"agents pasted together": _agents, "one large agent": _one_agent}
