"""The program of a host process: `python -P -m actors.hosts.child`, told on standard input what to be."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from pathlib import Path

import msgspec

from actors.hosts.process import LINE_LIMIT_BYTES, Ready, Task
from actors.link.server import LinkServer
from actors.wiring import open_host
from domain.errors import AppError

log = logging.getLogger(__name__)


async def serve_sessions() -> None:
    """Serve until standard input is closed or the process is told to end, then drain."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    task = msgspec.json.decode(await reader.readline(), type=Task)
    over = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, over.set)
    async with open_host(task.settings, task.host_id, task.address) as running:
        server = LinkServer(running.host, Path(task.address), task.token)
        await server.start()
        epoch = await running.take_lease()
        sys.stdout.write(msgspec.json.encode(Ready(os.getpid(), epoch)).decode() + "\n")
        sys.stdout.flush()
        waiting = [loop.create_task(reader.read()), loop.create_task(over.wait())]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        for one in waiting:
            one.cancel()
        await running.host.drain()
        await server.stop()


def main() -> int:
    """Run the host; return the exit status. What keeps it from starting is one line, not a trace."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        asyncio.run(serve_sessions())
    except AppError as error:
        log.warning("the session host ends: %s", error.message)
        return 1
    except BrokenPipeError:
        return 1  # the parent has gone while this host was starting
    return 0


if __name__ == "__main__":
    sys.exit(main())
