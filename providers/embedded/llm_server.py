"""Keeps the process of the local model running: started when its file is there, again with growing pauses when it dies.

Its port is held by us for as long as we live, so it stays the same from one start to the next and nobody else can get
it; its key exists in memory only. The process ends with us, however we end.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from time import monotonic
from typing import Final

from providers.embedded import llm_worker

ENGINE: Final = "xllamacpp"
HOST: Final = "127.0.0.1"
SLOTS: Final = 2
CONTEXT_TOKENS: Final = 4_096
"""Of each slot: 50 MB of memory with the 0.5B model, and far more than a prompt of ours."""
CACHE_MIB: Final = 256
MAX_THREADS: Final = 8
KEY_BYTES: Final = 24
START_DEADLINE_S: Final = 180.0
END_DEADLINE_S: Final = 5.0
LOOK_S: Final = 0.5
RESTART_DELAY_S: Final = 0.5
RESTART_DELAY_MAX_S: Final = 30.0
STEADY_S: Final = 60.0
"""A process that ran for so long had started well: the pauses begin anew."""
LOG_MAX_BYTES: Final = 1_000_000
LOG_NAME: Final = "embedded-model.log"
_SCRIPT: Final = Path(llm_worker.__file__).resolve()
_log = logging.getLogger(__name__)

FindModel = Callable[[], Path | None]
"""Where the model file is; None while it is not there."""


@dataclass(frozen=True, slots=True)
class Serving:
    """How the model is served.

    Attributes:
        name: What it is called in requests and replies.
        command: What is run; it reads its wishes from standard input.
    """

    name: str
    folder: Path
    threads: int = 0
    slots: int = SLOTS
    context_tokens: int = CONTEXT_TOKENS
    command: tuple[str, ...] = (sys.executable, "-P", str(_SCRIPT))


def has_engine() -> bool:
    """Return whether the library that runs the model is installed."""
    return find_spec(ENGINE) is not None


def default_threads() -> int:
    """Return how many threads compute: one core is left to everything else.

    More threads than free cores are far slower than fewer: each waits for all others at every layer.
    """
    return max(1, min((os.cpu_count() or 1) - 1, MAX_THREADS))


async def pause(delay_s: float) -> None:
    """Wait before the next start."""
    await asyncio.sleep(delay_s)


class LlmServer:
    """One local model process."""

    def __init__(self, serving: Serving, find_model: FindModel) -> None:
        self._serving = serving
        self._find_model = find_model
        self._held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        self._held.bind((HOST, 0))
        self._keeper: asyncio.Task[None] | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._ready = asyncio.Event()
        self.key = secrets.token_urlsafe(KEY_BYTES)
        self.restarts = 0

    @property
    def url(self) -> str:
        """The base address of its OpenAI-compatible endpoint."""
        return f"http://{HOST}:{self._held.getsockname()[1]}/v1"

    @property
    def pid(self) -> int | None:
        """The pid of the running process, None while there is none."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    def start(self) -> None:
        """Begin to keep it running; returns at once."""
        self._keeper = asyncio.create_task(self._keep(), name="embedded model")

    @property
    def is_ready(self) -> bool:
        """Whether the model takes requests."""
        return self._ready.is_set()

    async def ready(self) -> None:
        """Return once the model takes requests."""
        await self._ready.wait()

    async def stop(self) -> None:
        """End the process and give the port back."""
        keeper, self._keeper = self._keeper, None
        if keeper is not None:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
        self._held.close()

    async def _keep(self) -> None:
        delay_s = RESTART_DELAY_S
        while True:
            model = await self._model_file()
            began_s = monotonic()
            try:
                await self._run(model)
            except (OSError, TimeoutError, ValueError) as error:
                _log.warning("the embedded model does not start: %s", str(error) or type(error).__name__)
            if monotonic() - began_s > STEADY_S:
                delay_s = RESTART_DELAY_S
            self.restarts += 1
            _log.warning("the embedded model has ended and is started again in %g s (%s)", delay_s, self._log_file())
            await pause(delay_s)
            delay_s = min(delay_s * 2, RESTART_DELAY_MAX_S)

    async def _model_file(self) -> Path:
        while True:
            found = self._find_model()
            if found is not None:
                return found
            await asyncio.sleep(LOOK_S)

    async def _run(self, model: Path) -> None:
        """Start the process and return when it has ended; it ends with this task."""
        with self._log_file().open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *self._serving.command,
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                start_new_session=True,  # a Ctrl-C in the terminal is for us alone
            )
        self._process = process
        try:
            await self._tell(process, model)
            self._ready.set()
            await process.wait()
        finally:
            self._ready.clear()
            await _end(process)

    async def _tell(self, process: asyncio.subprocess.Process, model: Path) -> None:
        """Tell the process what to serve and wait until it does.

        Raises:
            ValueError: It has ended instead.
        """
        if process.stdin is None or process.stdout is None:
            raise ValueError("its standard streams are missing")
        serving = self._serving
        wanted = {
            "model": str(model),
            "name": serving.name,
            "host": HOST,
            "port": self._held.getsockname()[1],
            "key": self.key,
            "threads": serving.threads or default_threads(),
            "slots": serving.slots,
            "context_tokens": serving.context_tokens,
            "cache_mib": CACHE_MIB,
        }
        process.stdin.write(json.dumps(wanted).encode() + b"\n")
        async with asyncio.timeout(START_DEADLINE_S):
            await process.stdin.drain()
            while line := await process.stdout.readline():
                if line.startswith(b'{"ready"'):
                    return
        raise ValueError(f"it ended while it was starting, see {self._log_file()}")

    def _log_file(self) -> Path:
        self._serving.folder.mkdir(parents=True, exist_ok=True)
        path = self._serving.folder / LOG_NAME
        if path.exists() and path.stat().st_size > LOG_MAX_BYTES:
            path.unlink()
        return path


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let the process end by closing its input; kill it when it takes too long."""
    if process.returncode is not None:
        return
    if process.stdin is not None:
        process.stdin.close()
    try:
        async with asyncio.timeout(END_DEADLINE_S):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
