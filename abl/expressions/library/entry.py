"""How a function of the expression language is described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from abl.expressions.environment import JsonValue

ANY = 32
"""Most arguments of a function that takes any number of them."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One function.

    Attributes:
        name: The name as the documentation spells it.
        signature: How it is called, e.g. `SUBSTRING(text, start, end?)`.
        least, most: How many arguments it takes.
        call: The function itself; it accepts any plain values and never raises.
        needs_environment: Whether `call` takes the environment as its first argument.
    """

    name: str
    signature: str
    least: int
    most: int
    call: Callable[..., JsonValue]
    needs_environment: bool = False

    @property
    def summary(self) -> str:
        """One line that says what the function gives back."""
        return (self.call.__doc__ or "").strip().splitlines()[0]

    @property
    def arity(self) -> str:
        """How many arguments it takes, in words."""
        if self.least == self.most:
            return "no arguments" if self.most == 0 else f"{self.most} argument{'s' if self.most > 1 else ''}"
        if self.most == ANY:
            return f"at least {self.least} argument{'s' if self.least > 1 else ''}"
        return f"{self.least} to {self.most} arguments"


def entry(
    signature: str, least: int, most: int, call: Callable[..., JsonValue], *, needs_environment: bool = False
) -> Entry:
    """Return the description of `call`; its name is the part of `signature` before the parenthesis."""
    return Entry(signature.partition("(")[0], signature, least, most, call, needs_environment)
