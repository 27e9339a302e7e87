"""`abl serve`: the whole product in one command; prints a line to paste, serves, and drains when it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import signal
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec
import uvicorn
import uvloop

from abl.project import is_project_file
from actors.clocks import RandomIds, SystemClock
from actors.hosts.serving import spare_the_collector
from actors.projects import Seeded, is_key, make_key, make_public_key, put_project
from actors.settings import Settings
from actors.wiring import RunningRuntime, data_folder, open_runtime
from cli import demo
from cli.environment import settings_from
from cli.output import refuse
from cli.serving import BACKLOG, access_services, server_config
from domain.errors import AppError
from gateway.app import build_app, drain
from gateway.settings import GatewaySettings, RateSettings
from storage.database import Database

SECRET_FILE = "token_secret"
KEY_FILE = "first_api_key"
PUBLIC_KEY_FILE = "first_public_key_{}"
SECRET_BYTES = 48
PRIVATE = 0o600
RAY = "ray"
STARTING_RAY = "starting Ray (5 to 15 s); --runtime local starts in 2"
UNLIMITED = RateSettings(
    requests_per_second=0,
    requests_burst=0,
    session_messages_per_minute=0,
    concurrent_sessions=0,
    concurrent_voice_rooms=0,
    sdk_inits_per_minute=0,
    tickets_per_minute=0,
    tickets_per_tenant_minute=0,
)


@dataclass(frozen=True, slots=True)
class Keys:
    """What somebody needs who tries the product out: a key for programs, and one that a page may carry."""

    secret: str
    public: str


class _Server(uvicorn.Server):
    """Leaves signals to us: a drain comes before the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


def serve(
    project: str | None,
    *,
    runtime: str,
    hosts: int | None,
    address: str,
    host: str,
    port: int | None,
    data_dir: str,
) -> int:
    """Serve until a signal; return the exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        settings = settings_from(
            os.environ, runtime=runtime, hosts=hosts, address=address, host=host, port=port, data_dir=data_dir
        )
        listener = _listen(settings)
        settings = msgspec.structs.replace(settings, port=listener.getsockname()[1])  # `--port 0` takes a free one
        if settings.runtime == RAY:
            told = f"connecting to Ray at {settings.ray_address}" if settings.ray_address else STARTING_RAY
            print(told, flush=True)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, project, listener))
    except AppError as error:
        refuse(error.message)
    return 0


async def _serve(settings: Settings, project: str | None, listener: socket.socket) -> None:
    name, files, message = _project(project)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    _hear_signals(over)
    async with open_runtime(settings) as running:
        _hear_signals(over)  # Ray has put handlers of its own in their place
        if over.is_set():
            return  # told to end while it was starting
        seeded = await put_project(running.database, name, files)
        keys = await _keys(running, seeded.project_id)
        clock, ids = SystemClock(), RandomIds()
        gateway = GatewaySettings(
            token_secret=_secret(data_folder(settings)),
            public_url=settings.public_url,
            rates=RateSettings() if settings.rate_limits else UNLIMITED,
        )
        app = build_app(running.runtime, access_services(running, clock, ids), gateway)
        server = _Server(server_config(app))
        spare_the_collector()
        serving = loop.create_task(server.serve(sockets=[listener]))
        print(_greeting(settings, seeded, keys, message), flush=True)
        ending = loop.create_task(over.wait())
        await asyncio.wait([serving, ending], return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        await drain(app)
        server.should_exit = True
        await serving
        await running.runtime.drain()


def _hear_signals(over: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.remove_signal_handler(number)
        loop.add_signal_handler(number, over.set)


def _listen(settings: Settings) -> socket.socket:
    try:
        listener = socket.create_server((settings.host, settings.port), backlog=BACKLOG, reuse_port=False)
    except OverflowError:
        refuse(f"{settings.port} is no port; choose a --port from 1 to 65535, or 0 for any that is free")
    except OSError as error:
        refuse(f"cannot listen on {settings.host}:{settings.port}: {error.strerror}; choose another --port")
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # an answer of two writes would wait 40 ms else
    return listener


def _project(folder: str | None) -> tuple[str, dict[str, str], str]:
    """Return name, texts and a first message of the project to serve."""
    if folder is None:
        return demo.NAME, demo.FILES, demo.FIRST_MESSAGE
    root = Path(folder)
    files = {
        str(path.relative_to(root)): path.read_text(encoding="utf-8")
        for path in sorted(root.rglob("*"))
        if path.is_file() and is_project_file(path.name)
    }
    if not files:
        refuse(f"{folder}: no ABL files in this folder")
    return root.resolve().name, files, "Hello"


async def _keys(running: RunningRuntime, project_id: str) -> Keys:
    """Return the keys of the first start, made when there are none that still open something."""
    folder, database = data_folder(running.settings), running.database
    return Keys(
        secret=await _key(database, folder / KEY_FILE, lambda: make_key(database, RandomIds())),
        public=await _key(
            database,
            folder / PUBLIC_KEY_FILE.format(project_id),
            lambda: make_public_key(database, RandomIds(), project_id),
        ),
    )


async def _key(database: Database, place: Path, make: Callable[[], Awaitable[str]]) -> str:
    known = _read(place)
    if known and await is_key(database, known):
        return known
    made = await make()
    _keep(place, made)
    return made


def _secret(folder: Path) -> bytes:
    place = folder / SECRET_FILE
    known = _read(place)
    if not known:
        known = secrets.token_urlsafe(SECRET_BYTES)
        _keep(place, known)
    return known.encode()


def _read(place: Path) -> str:
    return place.read_text(encoding="ascii").strip() if place.exists() else ""


def _keep(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch(mode=PRIVATE, exist_ok=True)
    place.write_text(text + "\n", encoding="ascii")


def _greeting(settings: Settings, seeded: Seeded, keys: Keys, message: str) -> str:
    url, socket_url = (f"{scheme}://{settings.host}:{settings.port}" for scheme in ("http", "ws"))
    body = f'{{"projectId": "{seeded.project_id}", "message": "{message}"}}'
    count = settings.hosts or os.cpu_count() or 1
    hosts = f"{count} host{'s' if count != 1 else ''}" if settings.runtime != "local" else "in process"
    model = settings.default_model or "none configured (agents with FLOW and GATHER need none)"
    lines = [
        f"ABL Runtime serves {seeded.name} ({', '.join(seeded.agents)})",
        f"  url      {url}",
        f"  project  {seeded.project_id}",
        f"  api key  {keys.secret}",
        f"  page key {keys.public} (for pages on this machine: POST {url}/api/v1/sdk/init, then {socket_url}/ws/sdk)",
        f"  model    {model}",
        f"  runtime  {settings.runtime}, {hosts}; data in {data_folder(settings)}",
        "",
        "Try:",
        f"  curl -s {url}/api/v1/chat/agent -H 'X-API-Key: {keys.secret}' \\",
        f"    -H 'Content-Type: application/json' -d '{body}'",
    ]
    return "\n".join(lines)
