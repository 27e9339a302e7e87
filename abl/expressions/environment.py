"""What an expression may see of the world: its variables, and what the caller hands in for time, ids and zones.

Expressions themselves read no clock and draw no random numbers. Spec: abl-language 6.6, 6.7.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import tzinfo
from typing import Any, TypeAlias

JsonValue: TypeAlias = Any
"""A plain value: None, bool, int, float, str, or lists and mappings of these."""

Variables: TypeAlias = Mapping[str, JsonValue]


@dataclass(slots=True)
class Environment:
    """The surroundings of one evaluation.

    Attributes:
        variables: Values by root name (`claim_amount`, `user`, `session` ...).
        now: The moment as ISO 8601 text; without it NOW(), TODAY() and `ago` give null.
        unique_id: Gives an id of so many characters; without it UNIQUE_ID() gives null.
        zone: Gives the time zone of an IANA name; without it only UTC and offsets such as `+02:00` are known.
        match: The groups of the last MATCHES that matched, written by the evaluation, None before.
    """

    variables: Variables = field(default_factory=dict)
    now: str | None = None
    unique_id: Callable[[int], str] | None = None
    zone: Callable[[str], tzinfo | None] | None = None
    match: Mapping[str, str | None] | None = None
