"""`abl mcp`: the agents of a running server for MCP clients that start programs and speak with their standard streams.

Each line that comes in is posted to the server's `/mcp`, and what it answers goes out as a line.
"""

from __future__ import annotations

import json
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from cli.output import refuse

MAX_AT_ONCE = 8
TURN_S = 130.0
"""Longer than a turn may take."""
UNREACHABLE = -32_000


class Bridge:
    """Carries messages between two streams and a server."""

    def __init__(self, url: str, key: str, out: TextIO) -> None:
        self._url = url
        self._headers = {
            "Authorization": f"Bearer {key}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
        }
        self._out = out
        self._writing = threading.Lock()

    def run(self, lines: TextIO) -> int:
        """Carry every line, several at once, until there are no more; return the exit status."""
        room = threading.BoundedSemaphore(MAX_AT_ONCE)
        with ThreadPoolExecutor(MAX_AT_ONCE) as pool:
            for line in lines:
                if line.strip():
                    room.acquire()
                    pool.submit(self._carry, line).add_done_callback(lambda _done: room.release())
        return 0

    def _carry(self, line: str) -> None:
        try:
            with urlopen(Request(self._url, line.encode(), self._headers), timeout=TURN_S) as answer:
                told = answer.read().decode()
        except HTTPError as error:
            told = error.read().decode(errors="replace")
            if '"jsonrpc"' not in told:
                told = _error(line, f"The server answered {error.code}: {told[:300]}")
        except (URLError, OSError) as error:
            told = _error(line, f"The server at {self._url} cannot be reached: {error}")
        if told:
            with self._writing:
                self._out.write(told + "\n")
                self._out.flush()


def _error(line: str, sentence: str) -> str:
    """Return the answer to a message that did not get through; nothing for a notification."""
    request_id: Any = None
    with suppress(ValueError, AttributeError):
        request_id = json.loads(line).get("id")
    if request_id is None:
        return ""
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": {"code": UNREACHABLE, "message": sentence}})


def mcp(url: str, key_file: str, project: str) -> int:
    """Serve the standard streams until they end; return the exit status."""
    try:
        key = Path(key_file).read_text(encoding="ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"{key_file}: no API key can be read from it: {error}")
    return Bridge(f"{url.rstrip('/')}/mcp/{project}".rstrip("/"), key, sys.stdout).run(sys.stdin)
