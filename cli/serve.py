"""`abl serve`: the whole product in one command; prints a line to paste, serves, and drains when it is told to end."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import msgspec
import uvicorn
import uvloop

from actors.clocks import RandomIds, SystemClock
from actors.compiling import findings
from actors.hosts.serving import spare_the_collector
from actors.installation import instance_rates, token_secrets
from actors.production import check_production, is_production
from actors.projects import Seeded, put_project, separated
from actors.runtime import Runtime
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from cli import demo
from cli.first_start import Keys, first_keys, greeting
from cli.output import refuse
from cli.projects import project_texts
from cli.serving import BACKLOG, GRACE_S, access_services, server_config
from cli.variables import told_unset
from domain.errors import AppError
from gateway.app import build_app, drain, operations_app
from gateway.settings import FirstPage, GatewaySettings
from storage.repositories.variables import Variables

ERRORS = "errors in the project: {} (abl check {} shows them); a turn that comes there fails"
RAY = "ray"
T = TypeVar("T")
STARTING_RAY = "starting Ray (5 to 15 s); --runtime local starts in 2"


class _Server(uvicorn.Server):
    """Leaves signals to us: a drain comes before the end."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Capture none."""
        yield


@dataclass(frozen=True, slots=True)
class Offer:
    """What is served: a project in the store, what its turns run on, a message to try it with, what may go wrong."""

    seeded: Seeded
    runtime: Runtime
    message: str = "Hello"
    doubts: str = ""


Bring = Callable[[AsyncExitStack, RunningRuntime], Coroutine[object, object, Offer]]
"""Puts what is to be served into the store; what it opens is closed with the stack."""


def serve(project: str | None, settings: Settings, config: Mapping[str, str]) -> int:
    """Serve a project until a signal; return the exit status."""
    name, files, message = _project(project)

    async def bring(_stack: AsyncExitStack, running: RunningRuntime) -> Offer:
        seeded = await put_project(running.database, name, files, config=config)
        variables = Variables(running.database)
        known = await variables.config(seeded.tenant_id, seeded.project_id)
        of_project = await variables.list(seeded.tenant_id, seeded.project_id, kind="env")
        unset = told_unset(files, {*settings.environment, *(one.key for one in of_project)})
        errors = sum(one.is_error for one in findings(separated(files)[1], config=known))
        seeded = msgspec.structs.replace(seeded, told=(*seeded.told, *unset))
        return Offer(seeded, running.runtime, message, ERRORS.format(errors, project) if errors else "")

    return serve_brought(bring, settings)


