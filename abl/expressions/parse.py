"""Tokens -> tree, by precedence climbing over the tables of `words`; stops at the first real mistake.

What can be read in spite of a slip (`=`, `===`, an unknown function, a refused pattern) is read and noted as a fault.
Spec: abl-language 6.1.
"""

from __future__ import annotations

from abl.expressions import words
from abl.expressions.faults import Fault
from abl.expressions.interpolation import FILTERS, OPEN, tags_of
from abl.expressions.lexer import END, MEMBER, NAME, NUMBER, STRING, SYMBOL, Token, unquoted
from abl.expressions.library import find
from abl.expressions.limits import MAX_HEIGHT, MAX_NESTING
from abl.expressions.objects import ObjectReader
from abl.expressions.reader import UnreadableError
from abl.expressions.tree import (
    Array,
    Binary,
    Boolean,
    Conditional,
    Function,
    Node,
    Null,
    Number,
    String,
    Template,
    Unary,
    Variable,
    Wildcard,
    children,
)

_LITERALS: dict[str, bool | None] = {"TRUE": True, "FALSE": False, "NULL": None}
_NOT_VALUES = frozenset({"AND", "OR", "IN", "IS"})
_MAX_DIGITS = 300


class Parser(ObjectReader):
    """Reads one text into a tree."""

    __slots__ = ()

    def whole(self) -> Node:
        """Return the tree of the whole text.

        Raises:
            UnreadableError: The text is no expression.
        """
        return self._finished(self._expression(0))

    def with_filters(self) -> Node:
        """Return the tree of `expression { | filter }`; a filter becomes the call of its function.

        Raises:
            UnreadableError: The text is no such thing.
        """
        node = self._expression(0)
        while self._is_symbol("|"):
            self._at += 1
            node = self._filter(node)
        return self._finished(node)

    def _finished(self, node: Node) -> Node:
        token = self._tokens[self._at]
        if token.kind != END:
            self._stop_at_operator(token)
        if len(self._tokens) > MAX_HEIGHT and _height(node) > MAX_HEIGHT:
            self._stop(f"more than {MAX_HEIGHT} operators build on each other; split the condition", token, "less")
        return node

    # -- operators ---------------------------------------------------------------------------------------------

    def _expression(self, power: int) -> Node:
        start = self._tokens[self._at].start
        self._level += 1
        if self._level > MAX_NESTING:
            self._stop(f"the nesting is deeper than {MAX_NESTING} levels", self._tokens[self._at], "less")
        left = self._prefix(power)
        compared: Token | None = None
        while True:
            token = self._tokens[self._at]
            if token.kind == SYMBOL:
                if token.text == "?" and power <= words.CHOICE_POWER:
                    left = self._choice(left, start)
                    continue
                infix = words.SYMBOLS.get(token.text)
            elif token.kind == NAME:
                word = token.text.upper()
                if word in ("IS", "NOT"):
                    if power > words.COMPARE_POWER:
                        break
                    self._only_once(compared, token)
                    compared = token
                    left = self._state(left, start) if word == "IS" else self._negated(left, token, start)
                    continue
                infix = words.WORDS.get(word)
            else:
                break
            if infix is None or infix.power < power:
                break
            if infix.power == words.COMPARE_POWER:
                self._only_once(compared, token)
                compared = token
            self._at += 1
            if infix.operator == "==" or infix.operator == "!=":
                self._note_spelling(token)
            left = self._binary(infix, left, start)
        self._level -= 1
        return left

    def _binary(self, infix: words.Infix, left: Node, start: int) -> Node:
        right = self._expression(infix.power + 1)
        if infix.operator == "matches":
            right = self._pattern(right)
        stop = right.start - self._base + right.length
        return Binary(infix.operator, left, right, start=self._base + start, length=stop - start)

    def _only_once(self, compared: Token | None, token: Token) -> None:
        if compared is not None:
            detail = f"a comparison ends before `{token.text}`; join two comparisons with AND"
            self._stop(detail, token, "AND")

    def _negated(self, left: Node, token: Token, start: int) -> Node:
        """Read `NOT IN`, `NOT CONTAINS` ... after their left side."""
        following = self._tokens[self._at + 1]
        infix = words.WORDS.get(following.text.upper()) if following.kind == NAME else None
        if infix is None or infix.power != words.COMPARE_POWER:
            self._stop_at_operator(token)
        self._at += 2
        if infix.operator == "in":
            return self._binary(words.Infix(infix.power, "not_in"), left, start)
        positive = self._binary(infix, left, start)
        return Unary("not", positive, start=positive.start, length=positive.length)

    def _state(self, left: Node, start: int) -> Node:
        """Read `IS [NOT] SET | EMPTY | NULL` after its left side."""
        self._at += 1
        positive = True
        token = self._tokens[self._at]
        if token.kind == NAME and token.text.upper() == "NOT":
            positive = False
            self._at += 1
            token = self._tokens[self._at]
        word = token.text.upper()
        if token.kind != NAME or word not in words.STATE_WORDS:
            self._stop("SET, EMPTY or NULL is expected after IS", token, "state")
        self._at += 1
        place = {"start": self._base + start, "length": token.stop - start}
        node = Unary("empty" if word == "EMPTY" else "exists", left, **place)
        return node if positive == (word != "NULL") else Unary("not", node, **place)

    def _choice(self, test: Node, start: int) -> Node:
        self._at += 1
        then = self._expression(words.CHOICE_POWER)
        self._expect(":", "the `:` of `test ? a : b` is missing")
        otherwise = self._expression(words.CHOICE_POWER)
        stop = otherwise.start - self._base + otherwise.length
        return Conditional(test, then, otherwise, start=self._base + start, length=stop - start)

    # -- values ------------------------------------------------------------------------------------------------

    def _prefix(self, power: int) -> Node:
        token = self._tokens[self._at]
        if (token.kind == NAME and token.text.upper() == "NOT") or (token.kind == SYMBOL and token.text == "!"):
            self._at += 1
            operand = self._expression(max(words.NOT_POWER, power))
            return self._placed_unary("not", operand, token)
        if token.kind == SYMBOL and token.text == "-":
            self._at += 1
            following = self._tokens[self._at]
            if following.kind == NUMBER and following.start == token.stop:
                self._at += 1
                return Number(-self._number(following), start=self._base + token.start, length=len(following.text) + 1)
            return self._placed_unary("neg", self._expression(words.NEG_POWER), token)
        node = self._primary(token)
        while True:
            token = self._tokens[self._at]
            if token.kind != MEMBER:
                return node
            node = self._method_of(node, token)

    def _placed_unary(self, operator: str, operand: Node, token: Token) -> Node:
        stop = operand.start - self._base + operand.length
        return Unary(operator, operand, start=self._base + token.start, length=stop - token.start)

    def _primary(self, token: Token) -> Node:
        match token.kind:
            case "name":
                return self._named(token)
            case "string":
                self._at += 1
                return self._string(token)
            case "number":
                self._at += 1
                return Number(self._number(token), start=self._base + token.start, length=len(token.text))
            case "symbol" if token.text == "(":
                self._at += 1
                node = self._expression(0)
                self._expect(")", "a closing parenthesis is missing")
                return node
            case "symbol" if token.text == "[":
                self._at += 1
                values = self._list("]", "the closing bracket of the list is missing")
                return Array(values, start=self._base + token.start, length=self._length_from(token))
            case "symbol" if token.text == "{":
                return self._object(token)
            case "symbol" if token.text == OPEN:
                self._at += 1
                node = self._expression(0)
                self._expect("}}", "the closing braces `}}` are missing")
                return node
            case "symbol" if token.text == "*":
                self._at += 1
                return Wildcard(start=self._base + token.start, length=1)
            case _:
                return self._stop_at_value(token)

    def _named(self, token: Token) -> Node:
        self._at += 1
        name = token.text
        upper = name.upper()
        following = self._tokens[self._at]
        if following.kind == SYMBOL and following.text == "(" and upper not in _NOT_VALUES:
            return self._call(token)
        if upper in _LITERALS:
            value = _LITERALS[upper]
            place = {"start": self._base + token.start, "length": len(name)}
            return Null(**place) if value is None else Boolean(value, **place)
        if upper in words.WORDS or upper in _NOT_VALUES:
            self._at -= 1
            self._stop_at_value(token)
        if following.kind == SYMBOL and following.text == "[":
            return self._indexed(token)
        return Variable(tuple(name.split(".")), start=self._base + token.start, length=len(name))

    def _indexed(self, token: Token) -> Node:
        """Read `name[0]["key"].more` after the name; a method call may follow."""
        path = token.text.split(".")
        while True:
            following = self._tokens[self._at]
            if following.kind == SYMBOL and following.text == "[":
                index = self._tokens[self._at + 1]
                if index.kind == STRING:
                    path.append(unquoted(index.text))
                elif index.kind == NUMBER and "." not in index.text:
                    path.append(index.text)
                else:
                    self._stop("an index is a number or a quoted name", index, "index")
                self._at += 2
                self._expect("]", "the closing bracket of the index is missing")
            elif following.kind == MEMBER and not self._is_call(self._at + 1):
                path.append(following.text[1:])
                self._at += 1
            else:
                length = self._length_from(token)
                return Variable(tuple(path), start=self._base + token.start, length=length)

    def _number(self, token: Token) -> int | float:
        if len(token.text) > _MAX_DIGITS:
            self._stop(f"a number has at most {_MAX_DIGITS} digits", token, "less")
        return float(token.text) if "." in token.text else int(token.text)

    def _string(self, token: Token) -> Node:
        value = unquoted(token.text)
        place = {"start": self._base + token.start, "length": len(token.text)}
        if OPEN not in value or not self._interpolate:
            return String(value, **place)
        parts = self._parts(value, token)
        return String(value, **place) if parts == (value,) else Template(parts, **place)

    def _parts(self, value: str, token: Token) -> tuple[str | Node, ...]:
        shift = self._base + token.start + 1
        exact = value == token.text[1:-1]
        parts, faults = text_parts(value, shift if exact else 0)
        if not exact:
            faults = [Fault(one.code, shift, len(value), one.arguments) for one in faults]
        self.faults.extend(faults)
        return parts

    # -- calls -------------------------------------------------------------------------------------------------

    def _call(self, token: Token) -> Node:
        """Read the arguments of `name(`, or of `path.method(`."""
        receiver, _, method = token.text.rpartition(".")
        if receiver and find(token.text) is None and receiver.lower() != "abl":
            value = Variable(tuple(receiver.split(".")), start=self._base + token.start, length=len(receiver))
            return self._method(value, method, token)
        arguments = self._arguments()
        lower = token.text.lower()
        length = self._length_from(token)
        if lower == "has" and len(arguments) == 1:
            return Unary("exists", arguments[0], start=self._base + token.start, length=length)
        if lower in words.METHODS and len(arguments) == 2:
            return self._as_operator(words.METHODS[lower], arguments[0], arguments[1], token)
        self._check_function(token.text, len(arguments), token.start, len(token.text))
        arguments = self._with_pattern(token.text, arguments)
        return Function(token.text, arguments, start=self._base + token.start, length=length)

    def _method_of(self, value: Node, token: Token) -> Node:
        """Read `.method(...)` after a value that is no path."""
        if not self._is_call(self._at + 1):
            self._stop("a member can only be read from a variable; SET the value first", token, "operator")
        self._at += 1
        return self._method(value, token.text[1:], token)

    def _method(self, value: Node, name: str, token: Token) -> Node:
        arguments = self._arguments()
        operator = words.METHODS.get(name.lower())
        start = value.start - self._base
        if operator and len(arguments) == 1:
            return self._as_operator(operator, value, arguments[0], token._replace(start=start))
        if name.lower() != "size":
            self._unknown_method(value, name, arguments, token.stop - len(name))
        length = self._length_from(token._replace(start=start))
        return Function(name, (value, *arguments), start=value.start, length=length)

    def _as_operator(self, operator: str, left: Node, right: Node, token: Token) -> Node:
        if operator == "matches":
            right = self._pattern(right)
        return Binary(operator, left, right, start=self._base + token.start, length=self._length_from(token))

    def _arguments(self) -> tuple[Node, ...]:
        self._at += 1
        return self._list(")", "the closing parenthesis of the arguments is missing")

    def _list(self, closing: str, detail: str) -> tuple[Node, ...]:
        values: list[Node] = []
        while not self._is_symbol(closing):
            values.append(self._expression(0))
            if not self._is_symbol(","):
                break
            self._at += 1
        self._expect(closing, detail)
        return tuple(values)

    def _filter(self, value: Node) -> Node:
        token = self._tokens[self._at]
        if token.kind != NAME:
            self._stop("the name of a filter is expected after `|`", token, "filter")
        self._at += 1
        given: list[Node] = []
        if self._is_symbol("("):
            given.extend(self._arguments())
        else:
            while self._is_symbol(":") or (given and self._is_symbol(",")):
                self._at += 1
                given.append(self._prefix(words.NEG_POWER))
        arguments = (value, *given)
        name = FILTERS.get(token.text.lower())
        if name is None:
            self._unknown_filter(token)
            return value
        self._check_function(name, len(arguments), token.start, len(token.text))
        length = self._length_from(token) + token.start + self._base - value.start
        return Function(name, arguments, start=value.start, length=length)


