"""Tree -> nested Python closures: compiled once, called often.

A closure takes the variables (and an environment, where one is needed) and gives a value; it never raises, never
touches an attribute of a value, and its work is bounded by the size of the tree and the limits of every function.
Spec: abl-language 6.4.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Protocol

from abl.expressions import comparisons
from abl.expressions.analysis import parse_condition, parse_expression
from abl.expressions.environment import Environment, JsonValue, Variables
from abl.expressions.inspection import walk
from abl.expressions.library import find
from abl.expressions.limits import MAX_TEXT_CHARS
from abl.expressions.lookups import SPECIAL_ROOTS, Run, lookup
from abl.expressions.tree import (
    Array,
    Binary,
    Boolean,
    Conditional,
    Function,
    Node,
    Null,
    Number,
    Object,
    String,
    Template,
    Unary,
    Variable,
    Wildcard,
)
from abl.expressions.values import (
    add,
    divide,
    is_empty,
    multiply,
    negative,
    remainder,
    subtract,
    text_of,
    truthy,
)

_ARITHMETIC: dict[str, Callable[[JsonValue, JsonValue], JsonValue]] = {
    "+": add,
    "-": subtract,
    "*": multiply,
    "/": divide,
    "%": remainder,
}
_WHOLE: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}
"""What the arithmetic is for two integers below `MAX_SMALL`: their results are small enough to need no check."""
MAX_SMALL = 1 << 31
_NOTHING = Environment()


class Condition(Protocol):
    """A compiled condition."""

    def __call__(self, variables: Variables, environment: Environment | None = None, /) -> bool:
        """Return whether the condition holds."""


def compile_condition(condition: str | Node) -> Condition:
    """Return `condition` as a function of the variables; what is no condition is false.

    A sentence in natural language is false too: whoever allows it asks a model instead.

    >>> compile_condition("visits > 3 AND plan IN ['gold', 'silver']")({"visits": 4, "plan": "gold"})
    True
    """
    node = condition if isinstance(condition, Node) else parse_condition(condition)
    if isinstance(node, String) and " " in node.value:
        return lambda variables, environment=None, /: False
    return _with_groups(node, _test(node))


def compile_expression(expression: str | Node) -> Run:
    """Return `expression` as a function of the variables; what is no expression is null.

    >>> compile_expression("COALESCE(name, 'you')")({})
    'you'
    """
    node = expression if isinstance(expression, Node) else parse_expression(expression)
    return _with_groups(node, _value(node))


def _with_groups(node: Node, run: Run) -> Run:
    """Give a call without an environment one of its own when `match` is written and read within the expression."""
    kinds = list(walk(node))
    matches = any(isinstance(one, Binary) and one.operator == "matches" for one in kinds)
    if not (matches and any(isinstance(one, Variable) and one.path[0] == "match" for one in kinds)):
        return run

    def with_own(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        return run(variables, Environment(variables) if environment is None else environment)

    return with_own


def _test(node: Node) -> Condition:
    """Return the closure that gives a boolean."""
    run = _value(node)
    if isinstance(node, Binary) and node.operator not in _ARITHMETIC:
        return run
    if isinstance(node, Boolean | Wildcard) or (isinstance(node, Unary) and node.operator != "neg"):
        return run
    if isinstance(node, Variable) and len(node.path) == 1 and node.path[0] not in SPECIAL_ROOTS:
        return _true_variable(node.path[0])
    return lambda variables, environment=None, /: truthy(run(variables, environment))


def _value(node: Node) -> Run:
    """Return the closure that gives the value of `node`."""
    match node:
        case String() | Number() | Boolean():
            constant = node.value
            return lambda variables, environment=None, /: constant
        case Wildcard():
            return lambda variables, environment=None, /: True
        case Variable():
            return lookup(node.path)
        case Binary():
            return _binary(node)
        case Unary():
            return _unary(node)
        case Function():
            return _function(node)
        case Array():
            return _array(tuple(_value(one) for one in node.values))
        case Object():
            return _object(node.names, tuple(_value(one) for one in node.values))
        case Conditional():
            return _conditional(_test(node.test), _value(node.then), _value(node.otherwise))
        case Template():
            return _template(node)
        case _:
            return lambda variables, environment=None, /: None


def _true_variable(name: str) -> Condition:
    def run(variables: Variables, environment: Environment | None = None, /) -> bool:
        value = variables.get(name)
        return value if value is True or value is False else truthy(value)

    return run


def _binary(node: Binary) -> Run:
    if node.operator in ("and", "or"):
        right = _test(node.right)
        return comparisons.word_then(node.left, node.operator, right) or _joined(node.operator, _test(node.left), right)
    short = comparisons.special(node)
    if short is not None:
        return short
    left, right = _value(node.left), _value(node.right)
    if node.operator == "matches":
        return comparisons.matching(left, right, node.right)
    if isinstance(node.right, Number):
        compared = comparisons.with_number(left, node.operator, node.right.value)
        if compared is not None:
            return compared
    compared = comparisons.general(node.operator, left, right)
    return compared if compared is not None else _computed(node, left, right)


def _computed(node: Binary, left: Run, right: Run) -> Run:
    compute = _ARITHMETIC[node.operator]
    whole = _WHOLE.get(node.operator)
    if whole is None:
        return lambda variables, environment=None, /: compute(
            left(variables, environment), right(variables, environment)
        )
    if isinstance(node.right, Number) and type(node.right.value) is int and abs(node.right.value) < MAX_SMALL:
        number = node.right.value

        def with_number(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
            value = left(variables, environment)
            return (
                whole(value, number)
                if type(value) is int and -MAX_SMALL < value < MAX_SMALL
                else compute(value, number)
            )

        return with_number

    def of_two(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        first, second = left(variables, environment), right(variables, environment)
        if type(first) is int is type(second) and -MAX_SMALL < first < MAX_SMALL and -MAX_SMALL < second < MAX_SMALL:
            return whole(first, second)
        return compute(first, second)

    return of_two


def _joined(operator: str, left: Condition, right: Condition) -> Run:
    if operator == "and":

        def both(variables: Variables, environment: Environment | None = None, /) -> bool:
            return left(variables, environment) and right(variables, environment)

        return both

    def either(variables: Variables, environment: Environment | None = None, /) -> bool:
        return left(variables, environment) or right(variables, environment)

    return either


def _unary(node: Unary) -> Run:
    match node.operator:
        case "not":
            test = _test(node.operand)
            return lambda variables, environment=None, /: not test(variables, environment)
        case "exists":
            value = _value(node.operand)
            return lambda variables, environment=None, /: value(variables, environment) is not None
        case "empty":
            value = _value(node.operand)
            return lambda variables, environment=None, /: is_empty(value(variables, environment))
        case _:
            value = _value(node.operand)
            return lambda variables, environment=None, /: negative(value(variables, environment))


def _function(node: Function) -> Run:
    """Return the call; null for an unknown function. Missing arguments are null, superfluous ones are ignored."""
    known = find(node.name)
    if known is None:
        return _value(Null())
    given = node.arguments[: known.most]
    missing = (Null(),) * (known.least - len(given))
    call, arguments = known.call, tuple(_value(one) for one in (*given, *missing))
    if known.needs_environment:
        return lambda variables, environment=None, /: call(
            environment or _NOTHING, *[one(variables, environment) for one in arguments]
        )
    if len(arguments) == 1:
        only = arguments[0]
        return lambda variables, environment=None, /: call(only(variables, environment))
    return lambda variables, environment=None, /: call(*[one(variables, environment) for one in arguments])


def _array(values: tuple[Run, ...]) -> Run:
    return lambda variables, environment=None, /: [one(variables, environment) for one in values]


def _object(names: tuple[str, ...], values: tuple[Run, ...]) -> Run:
    members = tuple(zip(names, values, strict=True))
    return lambda variables, environment=None, /: {name: one(variables, environment) for name, one in members}


def _conditional(test: Condition, then: Run, otherwise: Run) -> Run:
    def run(variables: Variables, environment: Environment | None = None, /) -> JsonValue:
        return then(variables, environment) if test(variables, environment) else otherwise(variables, environment)

    return run


def _template(node: Template) -> Run:
    parts = tuple(part if isinstance(part, str) else _value(part) for part in node.parts)

    def run(variables: Variables, environment: Environment | None = None, /) -> str:
        pieces, length = list[str](), 0
        for part in parts:
            piece = part if isinstance(part, str) else text_of(part(variables, environment))
            pieces.append(piece)
            length += len(piece)
            if length > MAX_TEXT_CHARS:
                break
        return "".join(pieces)[:MAX_TEXT_CHARS]

    return run
