"""A small language client: JSON-RPC over the pipes of a server process, every wait with a deadline."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Self

from tests.support.repository import ROOT

DEADLINE_S = 60.0


class LanguageClient:
    """Starts one server and speaks with it; stops it when it is left."""

    def __init__(self, *command: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self._messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self._notes: list[dict[str, Any]] = []
        self._count = 0
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self.complaints: list[bytes] = []
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(DEADLINE_S)
        self._reader.join(DEADLINE_S)
        self._listener.join(DEADLINE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue

    def _listen(self) -> None:
        assert self.process.stderr is not None
        self.complaints.extend(self.process.stderr)

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            length = 0
            for line in iter(stream.readline, b""):
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
                if not line.strip():
                    break
            body = stream.read(length) if length else b""
            if not body:
                self._messages.put(None)
                return
            self._messages.put(json.loads(body))

    def send(self, message: dict[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: dict[str, Any] | None = None) -> None:
        self.send({"method": method, "params": params or {}})

    def answer(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the whole answer to a request, result or error; the server's own requests are granted."""
        self._count += 1
        self.send({"id": self._count, "method": method, "params": params if params is not None else {}})
        while True:
            message = self._next()
            if message.get("id") == self._count and "method" not in message:
                return message

    def ask(self, method: str, params: dict[str, Any] | None = None) -> Any:
        answer = self.answer(method, params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def _next(self) -> dict[str, Any]:
        message = self._messages.get(timeout=DEADLINE_S)
        assert message is not None, b"".join(self.complaints).decode()
        if "method" in message:
            self._notes.append(message)
            if "id" in message:
                self.send({"id": message["id"], "result": None})
        return message

    def note(self, method: str, **wanted: Any) -> dict[str, Any]:
        """Return the parameters of the next notification or request of the server with these parameters."""
        while True:
            for index, message in enumerate(self._notes):
                params = message.get("params") or {}
                if message["method"] == method and all(params.get(key) == value for key, value in wanted.items()):
                    del self._notes[index]
                    return params
            self._next()

    def start(self, *folders: Path, **capabilities: Any) -> dict[str, Any]:
        """Open the session; return what the server can do."""
        result = self.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": None,
                "capabilities": capabilities,
                "workspaceFolders": [{"uri": one.as_uri(), "name": one.name} for one in folders],
            },
        )
        self.notify("initialized")
        return result["capabilities"]

    def stop(self) -> int:
        """Close the session; return the exit code of the server."""
        self.ask("shutdown")
        self.notify("exit")
        return self.process.wait(DEADLINE_S)
