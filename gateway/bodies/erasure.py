"""Bodies of erasing."""

from __future__ import annotations

from gateway.bodies.texts import Id, RequestBody
from gateway.envelope import DeletedReply


class EraseBody(RequestBody):
    """`confirm` is the tenant's id: nobody erases one by accident."""

    confirm: Id


class ErasedReply(DeletedReply):
    """How much there was."""

    sessions: int
    rows: int
