"""Commands whose arguments are plain texts: they are handed over as they are.

Typer checks values with pydantic, which takes longer to load than `abl check` takes to check a file. Texts and flags
need no such check, so it is left out for them; a typer that works otherwise is not disturbed by this.
"""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand, TyperGroup


class _AsGiven:
    """Stands where typer keeps what turns a value into its type."""

    @staticmethod
    def coerce(value: Any, **_context: Any) -> Any:
        """Return the value: a text, a list of texts, a flag, or None."""
        return list(value) if isinstance(value, tuple) else value


def _plain(parameters: list[Any]) -> list[Any]:
    for parameter in parameters:
        parameter.__dict__["get_runtime_param"] = _AsGiven
    return parameters


class PlainCommand(TyperCommand):
    """A command that takes texts, lists of texts and flags only."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` included."""
        return _plain(super().get_params(ctx))


class PlainGroup(TyperGroup):
    """A group of commands that takes flags only."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, `--help` included."""
        return _plain(super().get_params(ctx))
