"""Reads object literals: `{name: value, "name": value, path.name}`. Spec: abl-language 6.1 (ours), decision 0050."""

from __future__ import annotations

from abc import abstractmethod

from abl.expressions.lexer import END, NAME, NUMBER, STRING, SYMBOL, Token, unquoted
from abl.expressions.reader import Reader
from abl.expressions.tree import Node, Object, Variable


class ObjectReader(Reader):
    """The part of the parser that reads objects; their values are read by the whole of it."""

    __slots__ = ()

    @abstractmethod
    def _expression(self, power: int) -> Node:
        """Return the expression that begins at the next token."""

    def _object(self, token: Token) -> Node:
        """Read `{name: value, "name": value, path.name}`."""
        self._at += 1
        names: list[str] = []
        values: list[Node] = []
        while not self._closes_object():
            key = self._tokens[self._at]
            following = self._tokens[self._at + 1] if key.kind != END else key
            if key.kind == STRING or following.text == ":":
                if key.kind not in (NAME, STRING, NUMBER):
                    self._stop("a name is expected before `:`", key, ":")
                self._at += 1
                self._expect(":", "the `:` behind the name is missing")
                names.append(unquoted(key.text) if key.kind == STRING else key.text)
                values.append(self._expression(0))
            else:
                value = self._expression(0)
                if not isinstance(value, Variable):
                    self._stop("a name and `:` are expected before the value", key, ":")
                names.append(value.path[-1])
                values.append(value)
            if not self._is_symbol(","):
                break
            self._at += 1
        if not self._closes_object():
            self._expect("}", "the closing brace of the object is missing")
        self._at += 1
        place = {"start": self._base + token.start, "length": self._length_from(token)}
        return Object(tuple(names), tuple(values), **place)

    def _closes_object(self) -> bool:
        """Return whether a `}` is next; of the two that end an object in an object, the first is taken apart."""
        token = self._tokens[self._at]
        if token.kind == SYMBOL and token.text == "}}":
            halves = [token._replace(text="}"), Token(SYMBOL, "}", token.start + 1)]
            self._tokens[self._at : self._at + 1] = halves
        return self._is_symbol("}")
