"""MCP servers as programs of their own: over their standard streams, and over HTTP on loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from domain.tool_calls import ToolCall
from providers.ports import ToolInvocation
from tests.support.repository import ROOT

PROGRAM = str(ROOT / "tests" / "support" / "mcp_program.py")
START_S = 60.0


@dataclass
class HttpServer:
    """A server program on a port, which tests end and start again."""

    ledger: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/mcp"

    def start(self) -> None:
        """Start it, after the one before has ended, and wait until it listens."""
        self.stop()
        command = [sys.executable, PROGRAM, str(self.ledger), "http", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        give_up_s = time.monotonic() + START_S
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
            except OSError:
                assert time.monotonic() < give_up_s
                assert self.process.poll() is None, "the server has ended"
                continue
            return

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def lines(self) -> list[str]:
        """Return the calls that have arrived."""
        return self.ledger.read_text("utf-8").splitlines() if self.ledger.exists() else []


def invocation(
    tool: str, arguments: dict[str, Any] | None = None, server: str = "guide", **more: Any
) -> ToolInvocation:
    binding = {"server": server, "tool": tool, "headers": more.pop("headers", {})}
    given = {"scope": "t/p/dev", "idempotency_key": "e1", **more}
    return ToolInvocation(ToolCall("c", tool, arguments or {}), "mcp", binding, **given)
