"""Compiled tests: the common shapes of conditions as closures of their own, everything else by the general rules.

A variable beside a constant is what most conditions are made of, so it costs one call. Spec: abl-language 6.4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

from abl import patterns
from abl.expressions.environment import Environment, JsonValue, Variables
from abl.expressions.lookups import SPECIAL_ROOTS, Run, lookup
from abl.expressions.tree import Array, Binary, Boolean, Node, Number, String, Variable
from abl.expressions.values import contains, ends_with, equal, number_of, order, starts_with, text_of

MAX_EXACT = 1 << 53
"""Integers below this are the same number as float."""

_NUMBERS = frozenset({int, float})
MIRRORED = {"==": "==", "!=": "!=", ">": "<", "<": ">", ">=": "<=", "<=": ">="}
_SIGNS: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    ">": operator.gt,
    "<": operator.lt,
    ">=": operator.ge,
    "<=": operator.le,
}
_TESTS: dict[str, Callable[[JsonValue, JsonValue], bool]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "in": lambda left, right: contains(right, left),
    "not_in": lambda left, right: not contains(right, left),
    "contains": contains,
    "starts_with": starts_with,
    "ends_with": ends_with,
}


def ordered(sign: str, left: JsonValue, right: JsonValue) -> bool:
    """Whether `left sign right` holds for an ordering sign; false where there is no order."""
    if type(left) in _NUMBERS and type(right) in _NUMBERS:
        return _SIGNS[sign](left, right)
    found = order(left, right)
    return found is not None and _SIGNS[sign](found, 0)


def special(node: Binary) -> Run | None:
    """Return the closure of a comparison of a variable with constants, None for any other shape."""
    left, right, sign = node.left, node.right, node.operator
    if isinstance(right, Variable) and sign in MIRRORED and not isinstance(left, Variable):
        left, right, sign = right, left, MIRRORED[sign]
    if not isinstance(left, Variable):
        return None
    if isinstance(right, String) and _is_word(right):
        return _beside_word(left, sign, right.value)
    if isinstance(right, Boolean):
        return _beside_boolean(lookup(left.path), sign, right.value)
    if isinstance(right, Array) and all(_is_word(one) for one in right.values):
        return _among_words(left, sign, [one.value for one in right.values if isinstance(one, String)])
    if not isinstance(right, Number) or not _is_plain(left):
        return None
    return _beside_number(left.path[0], sign, right.value) if abs(right.value) < MAX_EXACT else None


def _is_word(node: Node) -> bool:
    """Whether the node is a text that no number can equal."""
    return isinstance(node, String) and number_of(node.value) is None


def with_number(left: Run, sign: str, number: int | float) -> Run | None:
    """Return the closure that compares any value with a number, None when `sign` is no sign of order or too large."""
    compare = _SIGNS.get(sign)
    if compare is None or abs(number) >= MAX_EXACT:
        return None

    def run(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = left(variables, environment)
        return compare(value, number) if type(value) is int or type(value) is float else ordered(sign, value, number)

    return run


def general(sign: str, left: Run, right: Run) -> Run | None:
    """Return the closure of any comparison, None when `sign` is no comparison."""
    test = _TESTS.get(sign)
    if test is not None:

        def run(variables: Variables, environment: Environment | None = None, /) -> bool:
            return test(left(variables, environment), right(variables, environment))

        return run
    if sign in _SIGNS:
        return lambda variables, environment=None, /: ordered(
            sign, left(variables, environment), right(variables, environment)
        )
    return None


def matching(left: Run, right: Run, pattern: Node) -> Run:
    """Return the closure of MATCHES: a search whose groups go to the environment."""
    known = patterns.compiled(pattern.value) if isinstance(pattern, String) else None

    def run(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = left(variables, environment)
        made = known if known is not None else patterns.compiled(text_of(right(variables, environment)))
        if value is None or isinstance(made, str):
            return False
        found = made.search(patterns.readable(text_of(value)))
        if found is None:
            return False
        if environment is not None:
            environment.match = patterns.groups_of(found)
        return True

    return run


def _beside_number(name: str, sign: str, number: int | float) -> Run | None:
    """Compare a variable with a number; only plain numbers take the short way."""

    def equals(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value == number if type(value) is int or type(value) is float else equal(value, number)

    def differs(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value != number if type(value) is int or type(value) is float else not equal(value, number)

    def at_most(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value <= number if type(value) is int or type(value) is float else ordered("<=", value, number)

    def at_least(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value >= number if type(value) is int or type(value) is float else ordered(">=", value, number)

    def below(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value < number if type(value) is int or type(value) is float else ordered("<", value, number)

    def above(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value > number if type(value) is int or type(value) is float else ordered(">", value, number)

    short = {"==": equals, "!=": differs, "<=": at_most, ">=": at_least, "<": below, ">": above}
    return short.get(sign)


def _beside_word(variable: Variable, sign: str, word: str) -> Run | None:
    """Compare a variable with a text that is no number: nothing but that text equals it."""
    name = variable.path[0]
    if sign == "contains":
        return _with_part(lookup(variable.path), word)
    if sign not in ("==", "!="):
        return None
    if _is_plain(variable):
        if sign == "==":
            return lambda variables, environment=None, /: variables.get(name) == word
        return lambda variables, environment=None, /: variables.get(name) != word
    read = lookup(variable.path)
    if sign == "==":
        return lambda variables, environment=None, /: read(variables, environment) == word
    return lambda variables, environment=None, /: read(variables, environment) != word


def word_then(node: Node, joint: str, then: Run) -> Run | None:
    """Return the closure of `name == "word" AND …` or `… OR …`, in which the first half costs no call of its own.

    None comes back for any other first half.
    """
    if not isinstance(node, Binary) or node.operator != "==" or not isinstance(node.left, Variable):
        return None
    if not isinstance(node.right, String) or not _is_word(node.right) or not _is_plain(node.left):
        return None
    name, word = node.left.path[0], node.right.value
    if joint == "and":
        return lambda variables, environment=None, /: variables.get(name) == word and then(variables, environment)
    return lambda variables, environment=None, /: variables.get(name) == word or then(variables, environment)


def _is_plain(variable: Variable) -> bool:
    """Whether a variable is one name among the variables."""
    return len(variable.path) == 1 and variable.path[0] not in SPECIAL_ROOTS


def _with_part(read: Run, word: str) -> Run:
    """Look for a text in another; lists and maps are looked into by the general rule."""

    def run(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = read(variables, environment)
        return word in value if type(value) is str else contains(value, word)

    return run


def _beside_boolean(read: Run, sign: str, wanted: bool) -> Run | None:
    """Compare a variable with true or false: nothing but that equals it."""
    if sign == "==":
        return lambda variables, environment=None, /: read(variables, environment) is wanted
    if sign == "!=":
        return lambda variables, environment=None, /: read(variables, environment) is not wanted
    return None


def _among_words(variable: Variable, sign: str, words: list[str]) -> Run | None:
    """Look a variable up in a list of such texts."""
    if sign not in ("in", "not_in"):
        return None
    read, known, wanted = lookup(variable.path), frozenset(words), sign == "in"

    def run(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = read(variables, environment)
        return (type(value) is str and value in known) is wanted

    return run
