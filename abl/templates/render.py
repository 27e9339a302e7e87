"""Parts -> a function that renders: compiled once, then only closures and joins.

What is inserted is data: it is never looked at again. Output and work are bounded. Spec: abl-language 6.8.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from abl.expressions.closures import compile_condition, compile_expression
from abl.expressions.environment import Environment, JsonValue, Variables
from abl.expressions.limits import MAX_OUTPUT_CHARS, MAX_RENDER_STEPS
from abl.expressions.values import is_list, is_map, text_of
from abl.templates.parts import Choice, Each, Part, Plain
from abl.templates.read import TemplateReader


class _Output:
    """What has been rendered; full when there is too much text or too much work."""

    __slots__ = ("has_hole", "pieces", "room", "steps")

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.has_hole = False
        self.room = MAX_OUTPUT_CHARS
        self.steps = MAX_RENDER_STEPS

    def add(self, text: str) -> None:
        self.pieces.append(text)
        self.room -= len(text)

    def fill(self, text: str) -> None:
        self.has_hole |= not text
        self.add(text)

    def takes_more(self) -> bool:
        self.steps -= 1
        return self.room > 0 and self.steps > 0


Renderer: TypeAlias = Callable[[Variables, Environment, _Output], None]


class _Scope(Mapping[str, JsonValue]):
    """The variables inside an #each: its own names in front of those around it."""

    __slots__ = ("_outer", "_own")

    def __init__(self, own: dict[str, JsonValue], outer: Variables) -> None:
        self._own = own
        self._outer = outer

    def __getitem__(self, name: str) -> JsonValue:
        return self._own[name] if name in self._own else self._outer[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._outer, **self._own})

    def __len__(self) -> int:
        return len({**self._outer, **self._own})


class CompiledTemplate:
    """A template that can be rendered any number of times."""

    __slots__ = ("_constant", "_render")

    def __init__(self, parts: tuple[Part, ...]) -> None:
        """Compile `parts`."""
        plain = all(isinstance(part, Plain) for part in parts)
        self._constant = "".join(part.text for part in parts if isinstance(part, Plain)) if plain else None
        self._render = _sequence(parts)

    def render(self, variables: Variables, environment: Environment | None = None) -> str:
        """Return the text; what cannot be resolved is empty. `environment` gives `ago` and dates their moment."""
        return self._rendered(variables, environment)[0]

    def render_whole(self, variables: Variables, environment: Environment | None = None) -> str:
        """Return the text, empty where a value that it shows is empty: it would have a hole."""
        text, has_hole = self._rendered(variables, environment)
        return "" if has_hole else text

    def _rendered(self, variables: Variables, environment: Environment | None) -> tuple[str, bool]:
        if self._constant is not None:
            return self._constant, False
        output = _Output()
        self._render(variables, environment if environment is not None else Environment(variables), output)
        return "".join(output.pieces)[:MAX_OUTPUT_CHARS], output.has_hole


def compile_template(text: str) -> CompiledTemplate:
    """Return `text` as a template ready to be rendered; its faults are what `analyse_template` says.

    >>> compile_template("Hello {{name | upper}}").render({"name": "ada"})
    'Hello ADA'
    """
    return CompiledTemplate(TemplateReader(text).parts())


def render_template(text: str, variables: Variables, environment: Environment | None = None) -> str:
    """Return `text` rendered once; keep a compiled template for what is rendered often."""
    return compile_template(text).render(variables, environment) if "{{" in text else text


def _sequence(parts: tuple[Part, ...]) -> Renderer:
    renderers = tuple(_renderer(part) for part in parts)

    def run(variables: Variables, environment: Environment, output: _Output) -> None:
        for render in renderers:
            if not output.takes_more():
                return
            render(variables, environment, output)

    return run


def _renderer(part: Part) -> Renderer:
    match part:
        case Plain():
            text = part.text
            return lambda variables, environment, output: output.add(text)
        case Each():
            return _each(part)
        case Choice():
            return _choice(part)
        case _:
            value = compile_expression(part.node)
            return lambda variables, environment, output: output.fill(text_of(value(variables, environment)))


def _each(part: Each) -> Renderer:
    items, body = compile_expression(part.items), _sequence(part.body)

    def run(variables: Variables, environment: Environment, output: _Output) -> None:
        for index, (key, item) in enumerate(_elements(items(variables, environment))):
            if not output.takes_more():
                return
            body(_Scope({"this": item, "@index": index, "@key": key}, variables), environment, output)

    return run


def _elements(value: JsonValue) -> Iterator[tuple[JsonValue, JsonValue]]:
    if is_list(value):
        yield from enumerate(value)
    elif is_map(value):
        yield from value.items()


def _choice(part: Choice) -> Renderer:
    test, then, otherwise = compile_condition(part.test), _sequence(part.then), _sequence(part.otherwise)

    def run(variables: Variables, environment: Environment, output: _Output) -> None:
        (then if test(variables, environment) else otherwise)(variables, environment, output)

    return run
