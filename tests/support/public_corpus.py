"""Reads and plays the documents of `tests/corpus/public`: texts as people write them, and what they must do.

`<form>/<name>.abl` (or `.abl.yaml`) is the document, `<name>.expect.yaml` beside it says what must come of it; the keys
are those of `KEYS`, `TURN_KEYS` and `EXPECT_KEYS`, and a key that nobody reads is an error.

A case says `refused:` (parts of the errors it must have, as `CODE message`) or it plays `turns:`. What the checks find
(errors and warnings, apart from `ADVICE`) stands in `findings:` as `CODE` or `CODE part of the message`; nothing else
may be found. Of a turn, `expect:` tells `said` (the whole reply) or `contains` and `lacks`, `stored` (variables of the
active agent), `remembered` (persistent paths) and `called` (all calls of tools in order: a name, or name: arguments).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from abl.compiler import CompileOptions
from abl.diagnostics.model import Diagnostic, Edit, Fix
from abl.project import Project, check_project, compile_project
from domain.json_values import JsonValue
from engine import CallTool, Program
from engine.testing import Conversation
from tests.support.turn_corpus import ROOT, begun_of, holds, play, reply_of, result_of

PUBLIC = ROOT / "tests" / "corpus" / "public"
SUFFIXES = (".abl", ".abl.yaml")
EXPECTATION = ".expect.yaml"

KEYS = frozenset({"about", "files", "config", "findings", "refused", "fixed"})
"""Of every case: a sentence; further documents by path; `config.X` by name; what checks find; whether the text with all
its quick fixes applied must do the same (true unless it says false)."""
PLAY_KEYS = frozenset({"begin", "tools", "model", "reads", "memory", "others", "opening", "turns"})
"""Of a case that is played, as in `tests/corpus/turns`."""
TURN_KEYS = frozenset({
    "say", "press", "value", "form", "callback", "human", "approved", "expired", "timer", "attachments",
    "metadata", "agent", "expect",
})  # fmt: skip
EXPECT_KEYS = frozenset({
    "said", "contains", "lacks", "stored", "remembered", "called", "by", "status", "action", "rich_content", "actions",
    "voice", "prompt_contains", "prompt_lacks",
})  # fmt: skip
ADVICE = frozenset({
    "MISSING_TOOL_DESCRIPTION", "MISSING_PARAM_DESCRIPTION", "SIDE_EFFECT_TOOL_WITHOUT_CONFIRMATION", "E720",
    "MODE_DEPRECATED", "REASONING_MISSING", "REASONING_ZONE_NO_MODEL", "GOAL_MISSING",
})  # fmt: skip
"""Warnings of style, of older forms and of what stands outside the text, which a case need not name."""


class _Loader(yaml.SafeLoader):
    """YAML without dates, whose mappings say each key once."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the attribute of the base class
        first: [(tag, form) for tag, form in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        if twice := {key for key in keys if keys.count(key) > 1}:
            raise ValueError(f"said twice: {sorted(twice)} {node.start_mark}")
        return super().construct_mapping(node, deep)


@dataclass(frozen=True)
class PublicCase:
    """One document with what must come of it."""

    path: Path
    text: str
    wanted: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.path.parent.name}/{self.path.name}"

    @property
    def files(self) -> dict[str, str]:
        """All documents of the case by path, its own first."""
        return {self.path.name: self.text, **self.wanted.get("files", {})}

    @property
    def options(self) -> CompileOptions:
        """What the compile is told."""
        return CompileOptions(config_variables=self.wanted.get("config", {}))


def public_cases(root: Path = PUBLIC) -> list[PublicCase]:
    """Return all cases by name.

    Raises:
        ValueError: A document has no expectation, an expectation no document, or one has a key that nobody reads.
    """
    found = [*_cases(root)]
    documents = {name_of(case.path) for case in found}
    orphans = [path for path in root.rglob("*.yaml") if name_of(path) not in documents]
    if orphans:
        raise ValueError(f"no document beside {orphans}")
    return found


