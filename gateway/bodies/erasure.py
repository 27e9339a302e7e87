"""Bodies of erasing."""

from __future__ import annotations

from typing import Literal

from gateway.bodies.texts import Id, RequestBody
from gateway.envelope import Success


class EraseBody(RequestBody):
    """`confirm` is the tenant's id: nobody erases one by accident."""

    confirm: Id


class ErasedReply(Success):
    """How much there was."""

    deleted: Literal[True] = True
    sessions: int
    rows: int
