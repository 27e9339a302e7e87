"""Tree -> Python expression text over a dictionary `state`. Spec: abl-language 6.5."""

from __future__ import annotations

from typing import Literal

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

Matches = Literal["search", "tilde"]

_SIGNS = {"in": "in", "not_in": "not in", "and": "and", "or": "or"}
_METHODS = {"starts_with": "startswith", "ends_with": "endswith"}


def expression_to_python(expression: Node, *, matches: Matches = "search") -> str:
    """Return the Python text of `expression`; it compiles, except with `matches="tilde"`, the reference's spelling.

    >>> from abl.expressions.analysis import parse_condition
    >>> expression_to_python(parse_condition('plan == "gold" AND visits > 3'))
    '((state["plan"] == "gold") and (state["visits"] > 3))'
    """
    return _Printer('"', matches).text(expression)


class _Printer:
    """Prints nodes with one kind of quote; inside an f-string it is the other one."""

    def __init__(self, quote: str, matches: Matches) -> None:
        self._quote = quote
        self._matches = matches

    def text(self, node: Node) -> str:
        match node:
            case String():
                return self._string(node.value)
            case Number():
                return repr(node.value)
            case Boolean():
                return str(node.value)
            case Null():
                return "None"
            case Wildcard():
                return "True"
            case Array():
                return f"[{self._listed(node.values)}]"
            case Object():
                pairs = zip(node.names, node.values, strict=True)
                return "{" + ", ".join(f"{self._string(name)}: {self.text(one)}" for name, one in pairs) + "}"
            case Variable():
                return "state" + "".join(f"[{self._string(name)}]" for name in node.path)
            case Function():
                return f"{node.name}({self._listed(node.arguments)})"
            case Binary():
                return self._binary(node)
            case Unary():
                return self._unary(node)
            case Conditional():
                return f"({self.text(node.then)} if {self.text(node.test)} else {self.text(node.otherwise)})"
            case Template():
                return self._template(node)
            case _:
                return "None"

    def _listed(self, nodes: tuple[Node, ...]) -> str:
        return ", ".join(self.text(one) for one in nodes)

    def _binary(self, node: Binary) -> str:
        if node.operator in ("and", "or"):
            return f"({self.text(node.left)} {node.operator} {self.text(node.right)})"
        left, right = self._operand(node.left), self._operand(node.right)
        if node.operator == "contains":
            return f"({right} in {left})"
        if node.operator == "matches":
            if self._matches == "tilde":
                return f"({left} ~ {right})"
            return f"re.search({self.text(node.right)}, {self.text(node.left)})"
        if node.operator in _METHODS:
            return f"{self._receiver(node.left)}.{_METHODS[node.operator]}({self.text(node.right)})"
        return f"({left} {_SIGNS.get(node.operator, node.operator)} {right})"

    def _unary(self, node: Unary) -> str:
        match node.operator:
            case "not":
                return f"not {self.text(node.operand)}"
            case "exists":
                return f"{self._operand(node.operand)} is not None"
            case "empty":
                return f"len({self.text(node.operand)}) == 0"
            case _:
                return f"-{self._operand(node.operand)}"

    def _operand(self, node: Node) -> str:
        """Print a side of a comparison or a sum: a bare `not x` or `x is not None` would bind the wrong way."""
        printed = self.text(node)
        return f"({printed})" if isinstance(node, Unary) and node.operator != "neg" else printed

    def _receiver(self, node: Node) -> str:
        printed = self.text(node)
        return f"({printed})" if isinstance(node, Number | Unary | Boolean | Null | Wildcard) else printed

    def _string(self, value: str) -> str:
        return self._quote + self._escaped(value) + self._quote

    def _escaped(self, value: str) -> str:
        """Escape the quote and what would not survive in Python; the reference escapes the quote only."""
        if self._matches == "tilde":
            return value.replace(self._quote, "\\" + self._quote)
        if value.isprintable() and "\\" not in value:
            return value.replace(self._quote, "\\" + self._quote)
        plain = value.replace("\\", "\\\\").replace(self._quote, "\\" + self._quote)
        return "".join(sign if sign.isprintable() else _code(sign) for sign in plain)

    def _template(self, node: Template) -> str:
        """Print an f-string; a join of texts where an expression cannot stand inside one before Python 3.12."""
        inner = _Printer("'", self._matches)
        tags = [None if isinstance(part, str) else inner.text(part) for part in node.parts]
        tags = [f" {tag}" if tag is not None and tag.startswith("{") else tag for tag in tags]
        if self._quote == "'" or any(tag is not None and ("\\" in tag or '"' in tag) for tag in tags):
            pieces = [self._string(p) if isinstance(p, str) else f"str({self.text(p)})" for p in node.parts]
            return f"({' + '.join(pieces)})"
        pieces = [
            self._escaped(part).replace("{", "{{").replace("}", "}}") if isinstance(part, str) else f"{{{tag}}}"
            for part, tag in zip(node.parts, tags, strict=True)
        ]
        return f'f"{"".join(pieces)}"'


def _code(sign: str) -> str:
    number = ord(sign)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"