def serve_brought(bring: Bring, settings: Settings) -> int:
    """Serve what `bring` puts into the store until a signal; return the exit status."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        check_production(settings)
        listener = _listen(settings.host, settings.port)
        watched = _listen(settings.host, settings.metrics_port) if settings.metrics_port else None
        settings = msgspec.structs.replace(
            settings, port=listener.getsockname()[1], is_server=True
        )  # `--port 0` takes a free one
        if settings.runtime == RAY:
            told = f"connecting to Ray at {settings.ray_address}" if settings.ray_address else STARTING_RAY
            print(told, flush=True)
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(_serve(settings, bring, listener, watched))
    except AppError as error:
        refuse(error.message)
    return 0


async def _serve(settings: Settings, bring: Bring, listener: socket.socket, watched: socket.socket | None) -> None:
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    _hear_signals(over)
    async with AsyncExitStack() as stack:
        running = await _opened(stack, settings, over)
        if running is None:
            _leave()
        _hear_signals(over)  # Ray has put handlers of its own in their place
        offer = await _unless(over, bring(stack, running))
        if offer is None:
            return
        seeded = offer.seeded
        keys = await first_keys(running, seeded.project_id)
        clock, ids = SystemClock(), RandomIds()
        secret, *older = token_secrets(settings)
        gateway = GatewaySettings(
            token_secret=secret,
            older_secrets=tuple(older),
            public_url=settings.public_url,
            rates=instance_rates(settings),
            show_docs=not is_production(settings),
            first_page=_first_page(settings, seeded, keys),
            show_metrics=watched is None,
        )
        app = build_app(offer.runtime, access_services(running, clock, ids), gateway)
        server = _Server(server_config(app, trusted_proxies=settings.trusted_proxies))
        if watched is not None:
            stack.push_async_callback(await _watchable(operations_app(app), watched))
        spare_the_collector()
        serving = loop.create_task(server.serve(sockets=[listener]))
        told = greeting(running.settings, seeded, keys, offer.message, database_url=settings.database_url)
        print(told, flush=True)
        for line in seeded.told:
            print(line, flush=True)
        if offer.doubts:
            print(offer.doubts, flush=True)
        if running.embedded is not None:
            following = loop.create_task(running.embedded.follow(lambda told: print(told, flush=True)))
            stack.callback(following.cancel)
        ending = loop.create_task(over.wait())
        await asyncio.wait([serving, ending], return_when=asyncio.FIRST_COMPLETED)
        ending.cancel()
        asked = loop.time()
        await drain(app, GRACE_S)
        server.config.timeout_graceful_shutdown = max(1, GRACE_S - int(loop.time() - asked))
        server.should_exit = True
        await serving
        await running.runtime.drain()


def _first_page(settings: Settings, seeded: Seeded, keys: Keys) -> FirstPage | None:
    """Return what the page at `/` shows; in production there is none."""
    if is_production(settings):
        return None
    return FirstPage(seeded.tenant_id, seeded.project_id, seeded.name, keys.public)


async def _opened(stack: AsyncExitStack, settings: Settings, over: asyncio.Event) -> RunningRuntime | None:
    """Return the runtime, to be closed with the stack; None when the end was asked for while it was starting."""
    return await _unless(over, stack.enter_async_context(open_runtime(settings)))


async def _unless(over: asyncio.Event, work: Coroutine[object, object, T]) -> T | None:
    """Return what some work brings; None when the end was asked for while it was under way."""
    loop = asyncio.get_running_loop()
    working = loop.create_task(work)
    ending = loop.create_task(over.wait())
    await asyncio.wait([working, ending], return_when=asyncio.FIRST_COMPLETED)
    ending.cancel()
    if not working.done():
        working.cancel()
        await asyncio.wait([working])
    return None if working.cancelled() else working.result()


def _leave() -> NoReturn:
    """End the process as it stands: everything is closed, but a thread may still wait for a Ray that was ended."""
    sys.stdout.flush()
    os._exit(0)


def _hear_signals(over: asyncio.Event) -> None:
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.remove_signal_handler(number)
        loop.add_signal_handler(number, over.set)


async def _watchable(app: Any, listener: socket.socket) -> Callable[[], Awaitable[None]]:
    """Serve health and metrics on a port of their own; return what ends it."""
    server = _Server(server_config(app))
    serving = asyncio.get_running_loop().create_task(server.serve(sockets=[listener]))

    async def end() -> None:
        server.should_exit = True
        await serving

    return end


def _listen(host: str, port: int) -> socket.socket:
    try:
        listener = socket.create_server((host, port), backlog=BACKLOG, reuse_port=False)
    except OverflowError:
        refuse(f"{port} is no port; choose a --port from 1 to 65535, or 0 for any that is free")
    except OSError as error:
        refuse(f"cannot listen on {host}:{port}: {error.strerror}; choose another --port")
    listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # an answer of two writes would wait 40 ms else
    return listener


def _project(folder: str | None) -> tuple[str, dict[str, str], str]:
    """Return name, texts and a first message of the project to serve."""
    if folder is None:
        return demo.NAME, demo.FILES, demo.FIRST_MESSAGE
    root = Path(folder)
    files = project_texts(root)
    if not files:
        refuse(f"{folder}: no ABL files in this folder")
    return root.resolve().name, files, "Hello"
