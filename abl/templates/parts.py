"""What a template consists of once it is read. Spec: abl-language 6.8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from abl.expressions.tree import Node


@dataclass(frozen=True, slots=True)
class Plain:
    """Text that is rendered as it stands."""

    text: str


@dataclass(frozen=True, slots=True)
class Value:
    """`{{ expression }}`."""

    node: Node


@dataclass(frozen=True, slots=True)
class Each:
    """`{{#each items}} body {{/each}}`."""

    items: Node
    body: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """`{{#if test}} then {{else}} otherwise {{/if}}`."""

    test: Node
    then: tuple[Part, ...]
    otherwise: tuple[Part, ...]


Part: TypeAlias = Plain | Value | Each | Choice
