"""What can go wrong in the store and means something to whoever asked."""

from __future__ import annotations

from datetime import datetime
from typing import Final

from domain.errors import Conflict, NotFound, Unavailable
from domain.json_values import JsonObject

CHANGED_MEANWHILE: Final[JsonObject] = {"reason": "CHANGED_MEANWHILE"}
"""Details of the conflict with a change of the same row at the same time."""


class StaleEpoch(Conflict):
    """The session or the host's lease belongs to somebody else now; nothing was written."""


class SequenceConflict(Conflict):
    """The journal does not end where the writer thought; nothing was written.

    Attributes:
        last_seq: Where it does end.
    """

    def __init__(self, message: str, *, last_seq: int) -> None:
        super().__init__(message)
        self.last_seq = last_seq


class TurnRepeated(Conflict):
    """A turn was ended under this idempotency key before; nothing was written. Its reply is in the turns."""


class OwnedElsewhere(Conflict):
    """A live host owns the session.

    Attributes:
        host_id, address: That host; empty when it has just gone.
    """

    def __init__(self, message: str, *, host_id: str, address: str) -> None:
        super().__init__(message)
        self.host_id = host_id
        self.address = address


class Duplicate(Conflict):
    """A row with this key is there already.

    Attributes:
        constraint: The name of the rule in the schema.
    """

    def __init__(self, message: str, *, constraint: str) -> None:
        super().__init__(message)
        self.constraint = constraint


class Orphaned(NotFound):
    """What a row belongs to was deleted meanwhile; nothing was written.

    Attributes:
        constraint: The name of the rule in the schema.
    """

    def __init__(self, message: str, *, constraint: str) -> None:
        super().__init__(message)
        self.constraint = constraint


class ConnectionLost(Unavailable):
    """The database did not answer; whether the last statement has taken effect is not known."""

    may_have_taken_effect = True


class NotConnected(ConnectionLost):
    """There was no connection to send anything through; nothing has taken effect."""

    may_have_taken_effect = False


class DiskFull(Unavailable):
    """The disk of the database is full."""


class NoPlace(Unavailable):
    """The week of a row has no partition; nothing was written.

    Attributes:
        moment: The row's, None when the database did not say it.
    """

    def __init__(self, message: str, *, moment: datetime | None) -> None:
        super().__init__(message)
        self.moment = moment


class Closing(Unavailable):
    """This process closes its connections, because it ends; nothing has taken effect, and another process may do it."""


class MigrationRefused(Unavailable):
    """The database was made by another version than this one."""


class KeyReplaced(Unavailable):
    """The key of a tenant that something was sealed with does not stand any more; nothing was written."""

    def __init__(self) -> None:
        super().__init__("The key of the tenant was replaced; try again.")
