"""The forms of the API about erasure. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class EraseBody(TypedDict):
    """`confirm` is the tenant's id: nobody erases one by accident."""

    confirm: str


class ErasedReply(TypedDict):
    """How much there was."""

    success: NotRequired[Literal[True]]
    deleted: NotRequired[Literal[True]]
    sessions: int
    rows: int