def _cases(root: Path) -> Iterator[PublicCase]:
    for path in sorted(path for path in root.rglob("*") if path.is_file()):
        if path.name.endswith(EXPECTATION):
            continue
        if not path.name.endswith(SUFFIXES):
            raise ValueError(f"{path} is neither a document nor an expectation")
        expectation = path.with_name(name_of(path).name + EXPECTATION)
        if not expectation.exists():
            raise ValueError(f"{path} has no {expectation.name}")
        wanted = read_expectation(expectation.read_text("utf-8"), str(expectation))
        yield PublicCase(path, path.read_text("utf-8"), wanted)


def name_of(path: Path) -> Path:
    """Return a path without what tells a document from its expectation."""
    suffix = next((one for one in (EXPECTATION, *reversed(SUFFIXES)) if path.name.endswith(one)), "")
    return path.with_name(path.name.removesuffix(suffix))


def read_expectation(text: str, where: str) -> dict[str, Any]:
    """Return an expectation.

    Raises:
        ValueError: It has a key that nobody reads, is neither refused nor played, or a turn expects nothing.
    """
    wanted: dict[str, Any] = yaml.load(text, _Loader)  # noqa: S506 - a SafeLoader with fewer types
    _only(wanted, KEYS if "refused" in wanted else KEYS | PLAY_KEYS, where)
    if not wanted.get("about"):
        raise ValueError(f"{where}: about is missing")
    if not wanted.get("refused") and not wanted.get("turns"):
        raise ValueError(f"{where}: say what is refused, or turns")
    for number, turn in enumerate(wanted.get("turns", ()), 1):
        _only(turn, TURN_KEYS, f"{where} turn {number}")
        _only(turn.get("expect") or {}, EXPECT_KEYS, f"{where} turn {number} expect")
        if not turn.get("expect"):
            raise ValueError(f"{where} turn {number}: expects nothing")
    return wanted


def _only(written: Mapping[str, Any], keys: frozenset[str], where: str) -> None:
    if unread := sorted(set(written) - keys):
        raise ValueError(f"{where}: nobody reads {', '.join(unread)}; there is {', '.join(sorted(keys))}")


# --- what is found --------------------------------------------------------------------------------------------------


def findings(case: PublicCase, text: str | None = None) -> list[Diagnostic]:
    """Return everything found in the case, or in the case with another text in place of its own."""
    files = {**case.files, **({case.path.name: text} if text is not None else {})}
    return check_project(Project.from_files(files), case.options)


def check_findings(case: PublicCase) -> None:
    """Raise AssertionError when something else is found than the case says."""
    found = findings(case)
    told = [(one, f"{one.code} {one.message}") for one in found if one.severity != "info" and one.code not in ADVICE]
    wanted = [*case.wanted.get("findings", ()), *case.wanted.get("refused", ())]
    every = [f"{one.code} {one.message}" for one in found]
    for part in wanted:
        assert any(_fits(part, one) for one in every), f"not found: {part!r} among {every}"
    for part in case.wanted.get("refused", ()):
        assert any(one.is_error and _fits(part, line) for one, line in told), f"{part!r} is no error"
    for _, line in told:
        assert any(_fits(part, line) for part in wanted), f"not expected: {line}"


def _fits(part: str, line: str) -> bool:
    code, _, rest = part.partition(" ")
    return line.partition(" ")[0] == code and rest in line


def fixed_text(case: PublicCase) -> str:
    """Return the text with the quick fix of each finding in it applied that overlaps none before it."""
    edits: list[Edit] = []
    for one in findings(case):
        if one.fix is None or one.file not in (case.path.name, None):
            continue
        if not any(_overlap(edit, other) for edit in one.fix.edits for other in edits):
            edits += one.fix.edits
    return Fix("all", tuple(edits)).apply(Project.from_files(case.files).files[case.path.name].text)


