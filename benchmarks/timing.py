"""How the benchmarks take time: several subjects in turn, so that a busy moment of the machine hits all of them."""

from __future__ import annotations

import gc
import os
import subprocess
from collections.abc import Callable, Sequence
from math import inf
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import TypeVar

Work = Callable[[], object]
Piece = TypeVar("Piece")


def interleaved(subjects: Sequence[Work], rounds: int) -> list[float]:
    """Return the shortest processor time of each subject in seconds, out of `rounds` turns of all of them."""
    taken: list[list[float]] = [[] for _ in subjects]
    for _ in range(rounds):
        for times, work in zip(taken, subjects, strict=True):
            gc.collect()
            start = process_time()
            work()
            times.append(process_time() - start)
    return [min(times) for times in taken]


def piece_by_piece(subjects: Sequence[Callable[[Piece], object]], pieces: Sequence[Piece], rounds: int) -> list[float]:
    """Return for each subject the sum of its shortest times for every piece in seconds; all take turns at each piece.

    A piece is short, so that some of its rounds fall between the moments in which the machine does something else.
    """
    shortest = [[inf] * len(pieces) for _ in subjects]
    for _ in range(rounds):
        gc.collect()
        for at, piece in enumerate(pieces):
            for times, work in zip(shortest, subjects, strict=True):
                start = perf_counter()
                work(piece)
                times[at] = min(times[at], perf_counter() - start)
    return [sum(times) for times in shortest]


def best_of(work: Work, rounds: int) -> float:
    """Return the shortest processor time of `work` in seconds."""
    return interleaved([work], rounds)[0]


def start_ups(commands: Sequence[Sequence[str]], folder: str, rounds: int) -> list[float]:
    """Return the median time from start to end of each command in seconds, as a user waits for it.

    Every command runs once beforehand, and its modules are kept compiled in a folder of their own, whatever the
    environment says: an installed program has its bytecode on the disk, and only its first start ever compiles it.
    """
    taken: list[list[float]] = [[] for _ in commands]
    with TemporaryDirectory() as bytecode:
        compiled = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        compiled["PYTHONPYCACHEPREFIX"] = bytecode
        for turn in range(rounds + 1):
            for times, command in zip(taken, commands, strict=True):
                start = perf_counter()
                subprocess.run(
                    command, cwd=folder, env=compiled, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False
                )
                if turn:
                    times.append(perf_counter() - start)
    return [median(times) for times in taken]
