"""Compiled reading of variables: one closure per path, with the special roots of the language.

Bare `intent` means its category, `always` is true, `session.x` is `x` where nothing else is called `session`,
and `match` holds the groups of the last MATCHES. Spec: abl-language 6.7.
"""

from __future__ import annotations

from typing import Protocol

from abl.expressions.environment import Environment, JsonValue, Variables
from abl.expressions.values import is_map, member


class Run(Protocol):
    """A compiled expression or condition."""

    def __call__(self, variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        """Return its value."""


SPECIAL_ROOTS = frozenset({"intent", "always", "session", "match"})


def lookup(path: tuple[str, ...]) -> Run:
    """Return the closure that reads the variable at `path`, None where it is missing."""
    root, rest = path[0], path[1:]
    match root, len(rest):
        case "session", n if n:
            return _session(rest)
        case "match", _:
            return _match(rest)
        case "intent", 0:
            return _intent
        case "always", 0:
            return _always
        case _, 0:
            return lambda variables, environment=None, /: variables.get(root)
        case _, 1:
            return _field(root, rest[0])
        case _:
            return lambda variables, environment=None, /: follow(variables.get(root), rest)


def follow(value: JsonValue, names: tuple[str, ...]) -> JsonValue:
    """Return what stands below `value` under the names one after the other, None where one is missing."""
    for name in names:
        if value is None:
            return None
        value = value.get(name) if type(value) is dict else member(value, name)
    return value


def _field(root: str, name: str) -> Run:
    def run(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        value = variables.get(root)
        return value.get(name) if type(value) is dict else member(value, name)

    return run


def _session(rest: tuple[str, ...]) -> Run:
    def run(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        if "session" in variables:
            return follow(variables.get("session"), rest)
        return follow(variables.get(rest[0]), rest[1:])

    return run


def _match(rest: tuple[str, ...]) -> Run:
    def run(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        if environment is not None and environment.match is not None:
            return follow(environment.match, rest)
        return follow(variables.get("match"), rest)

    return run


def _intent(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
    value = variables.get("intent")
    return member(value, "category") if is_map(value) else value


def _always(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
    return variables.get("always", True)
