"""What a process that carries a host is told, and what it says once it serves."""

from __future__ import annotations

from msgspec import Struct

from actors.settings import Settings


class Task(Struct, frozen=True, kw_only=True):
    """A host to be.

    Attributes:
        address: Where it listens, as `actors.link.addresses` writes it.
        tcp_host: Address of this machine on which other machines reach it too; empty for none.
        token: What a caller has to know.
        ends_after_s: How long it lives without a gateway; 0 where it cannot outlive the one that starts it.
    """

    host_id: str
    address: str
    token: str
    settings: Settings
    tcp_host: str = ""
    ends_after_s: float = 0.0


class Ready(Struct, frozen=True, kw_only=True):
    """A host that serves.

    Attributes:
        epoch: Of its lease when it began.
        machine: Where the pid holds.
        node: The Ray node it is on; empty without Ray.
    """

    host_id: str
    pid: int
    epoch: int
    machine: str = ""
    node: str = ""
