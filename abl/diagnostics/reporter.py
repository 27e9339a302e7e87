"""Makes findings out of the rows of the catalogue, and explains a code. Spec: abl-language 13."""

from __future__ import annotations

from functools import cache
from string import Formatter

from abl.diagnostics.catalogue import RULES
from abl.diagnostics.catalogue.rule import ARGUMENTS, Rule
from abl.diagnostics.model import Diagnostic, Fix
from abl.diagnostics.suggest import closest

MAX_ARGUMENT_CHARS = 300
MAX_LIST_CHARS = 1500

_STAND_INS = ("name", "property", "step", "tool", "variable", "value")
_EMPTY = dict.fromkeys(ARGUMENTS, "")


def finding(
    code: str,
    *,
    strict: bool = False,
    line: int | None = None,
    column: int | None = None,
    offset: int | None = None,
    length: int = 0,
    fix: Fix | None = None,
    agent: str | None = None,
    path: str | None = None,
    file: str | None = None,
    **arguments: str,
) -> Diagnostic:
    """Return the finding `code` at a place, its message filled in from `arguments`.

    An argument that is not given takes the optional part of the message around it along; where the message cannot
    do without it, another one (`name`, `property`, `value` ...) stands in. Very long arguments are cut.
    The message argument `line` (of the first occurrence) is passed as `first_line`, as `line` is the place of the
    finding. `suggestion` is a sentence (see `did_you_mean`) or just the word.
    An unknown code is a programming error and raises KeyError.
    """
    rule = RULES[code]
    words = dict(_EMPTY)
    for name, value in arguments.items():
        words[name] = _short(str(value), MAX_LIST_CHARS if name == "known" else MAX_ARGUMENT_CHARS)
    if "first_line" in words:
        words["line"] = words["first_line"]
    if agent:
        words["agent"] = agent
    words["detail"] = words["detail"].rstrip(". ")
    if words["suggestion"]:
        words["suggestion"] = _sentence(words["suggestion"])
    message = _filled(rule.message, words)
    return Diagnostic(code, message, rule.severity_when(strict), line, column, offset, length, fix, agent, path, file)


def did_you_mean(word: str | None) -> str:
    """Return the sentence for the `suggestion` argument, with its trailing space, or nothing."""
    return f"Did you mean {word}? " if word else ""


def explain(code: str) -> str:
    """Return the long explanation of `code` as plain text, with a wrong and a right example."""
    rule = RULES.get(code.strip().upper())
    if rule is None:
        near = did_you_mean(closest(code, RULES)).strip()
        return f"There is no diagnostic with the code {_short(code, MAX_ARGUMENT_CHARS)}.{' ' + near if near else ''}\n"
    parts = [f"{rule.code} ({_severities(rule)}): {rule.title}", rule.explanation]
    if rule.example_note:
        parts.append(rule.example_note)
    if rule.needs:
        parts.append(f"Shown with: {rule.needs}")
    if rule.wrong:
        parts.append("Wrong:\n\n" + _indented(rule.wrong))
    if rule.right:
        parts.append("Right:\n\n" + _indented(rule.right))
    return "\n\n".join(parts) + "\n"


def _filled(template: str, words: dict[str, str]) -> str:
    """Return a message with its arguments, without the optional parts that miss one."""
    said = []
    for part, names, optional in _parts(template):
        if all(map(words.__getitem__, names)):
            said.append(part.format_map(words))
        elif not optional:
            other = next(filter(None, map(words.__getitem__, _STAND_INS)), "")
            said.append(
                part.format_map(words | {name: other for name in names if name in _STAND_INS and not words[name]})
            )
    return "".join(said).strip()


@cache
def _parts(template: str) -> tuple[tuple[str, tuple[str, ...], bool], ...]:
    """Cut a message template into its pieces: (format text, its arguments, whether it is optional)."""
    pieces: list[tuple[str, tuple[str, ...], bool]] = []
    for at, chunk in enumerate(template.split("[[")):
        optional, _, plain = chunk.rpartition("]]") if at else ("", "", chunk)
        for part in (optional, plain):
            if part:
                names = tuple(name for _, name, _, _ in Formatter().parse(part) if name)
                pieces.append((part, names, part is optional))
    return tuple(pieces)


def _severities(rule: Rule) -> str:
    """Return `error`, or `warning, error with strict` when strictness changes it."""
    if rule.strict is None or rule.strict == rule.severity:
        return rule.severity
    return f"{rule.severity}, {rule.strict} with strict"


def _indented(text: str) -> str:
    """Return `text` with every line that has content moved four columns to the right."""
    return "\n".join("    " + line if line else "" for line in text.strip("\n").split("\n"))


def _sentence(suggestion: str) -> str:
    """Return a suggestion as a sentence with a trailing space, whether it came as a word or as a sentence."""
    plain = suggestion.strip()
    return plain + " " if plain.endswith((".", "?")) else did_you_mean(plain)


def _short(value: str, limit: int) -> str:
    """Return `value` on one line, cut when very long."""
    if len(value) > limit:
        value = value[: limit - 1] + "…"
    return value.replace("\n", "\\n") if "\n" in value else value
