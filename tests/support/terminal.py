"""A program at a terminal of its own, as somebody sits at it: what it prints is waited for, keys are pressed."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.support.repository import ROOT

ABL = str(Path(sys.executable).with_name("abl"))
PATIENCE_S = 60.0
CTRL_C = b"\x03"
CTRL_D = b"\x04"
PIECE_BYTES = 65_536
INTERRUPTS = 3
MISSED_S = 10.0
"""When a Ctrl-C without an answer is taken to have been missed."""
OWN_TERMINAL = (
    "import fcntl, os, signal, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.SIG_DFL); os.execv(sys.argv[1], sys.argv[1:])"
)
"""Makes the terminal that of the program, so that Ctrl-C reaches it as a signal; a shell that runs the tests in the
background has it ignored by all of its children."""
UNSET = ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "DATABASE_URL", "REDIS_URL")


class Terminal:
    """The terminal of one running program."""

    def __init__(self, words: tuple[str, ...], environment: Mapping[str, str]) -> None:
        self._keys, its_side = pty.openpty()
        self._program = subprocess.Popen(
            [sys.executable, "-c", OWN_TERMINAL, ABL, *words],
            cwd=ROOT,
            stdin=its_side,
            stdout=its_side,
            stderr=its_side,
            env=without_models(environment),
            start_new_session=True,
        )
        os.close(its_side)
        self._unread = ""
        self.screen = ""

    def wait_for(self, text: str) -> str:
        """Return what was printed up to and with a text."""
        give_up = time.monotonic() + PATIENCE_S
        while text not in self._unread:
            assert time.monotonic() < give_up, f"{text!r} never came:\n{self.screen}"
            if select.select([self._keys], [], [], 1.0)[0]:
                piece = self._read()
                assert piece, f"the program ended before {text!r}:\n{self.screen}"
        place = self._unread.index(text) + len(text)
        seen, self._unread = self._unread[:place], self._unread[place:]
        return seen

    def press(self, keys: bytes) -> None:
        """Press some keys."""
        os.write(self._keys, keys)

    def interrupt(self, text: str) -> None:
        """Press Ctrl-C at a prompt until the answer comes: Python's line editor misses one that comes with the prompt."""
        for _ in range(INTERRUPTS):
            self.press(CTRL_C)
            give_up = time.monotonic() + MISSED_S
            while text not in self._unread and time.monotonic() < give_up:
                if select.select([self._keys], [], [], 0.1)[0]:
                    self._read()
            if text in self._unread:
                break
        self.wait_for(text)

    def type(self, line: str) -> None:
        """Type a line."""
        self.press(f"{line}\n".encode())
        self.wait_for(f"{line}\r\n")

    def status(self) -> int:
        """Return the exit status, once the program has ended."""
        give_up = time.monotonic() + PATIENCE_S
        while (status := self._program.poll()) is None:
            assert time.monotonic() < give_up, f"it does not end:\n{self.screen}"
            if select.select([self._keys], [], [], 0.1)[0]:
                self._read()
        return status

    def close(self) -> None:
        """End the program if it still runs."""
        if self._program.poll() is None:
            self._program.send_signal(signal.SIGTERM)
            self._program.wait(PATIENCE_S)
        os.close(self._keys)

    def _read(self) -> str:
        try:
            piece = os.read(self._keys, PIECE_BYTES).decode(errors="replace")
        except OSError:  # Linux says so when the other side is closed
            piece = ""
        self._unread += piece
        self.screen += piece
        return piece


@contextmanager
def at_a_terminal(*words: str, **environment: str) -> Iterator[Terminal]:
    """Yield `abl` with these words at a terminal of its own."""
    terminal = Terminal(words, environment)
    try:
        yield terminal
    finally:
        terminal.close()


def piped(text: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Return what `abl` with these words makes of a text on its standard input."""
    return subprocess.run(
        [ABL, *words],
        cwd=ROOT,
        input=text,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
        env=without_models(environment),
    )


def without_models(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program that knows no model but those it is told of."""
    inherited = {name: value for name, value in os.environ.items() if name not in UNSET and not name.startswith("ABL_")}
    return {**inherited, "ABL_EMBEDDED_MODEL": "off", "NO_COLOR": "1", "TERM": "xterm", **environment}
