"""How time and memory grow with the text: parse, fmt and check on texts that double, realistic and hostile shapes.

`ratio` is time(2n)/time(n): 2 for work in proportion to the text, 4 for a square. `python -m benchmarks.scaling`
publishes the worst of small sizes; `--mb 8` goes up to 8 MB; `--table` prints every shape as it is measured, and
`--only WORD` those whose name holds the word.
"""

from __future__ import annotations

import gc
import math
import sys
import tracemalloc
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from time import process_time

from abl.formatter import format_text
from abl.frontend import parse
from abl.validation import validate_abl
from benchmarks.report import Figure, publish
from benchmarks.shapes import HOSTILE, REALISTIC, Shape

Work = Callable[[str], object]
OPERATIONS: dict[str, Work] = {"parse": parse, "fmt": format_text, "check": validate_abl}
SHAPES = {**REALISTIC, **HOSTILE}
SMALL_CHARS = 64_000
MEGABYTE = 1_000_000
PROMISED = 2.2
PROMISED_SLOPE = 1.14
"""The logarithm of the promised ratio to the base 2: what the whole curve has to keep."""
NEGLIGIBLE_S = 0.1
"""Below this a ratio says nothing."""
PATIENCE_S = 60
"""Processor time that one operation on the largest text may take."""
TRIES = 3


@dataclass(frozen=True, slots=True)
class Growth:
    """The times of one operation on texts that double; all of one shape.

    Attributes:
        sizes: Characters.
        seconds: Processor time for each of them, the best of several tries where a doubling looked too steep.
    """

    sizes: tuple[int, ...]
    seconds: tuple[float, ...]

    @property
    def worst(self) -> float:
        """The greatest ratio of neighbours that take long enough to be measured; 2 when none does."""
        pairs = zip(self.seconds, self.seconds[1:], strict=False)
        return max((ratio_of(*pair) for pair in pairs if pair[1] >= NEGLIGIBLE_S), default=2.0)

    @property
    def slope(self) -> float:
        """How the logarithm of the time grows with that of the size: 1 in proportion, 2 for a square."""
        points = [
            (math.log(size), math.log(seconds))
            for size, seconds in zip(self.sizes, self.seconds, strict=True)
            if seconds >= NEGLIGIBLE_S
        ]
        if len(points) < 3:
            return 1.0
        middle_x = sum(x for x, _ in points) / len(points)
        middle_y = sum(y for _, y in points) / len(points)
        width = sum((x - middle_x) ** 2 for x, _ in points)
        return sum((x - middle_x) * (y - middle_y) for x, y in points) / width

    @property
    def is_kept(self) -> bool:
        """Whether the promise is kept by every doubling, by the whole curve, and by the longest time."""
        return self.worst <= PROMISED and self.slope <= PROMISED_SLOPE and self.seconds[-1] <= PATIENCE_S


def ratio_of(half: float, whole: float) -> float:
    """Return time(2n)/time(n)."""
    return whole / max(half, 1e-4)


def time_of(work: Work, text: str, tries: int = 1) -> float:
    """Return the shortest processor time of `work(text)` in seconds.

    Nothing that was read before is remembered. The collector waits: its passes come in steps of a quarter more
    objects, which would say more about the size at which one falls due than about the work.
    """
    best = math.inf
    for _ in range(tries):
        forget()
        if len(text) > SMALL_CHARS:
            gc.collect()
        gc.disable()
        start = process_time()
        work(text)
        best = min(best, process_time() - start)
        gc.enable()
    return best


def forget() -> None:
    """Empty the caches of the language: a text that was just read must cost as much as one that is new."""
    for name, module in list(sys.modules.items()):
        if name.startswith("abl."):
            for value in vars(module).values():
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


def doubled(work: Work, shape: Shape, first: int, last: int, promised: float = PROMISED) -> Growth:
    """Return the growth from `first` to `last` characters; stops at a size that takes too long.

    A ratio above `promised` that another measurement does not confirm is noise.
    """
    sizes, seconds = [first], [time_of(work, shape(first), 2)]
    while sizes[-1] * 2 <= last and seconds[-1] <= PATIENCE_S:
        sizes.append(sizes[-1] * 2)
        text = shape(sizes[-1])
        seconds.append(time_of(work, text))
        for _ in range(TRIES):
            if seconds[-1] < NEGLIGIBLE_S or ratio_of(*seconds[-2:]) <= promised:
                break
            seconds[-2] = max(seconds[-2], time_of(work, shape(sizes[-2])))
            seconds[-1] = min(seconds[-1], time_of(work, text))
    return Growth(tuple(sizes), tuple(seconds))


def memory(text: str) -> float:
    """Return the greatest memory of a parse, its result included, as a multiple of the text's length."""
    tracemalloc.start()
    try:
        parse(text)
        return tracemalloc.get_traced_memory()[1] / max(len(text), 1)
    finally:
        tracemalloc.stop()


def figures(first: int, last: int) -> list[Figure]:
    """Return the worst growth of each operation, and the memory of a realistic text."""
    made = []
    for name, work in OPERATIONS.items():
        found = {shape: doubled(work, text, first, last) for shape, text in SHAPES.items()}
        for title, shapes in (("", found), (", realistic", REALISTIC)):
            shape = max(shapes, key=lambda one: found[one].worst)
            worst = found[shape].worst
            what = f"{name}, time(2n)/time(n){title}, {shape}"
            made.append(Figure(what, worst, "times", 2.0, f"at most {PROMISED}", worst <= PROMISED))
    for shape, text in REALISTIC.items():
        peak = memory(text(min(last, MEGABYTE)))
        made.append(Figure(f"memory of a parse, {shape}", peak, "times the text", None, "at most 60", peak <= 60))
    return made


def table(first: int, last: int, names: Iterable[str], operations: Iterable[str] = OPERATIONS) -> bool:
    """Print one line for each shape and operation as they are measured; return whether all keep the promise."""
    kept = True
    for shape in names:
        for name in operations:
            found = doubled(OPERATIONS[name], SHAPES[shape], first, last)
            kept = kept and found.is_kept
            times = " ".join(f"{one:8.3f}" for one in found.seconds)
            verdict = "" if found.is_kept else "  NO"
            print(f"{shape:32} {name:6} {times}  worst {found.worst:.2f}  slope {found.slope:.2f}{verdict}", flush=True)
    return kept


def _main(arguments: list[str]) -> bool:
    def option(name: str, default: str) -> str:
        return arguments[arguments.index(name) + 1] if name in arguments else default

    last = int(option("--mb", "0")) * MEGABYTE * 128 // 125 or SMALL_CHARS * 4
    if "--table" in arguments:
        return table(SMALL_CHARS, last, [one for one in SHAPES if option("--only", "") in one])
    return publish("scaling", figures(last // 4 if last > SMALL_CHARS * 4 else SMALL_CHARS, last))


if __name__ == "__main__":
    sys.exit(0 if _main(sys.argv) else 1)
