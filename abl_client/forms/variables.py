"""The forms of the API about variables. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class VariableBody(TypedDict):
    """A variable to write; one of the kind `config` has no environment and is never secret."""

    kind: Literal["env", "config"]
    key: str
    value: str
    environment: NotRequired[Literal["base", "dev", "staging", "production"]]
    secret: NotRequired[bool | None]
    description: NotRequired[str | None]


class VariableItem(TypedDict):
    """A variable; the value of a secret one is never shown."""

    id: str
    kind: Literal["env", "config"]
    key: str
    environment: Literal["base", "dev", "staging", "production"]
    value: str | None
    secret: bool
    description: str | None
    updatedAt: str


class VariableListReply(TypedDict):
    """The variables of a project by kind and key."""

    success: NotRequired[Literal[True]]
    variables: list[VariableItem]


class VariableReply(TypedDict):
    """One variable."""

    success: NotRequired[Literal[True]]
    variable: VariableItem
