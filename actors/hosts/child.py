"""The program of a host process: `python -P -m actors.hosts.child`, told on standard input what to be."""

from __future__ import annotations

import asyncio
import logging
import signal
import sys

import msgspec
import uvloop

from actors.hosts.process import LINE_LIMIT_BYTES
from actors.hosts.serving import ORPHAN_DRAIN_S, Ending, serve_host
from actors.hosts.task import Ready, Task
from domain.errors import AppError

log = logging.getLogger(__name__)


async def serve_sessions() -> None:
    """Serve until the process is told to end or standard input is closed, which is when its parent has died."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LINE_LIMIT_BYTES)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    task = msgspec.json.decode(await reader.readline(), type=Task)
    ending = Ending()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, ending.ask)
    parent = loop.create_task(reader.read())
    parent.add_done_callback(lambda _read: ending.ask(ORPHAN_DRAIN_S))
    await serve_host(task, ending, _say)
    parent.cancel()


def _say(ready: Ready) -> None:
    sys.stdout.write(msgspec.json.encode(ready).decode() + "\n")
    sys.stdout.flush()


def main() -> int:
    """Run the host; return the exit status. What keeps it from starting is one line, not a trace."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve_sessions())
    except AppError as error:
        log.warning("the session host ends: %s", error.message)
        return 1
    except BrokenPipeError:
        return 1  # the parent has gone while this host was starting
    return 0


if __name__ == "__main__":
    sys.exit(main())
