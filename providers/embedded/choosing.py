"""Which tools a small model may choose from in a round, by what is known and what was said. Pure.

A small model cannot tell whether a tool is due. What is known tells it mostly: a tool whose required parameters the
agent's own values give is due as soon as nothing is missing that it would take along; any other only when the user's
message was not just the answer to a question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from domain.json_values import JsonObject
from domain.model_calls import ModelRequest, ToolSpec
from providers.embedded import prompting
from providers.embedded.grounding import Said, known_arguments, name_words

_DATE: Final = re.compile(r"\d{4}-\d{2}-(\d{2})")
_HAS_DIGIT: Final = re.compile(r"\d")


@dataclass(frozen=True, slots=True)
class Choice:
    """What there is to choose from.

    Attributes:
        ready: Tools whose required arguments are known, with these arguments, in the order of the agent.
        open: Tools of which something has to be read out of the conversation.
        wanted: What a tool still lacks of which something is known already, in the words of its author.
    """

    ready: tuple[tuple[ToolSpec, JsonObject], ...] = ()
    open: tuple[ToolSpec, ...] = ()
    wanted: str = ""


def choice_of(request: ModelRequest) -> Choice:
    """Return what may be called now."""
    known = prompting.known_values(request)
    missing = prompting.missing_names(request)
    said = Said.of([*prompting.said_texts(request, "user", "tool"), *known.values()])
    ready: list[tuple[ToolSpec, JsonObject]] = []
    unready: list[ToolSpec] = []
    wanted = ""
    for tool in prompting.offered(request):
        if prompting.is_repeated(request, tool.name):
            continue
        given = known_arguments(tool.parameters, known)
        needed = [name for name in _required(tool) if name not in given]
        if _required(tool) and not needed:
            if not prompting.is_repeated(request, tool.name, given) and not _awaits(tool, given, missing):
                ready.append((tool, given))
        elif all(_may_be_said(name, tool.parameters["properties"][name], said) for name in needed):
            unready.append(tool)
        if needed and len(needed) < len(_required(tool)) and not wanted:
            wanted = str(tool.parameters["properties"][needed[0]].get("description") or needed[0].replace("_", " "))
    is_asked = prompting.last_said(request).rstrip().endswith("?")
    if wanted and not is_asked and not prompting.has_fresh_result(request) and _is_answer(request, known):
        return Choice(tuple(ready), (), wanted)
    return Choice(tuple(ready), tuple(unready) if _is_open_question(request, known) else ())


def _required(tool: ToolSpec) -> list[str]:
    names: list[str] = tool.parameters.get("required") or []
    return names


def _awaits(tool: ToolSpec, given: JsonObject, missing: list[str]) -> bool:
    """Return whether a value that is still asked for would go into the call."""
    names = [name for name in tool.parameters.get("properties") or {} if name not in given]
    return any(name_words(name) & name_words(field) for name in names for field in missing)


def _may_be_said(name: str, schema: JsonObject, said: Said) -> bool:
    """Return whether a value for a parameter can be in the conversation at all: a code has a digit in it."""
    if schema.get("enum"):
        return True
    if schema.get("type") in ("number", "integer"):
        return bool(said.numbers)
    return not prompting.is_code(name, schema) or _HAS_DIGIT.search(said.text) is not None


def _is_open_question(request: ModelRequest, known: dict[str, str]) -> bool:
    """Return whether the user's last message asks for something, and is not the answer that a value was read from."""
    if prompting.has_fresh_result(request):
        return False
    last = prompting.last_said(request)
    said = Said.of([last])
    if last.rstrip().endswith("?"):
        return True
    return not _is_answer(request, known) and len(said.content_words()) > 1


def _is_answer(request: ModelRequest, known: dict[str, str]) -> bool:
    """Return whether a value that is known now stands in the user's last message; of a date its day is enough."""
    said = Said.of([prompting.last_said(request)])
    days = [float(found[1]) for value in known.values() if (found := _DATE.fullmatch(value))]
    return any(said.holds(value) for value in known.values()) or any(day in said.numbers for day in days)
