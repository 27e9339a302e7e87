"""Where a host listens, as text in its lease: `unix:/path` on the same machine, `tcp:host:port` from any other.

A host may have both. The lease then holds the TCP form as its address and the Unix form, with the name of the machine
it is on, as a label; whoever connects takes the socket when it is on that machine.
"""

from __future__ import annotations

import hashlib
import os
import socket
import tempfile
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from msgspec import Struct

from domain.errors import InvalidInput
from domain.json_values import JsonObject

UNIX = "unix"
TCP = "tcp"
MAX_SOCKET_PATH_CHARS = 100
"""The system allows 107 on Linux and 103 on macOS."""
MAX_PORT = 65_535
NONCE_BYTES = 4
NAME_CHARS = 12
PRIVATE = 0o700
SHORT_PREFIX = "abl-link-"
"""Of folders for the sockets of installations that are too deep in the file system."""
NAMESPACES = (Path("/proc/self/ns/pid"), Path("/proc/self/ns/mnt"))
BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
UNIX_LABEL, MACHINE_LABEL = "unix", "machine"


class UnixAddress(Struct, frozen=True):
    """A socket file."""

    path: str

    def __str__(self) -> str:
        return f"{UNIX}:{self.path}"


class TcpAddress(Struct, frozen=True):
    """A port of a machine; port 0 takes any free one when listening."""

    host: str
    port: int

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{TCP}:{host}:{self.port}"


Address = UnixAddress | TcpAddress


def parse_address(text: str) -> Address:
    """Return the address that a text names.

    >>> parse_address("unix:/run/abl/host-0.sock")
    UnixAddress(path='/run/abl/host-0.sock')
    >>> parse_address("tcp:[::1]:4000")
    TcpAddress(host='::1', port=4000)

    Raises:
        InvalidInput: It has neither form.
    """
    kind, _, rest = text.partition(":")
    if kind == UNIX and rest.startswith("/"):
        return UnixAddress(rest)
    host, _, port = rest.rpartition(":")
    host = host.removeprefix("[").removesuffix("]")
    if kind == TCP and host and port.isascii() and port.isdigit() and int(port) <= MAX_PORT:
        return TcpAddress(host, int(port))
    raise InvalidInput(f"{text!r} is no address of a host: unix:/path or tcp:host:port")


def machine_name() -> str:
    """Return what tells this machine from others: two processes with the same answer can share a socket file.

    It changes with every start of the machine. Containers differ, those of one pod too, which have the same name:
    neither files nor process ids of one hold in the other.
    """
    boot = BOOT_ID.read_text(encoding="ascii").strip() if BOOT_ID.exists() else ""
    spaces = "".join(f"/{one.readlink()}" for one in NAMESPACES if one.exists())
    return f"{socket.gethostname()}/{boot}{spaces}"


def reachable(address: str, labels: JsonObject, machine: str) -> str:
    """Return the address of a lease as somebody on `machine` should use it."""
    own = labels.get(UNIX_LABEL)
    return str(own) if own and labels.get(MACHINE_LABEL) == machine else address


def labels_of(addresses: list[Address]) -> JsonObject:
    """Return the labels of a lease whose host listens on all of these; empty when there is only one."""
    own = next((one for one in addresses if isinstance(one, UnixAddress)), None)
    if own is None or len(addresses) < 2:
        return {}
    return {UNIX_LABEL: str(own), MACHINE_LABEL: machine_name()}


def socket_address(folder: Path, host_id: str) -> UnixAddress:
    """Return a place for a socket that no other start of this host uses, short enough for the system.

    Raises:
        InvalidInput: Somebody else made the folder, and would see who connects.
    """
    name = f"{host_id}-{token_hex(NONCE_BYTES)}.sock"
    if len(str(folder / name)) > MAX_SOCKET_PATH_CHARS:
        folder = (
            Path(tempfile.gettempdir())
            / f"{SHORT_PREFIX}{hashlib.sha256(str(folder).encode()).hexdigest()[:NAME_CHARS]}"
        )
    folder.mkdir(mode=PRIVATE, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise InvalidInput(f"{folder} belongs to another user; sockets are not made there")
    return UnixAddress(str(folder / name))


def remove_socket(address: UnixAddress) -> None:
    """Remove a socket file, and the short folder made for it when it was the last one there."""
    place = Path(address.path)
    place.unlink(missing_ok=True)
    if place.parent.name.startswith(SHORT_PREFIX):
        with suppress(OSError):  # another host still has a socket there, or has just removed the folder
            place.parent.rmdir()
