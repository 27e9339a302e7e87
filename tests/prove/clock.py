"""Clocks of the product's processes that the kill test can set. Decision: 0048.

That of the database is not among them. Its server asks the C library, so a process of its own time needs a library that is
loaded before that one and compiled here, or the right to set the machine's clock, which is everybody's. Functions of the
same names put before the server's own would leap for the statements and not for the defaults of columns: a clock that no
database has. What a leap of it does is held by `tests/flows/test_clocks.py`, and said in decision 0066.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path

FOLDER = Path(__file__).with_name("leaping")
RIGHT = (0.0, 0.0)
DAY_S = 86_400.0
LEAPS = (
    (400 * DAY_S, 400 * DAY_S),
    (-3_600.0, 0.0),
    (0.0, 400 * DAY_S),
    (2 * DAY_S, -2 * DAY_S),
    (400 * DAY_S, 0.0),
    (-400 * DAY_S, -400 * DAY_S),
    (0.0, 90.0),
)
"""By how many seconds the gateway's and the hosts' clocks are wrong, one after the other."""


class Clocks:
    """The clocks of the gateway and of its hosts; `variables` go into the environment of the first."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._file.write_bytes(struct.pack("dd", *RIGHT))
        self._leaps = 0
        self.are_wrong = False
        path = os.pathsep.join([str(FOLDER), *filter(None, [os.environ.get("PYTHONPATH")])])
        self.variables = {"PYTHONPATH": path, "ABL_PROVE_CLOCK": str(file)}

    def leap(self) -> str:
        """Set them wrong; return how."""
        wrong = LEAPS[self._leaps % len(LEAPS)]
        self._leaps += 1
        self._set(wrong)
        return f"gateway {wrong[0]:+.0f} s, hosts {wrong[1]:+.0f} s"

    def set_right(self) -> None:
        """Set them right again."""
        self._set(RIGHT)

    def _set(self, ahead_s: tuple[float, float]) -> None:
        self.are_wrong = ahead_s != RIGHT
        with self._file.open("r+b") as file:  # in its place: the processes have it mapped
            file.write(struct.pack("dd", *ahead_s))