def text_parts(value: str, base: int) -> tuple[tuple[str | Node, ...], list[Fault]]:
    """Return the plain parts and the trees of the tags of a text, with the faults in its tags."""
    parts: list[str | Node] = []
    faults: list[Fault] = []
    at = 0
    for tag in tags_of(value):
        if tag.stop is None:
            said = {"name": "{{", "value": tag.inside, "expected": "}}"}
            edit = (base + tag.start + 2 + len(tag.inside.rstrip()), 0, "}}")
            faults.append(Fault("TEMPLATE_UNCLOSED", base + tag.start, 2, said, edit, "add `}}`"))
            continue
        parser = Parser(tag.inside, base + tag.start + 2, interpolate=False)
        try:
            node = parser.with_filters()
        except UnreadableError as stopped:
            place, length = base + tag.start, tag.stop - tag.start
            said = {"value": tag.inside, "detail": stopped.detail}
            faults.append(Fault("TEMPLATE_SYNTAX", place, length, said))
            continue
        faults.extend(parser.faults)
        if tag.start > at:
            parts.append(value[at : tag.start])
        parts.append(node)
        at = tag.stop
    if at < len(value) or not parts:
        parts.append(value[at:])
    return tuple(parts), faults


def _height(node: Node) -> int:
    level, height = [node], 0
    while level:
        height += 1
        level = [child for one in level for child in children(one)]
    return height