def _overlap(one: Edit, other: Edit) -> bool:
    return one.offset <= other.offset + other.length and other.offset <= one.offset + one.length


# --- what is done ---------------------------------------------------------------------------------------------------


def play_case(case: PublicCase, text: str | None = None) -> Conversation:
    """Play the turns, check what each must lead to, and return the conversation.

    Raises:
        AssertionError: Something else was said, stored, remembered or called; the message names the turn.
    """
    talk = _conversation(case, case.text if text is None else text)
    opening = talk.begin(**begun_of(case.wanted))
    if "opening" in case.wanted:
        assert opening == case.wanted["opening"].strip("\n"), f"opening {opening!r}"
    for number, turn in enumerate(case.wanted["turns"], 1):
        before = len(talk.effects)
        reply = play(talk, turn)
        _check(talk, turn["expect"], reply, before, f"turn {number} said {reply!r}:")
    return talk


def _conversation(case: PublicCase, text: str) -> Conversation:
    output = compile_project(Project.from_files({**case.files, case.path.name: text}), case.options).output
    assert not output.get("compilation_errors"), output["compilation_errors"]
    wanted = case.wanted
    return Conversation(
        Program(output),
        tools={name: result_of(written) for name, written in wanted.get("tools", {}).items()},
        model=[reply_of(one) for one in wanted.get("model", ())],
        reads=[reply_of(one) for one in wanted.get("reads", ())],
        memory=dict(wanted.get("memory", {})),
        others=dict(wanted.get("others", {})),
    )


def _check(talk: Conversation, wanted: dict[str, Any], reply: str, before: int, where: str) -> None:
    _check_words(wanted, reply, where)
    thread = talk.state.threads[talk.state.active]
    for name, value in wanted.get("stored", {}).items():
        assert thread.variables.get(name) == value, f"{where} {name} is {thread.variables.get(name)!r}"
    for path, value in wanted.get("remembered", {}).items():
        assert talk.memory.get(path) == value, f"{where} {path} is {talk.memory.get(path)!r}"
    effects = talk.effects[before:]
    if "called" in wanted:
        made = [(one.tool, one.arguments) for one in effects if isinstance(one, CallTool)]
        _check_calls(wanted["called"], made, where)
    end = talk.ends[-1]
    assert wanted.get("by", end.agent) == end.agent, f"{where} by {end.agent}"
    assert wanted.get("status", end.status) == end.status, f"{where} status {end.status}"
    action = wanted.get("action", {})
    assert holds(end.action, action if isinstance(action, dict) else {"type": action}), f"{where} {end.action}"
    for name in ("rich_content", "actions", "voice"):
        assert holds(getattr(end, name), wanted.get(name, {})), f"{where} {name} {getattr(end, name)}"
    prompts = "\n".join(
        message.content for one in effects if type(one).__name__ == "AskModel" for message in one.request.messages
    )
    for part in wanted.get("prompt_contains", ()):
        assert part in prompts, f"{where} no model read {part!r}"
    for part in wanted.get("prompt_lacks", ()):
        assert part not in prompts, f"{where} a model read {part!r}"


def _check_words(wanted: dict[str, Any], reply: str, where: str) -> None:
    if "said" in wanted:
        assert reply == wanted["said"].strip("\n"), where
    for part in wanted.get("contains", ()):
        assert part in reply, f"{where} lacks {part!r}"
    for part in wanted.get("lacks", ()):
        assert part not in reply, f"{where} holds {part!r}"


def _check_calls(wanted: list[Any], made: list[tuple[str, Mapping[str, JsonValue]]], where: str) -> None:
    told = [one if isinstance(one, str) else next(iter(one)) for one in wanted]
    assert told == [name for name, _ in made], f"{where} called {made}"
    for one, (name, arguments) in zip(wanted, made, strict=True):
        if isinstance(one, dict):
            assert arguments == one[name], f"{where} {name} was called with {arguments}"
