"""Numbered steps: `1. Name` with lines such as CALL, RESPOND, WAIT_INPUT. Spec: abl-language 5.9, 10.2."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from abl.legacy.actions import ACTION_WORDS, WORDS, corrected, read_action, read_detail
from abl.legacy.flow import flow_of
from abl.legacy.lines import Block, Line, Locate, as_lines, clipped
from abl.parser.faults import Fault, one_edit
from abl.parser.values import cut_comment, unquote
from abl.syntax.flow import Flow
from abl.syntax.legacy import LegacyAction, LegacyStep

MAX_ACTION_NESTING = 8
"""Deepest nesting of actions under actions; what is deeper is taken as if it stood at that depth."""

_HEADER = re.compile(r"(?:-\s*+)?+(?:STEP\s++)?+([0-9]{1,9})\s*+[.):](?![0-9])\s*+(.*)", re.IGNORECASE | re.DOTALL)
_ENTRY = re.compile(r"(?:entry_point|entry|start)\s*+:\s*+(.*)", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_]+")
_NAMED = re.compile(r"[A-Za-z_][\w \-]*+:?+\s*+")


def read_numbered_steps(
    lines: Iterable[tuple[int, str, int]],
    *,
    block_text: Callable[[int], str] | None = None,
    locate: Locate | None = None,
) -> tuple[Flow, tuple[Fault, ...]]:
    """Return the flow that numbered steps describe, and what is wrong with them.

    Each line is (indent, trimmed text, offset). `block_text` gives the text of the `|` block under a line by its
    index; `locate` gives places for the nodes.
    """
    steps, entry, faults = read_steps(lines, block_text=block_text, locate=locate)
    return flow_of(steps, entry), faults


def read_steps(
    lines: Iterable[tuple[int, str, int]],
    *,
    block_text: Callable[[int], str] | None = None,
    locate: Locate | None = None,
) -> tuple[list[LegacyStep], str, tuple[Fault, ...]]:
    """Return the numbered steps, the entry point if one is named, and what is wrong."""
    block = Block(as_lines(lines), [], block_text, locate)
    reader = _Steps(block)
    for at in range(len(block.lines)):
        reader.line(at)
    reader.check()
    return reader.steps, reader.entry, tuple(block.faults)


class _Steps:
    """The steps read so far, and the actions that are still open for nested lines."""

    def __init__(self, block: Block) -> None:
        self.block = block
        self.steps: list[LegacyStep] = []
        self.entry = ""
        self.base = min((line.indent for line in block.lines if _HEADER.match(line.text)), default=-1)
        if self.base < 0 and block.lines:
            self.base = block.lines[0].indent
        self.open: list[tuple[int, LegacyAction]] = []
        self.silent: list[tuple[LegacyAction, Line, list[str]]] = []

    def line(self, at: int) -> None:
        """Read one line: a step, or an action of the last one."""
        line = self.block.lines[at]
        if self.is_said(line):
            return
        header = _HEADER.match(line.text)
        if header is not None and line.indent <= self.base:
            self.step(at, line, int(header[1]), header[2], header.start(2))
        elif header is not None:
            self.action(at, Line(line.indent, header[2], line.offset + header.start(2)))
        elif line.indent <= self.base and not self.steps and (entry := _ENTRY.match(line.text)):
            self.entry = unquote(cut_comment(entry[1]))
        elif line.indent <= self.base and not self.is_action(line.text):
            self.unnumbered(at, line)
        else:
            self.action(at, line)

    def is_said(self, line: Line) -> bool:
        """Take a line below a RESPOND without a text as its text."""
        if not self.silent or not self.open or self.open[-1][1] is not self.silent[-1][0]:
            return False
        if line.indent <= self.open[-1][0]:
            return False
        self.silent[-1][2].append(line.text)
        return True

    def is_action(self, text: str) -> bool:
        """Return whether a line at the indent of steps is an action that was not indented."""
        bare = text[1:].lstrip() if text[:1] == "-" else text
        word = _WORD.match(bare)
        if word is not None and word[0] in ACTION_WORDS:
            return True
        return bool(self.steps) and (bare[:1] in "[|->" or (word is not None and word[0].upper() in ACTION_WORDS))

    def step(self, at: int, line: Line, number: int | None, rest: str, start: int) -> None:
        """Begin a step; an action may stand on its line."""
        block = self.block
        word = _WORD.match(rest)
        inline = (
            word is not None
            and word[0] in WORDS
            and (len(word[0]) < len(rest.rstrip(": ")) or "_" in word[0] or word[0] == "ELSE")
        )
        name = "" if inline else unquote(cut_comment(rest).rstrip(": "))
        made = LegacyStep(number=number, name=name, pos=block.pos(line.offset))
        made.at["name"] = line.offset + start
        self.steps.append(made)
        self.open = []
        if inline:
            self.action(at, Line(line.indent, rest, line.offset + start))
        elif not name:
            fix = one_edit("give the step a name", line.offset + len(line.text), 0, f" Step_{number}")
            arguments = {"value": clipped(line.text)}
            block.add(Fault("LEGACY_INVALID_STEP", line.offset, len(line.text), arguments, fix))

    def unnumbered(self, at: int, line: Line) -> None:
        """Report a line at the indent of steps that has no number; a name is read as a step all the same."""
        number = ((self.steps[-1].number or 0) if self.steps else 0) + 1
        text = line.text
        bare = text[1:].lstrip() if text[:1] == "-" else text
        named = _NAMED.fullmatch(bare) is not None
        begin = line.offset + len(text) - len(bare)
        fix = one_edit(f"write `{number}.` before it", begin, 0, f"{number}. ") if named else None
        arguments = {"value": clipped(text)}
        if not named:
            self.action(at, line)
            return
        self.block.add(Fault("LEGACY_INVALID_STEP", line.offset, len(text), arguments, fix))
        self.step(at, line, number, bare, len(text) - len(bare))

    def action(self, at: int, line: Line) -> None:
        """Read one action, or a detail of the action it is nested under."""
        while self.open and self.open[-1][0] >= line.indent:
            self.open.pop()
        parent = self.open[-1][1] if self.open else None
        if not self.steps:
            fix = one_edit("begin the first step", line.offset, 0, f"1. Start\n{' ' * (line.indent + 2)}")
            arguments = {"value": clipped(line.text)}
            self.block.add(Fault("LEGACY_INVALID_STEP", line.offset, max(len(line.text), 1), arguments, fix))
            self.steps.append(LegacyStep(number=1, pos=self.block.pos(line.offset)))
        siblings = self.steps[-1].actions
        last = parent or (siblings[-1] if siblings else None)
        nested = parent is not None
        if read_detail(self.block, at, last, line, nested=nested, actions=siblings):
            return
        known = corrected(self.block, line)
        if known is None or (
            known is not line and read_detail(self.block, at, last, known, nested=nested, actions=siblings)
        ):
            return
        made = read_action(self.block, at, known)
        if made is None:
            return
        (parent.actions if parent is not None and _holds_actions(parent) else siblings).extend(made)
        if made[-1].kind == "respond" and not made[-1].text:
            self.silent.append((made[-1], line, []))
        if len(self.open) < MAX_ACTION_NESTING:
            self.open.append((line.indent, made[-1]))

    def check(self) -> None:
        """Report answers without a text, and numbers and names that stand for two steps."""
        for action, line, said in self.silent:
            action.text = "\n".join(said)
            if not said:
                self.block.invalid(line.offset, line.text, "The text is missing after RESPOND")
        seen: set[str] = set()
        for step in self.steps:
            for label in (str(step.number) if step.number is not None else "", step.name):
                if label and label in seen:
                    arguments = {"section": "STEPS", "name": label}
                    place = step.at.get("name", 0)
                    self.block.add(Fault("DUPLICATE_NAME", place, max(len(step.name), 1), arguments))
                    break
            seen.update({str(step.number), step.name} - {""})


def _holds_actions(action: LegacyAction) -> bool:
    """Return whether lines nested under an action are actions of its own."""
    return action.kind in ("on_success", "on_failure", "if", "else")
