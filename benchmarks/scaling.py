"""How time and memory grow with the text: parse, fmt and check on texts that double, realistic and hostile shapes.

`ratio` is time(2n)/time(n): 2 for work in proportion to the text, 4 for a square. `python -m benchmarks.scaling`
measures all shapes up to 1 MB and publishes the worst; `--mb 8` goes up to 8 MB and leaves a shape at the size where
three sizes took the same time for each character (see `is_settled`); `--whole` leaves none, as the soak test does.
`--table` prints every shape as it is measured, and `--only WORD` those whose name holds the word.

Each shape has a process of its own, so that none pays for what others left in memory. The collector of garbage is
set as the command line sets it; its passes come in steps of a quarter more objects, and are part of the work.
"""

from __future__ import annotations

import gc
import math
import sys
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import process_time
from typing import Any

from abl.formatter import format_text
from abl.frontend import parse
from abl.project import Project, check_project
from abl.validation import validate_abl
from benchmarks.children import in_child
from benchmarks.folder_shapes import FOLDERS
from benchmarks.hostile_shapes import HOSTILE
from benchmarks.report import Figure, publish
from benchmarks.shapes import REALISTIC
from cli.main import OBJECTS_BETWEEN_COLLECTIONS

Work = Callable[[Any], object]
Sized = Callable[[int], Any]
"""A size in characters -> a text, or texts by path."""


def check_folder(texts: dict[str, str]) -> object:
    """Return what is found in the files of a folder."""
    return check_project(Project.from_files(texts))


OPERATIONS: dict[str, Work] = {"parse": parse, "fmt": format_text, "check": validate_abl}
FOLDER = "check of a folder"
WORKS: dict[str, Work] = {**OPERATIONS, FOLDER: check_folder}
SHAPES = {**REALISTIC, **HOSTILE}
SMALL_CHARS = 64_000
MEGABYTE = 1_000_000
KILOBYTE = 1_000
FIRST_KB = 256
"""Size of the smallest text of a published run, in units of 1,000 characters; what it is doubled from."""
FOLDER_KB = (64, 256)
"""The smallest and the largest folder: a thousand to four thousand files."""
PROMISED = 2.2
PROMISED_SLOPE = 1.14
"""The logarithm of the promised ratio to the base 2: what the whole curve has to keep."""
NEGLIGIBLE_S = 0.1
"""Below this a ratio says nothing."""
PATIENCE_S = 60
"""Processor time that one operation on the largest text may take."""
SETTLED = 0.05
"""How much the time for a character may differ between three sizes that say the same."""
TRIES = 4
"""How often two sizes are measured again whose ratio is too great: noise only ever adds to a time."""

WIDER = 2
"""How many times larger the texts are that decide where small ones break a promise."""


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

    @property
    def is_settled(self) -> bool:
        """Whether the last three sizes took the same time for each character, as far as can be measured.

        With a share of the square of the size in it, 5 % between a quarter and one megabyte, the ratio at 8 MB
        would be 2.4: what is settled is no proof, and the soak test does without it.
        """
        if len(self.sizes) < 3 or self.seconds[-3] < NEGLIGIBLE_S:
            return False
        last = [seconds / size for size, seconds in zip(self.sizes[-3:], self.seconds[-3:], strict=True)]
        return max(last) <= min(last) * (1 + SETTLED)


def ratio_of(half: float, whole: float) -> float:
    """Return time(2n)/time(n)."""
    return whole / max(half, 1e-4)


def time_of(work: Work, text: Any, tries: int = 1) -> float:
    """Return the shortest processor time of `work(text)` in seconds; nothing that was read before is remembered."""
    best = math.inf
    for _ in range(tries):
        forget()
        gc.collect()
        start = process_time()
        work(text)
        best = min(best, process_time() - start)
    return best


@contextmanager
def as_the_command_line_collects(work: Work) -> Iterator[None]:
    """Look for garbage as seldom as `abl` does, while the block runs, and only among what the block makes.

    Reading and laying out make none, and `abl fmt` looks for none.

    What a process held before is set aside: a pass over the memory of ten thousand earlier tests takes longer than
    the work, and falls into the larger of two texts.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(0 if work in (parse, format_text) else OBJECTS_BETWEEN_COLLECTIONS)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def forget() -> None:
    """Empty the caches of the language: a text that was just read must cost as much as one that is new."""
    for name, module in list(sys.modules.items()):
        if name.startswith("abl."):
            for value in vars(module).values():
                if callable(clear := getattr(value, "cache_clear", None)):
                    clear()


def doubled(
    work: Work, shape: Sized, first: int, last: int, promised: float = PROMISED, *, may_settle: bool = False
) -> Growth:
    """Return the growth from `first` to `last` characters; stops at a size that takes too long.

    A ratio above `promised` that another measurement does not confirm is noise. With `may_settle` it stops where
    the growth is settled.
    """
    with as_the_command_line_collects(work):
        growth = Growth((first,), (time_of(work, shape(first), 2),))
        while growth.sizes[-1] * 2 <= last and growth.seconds[-1] <= PATIENCE_S:
            growth = _one_more(growth, work, shape, promised)
            if may_settle and growth.is_settled:
                break
    return growth


def doubled_for_sure(work: Work, shape: Sized, first: int, last: int, promised: float) -> Growth:
    """Return the growth from `first` to `last` characters, or, where it breaks the promise, that beyond `last`.

    It is measured in a process of its own then, on texts of up to `WIDER` times the size: what a busy moment adds to
    a short time is little beside a long one, and a square stays a square.
    """
    growth = doubled(work, shape, first, last, promised)
    if growth.worst <= promised:
        return growth
    return in_child(doubled, work, shape, last, last * WIDER, promised)


def _one_more(growth: Growth, work: Work, shape: Sized, promised: float) -> Growth:
    """Return the growth with the next size."""
    size, seconds = growth.sizes[-1] * 2, list(growth.seconds)
    text = shape(size)
    seconds.append(time_of(work, text))
    for _ in range(TRIES):
        if seconds[-1] < NEGLIGIBLE_S or ratio_of(*seconds[-2:]) <= promised:
            break
        seconds[-2] = min(seconds[-2], time_of(work, shape(growth.sizes[-1])))
        seconds[-1] = min(seconds[-1], time_of(work, text))
    return Growth((*growth.sizes, size), tuple(seconds))


def memory(text: str) -> float:
    """Return the greatest memory of a parse, its result included, as a multiple of the text's length."""
    tracemalloc.start()
    try:
        parse(text)
        return tracemalloc.get_traced_memory()[1] / max(len(text), 1)
    finally:
        tracemalloc.stop()


def jobs(only: str = "") -> Iterator[tuple[str, str]]:
    """Yield what is measured: an operation and a shape, those whose name holds `only`."""
    for shape in SHAPES:
        if only in shape:
            yield from ((operation, shape) for operation in OPERATIONS)
    yield from ((FOLDER, folder) for folder in FOLDERS if only in folder)


def grown(operation: str, name: str, last: int, *, may_settle: bool) -> Growth:
    """Return the growth of one operation on one shape up to `last` bytes of UTF-8, measured in a process of its own.

    What breaks the promise is measured once more, as a busy machine does not trip over the same place twice.
    """
    shape: Sized = FOLDERS[name] if operation == FOLDER else SHAPES[name]
    first = FIRST_KB * KILOBYTE
    if operation == FOLDER:
        first, last = (kilobytes * KILOBYTE for kilobytes in FOLDER_KB)
    else:
        last //= round(len(shape(first).encode("utf-8", "surrogatepass")) / first)
    growth = in_child(doubled, WORKS[operation], shape, first, last, may_settle=may_settle)
    if growth.is_kept:
        return growth
    again = in_child(doubled, WORKS[operation], shape, first, last, may_settle=may_settle)
    return min(growth, again, key=lambda one: one.worst)


def figures(last: int, *, may_settle: bool, only: str = "", shown: bool = False) -> list[Figure]:
    """Return the worst growth of each operation on the shapes whose name holds `only`, and the memory of a parse."""
    found: dict[tuple[str, str], Growth] = {}
    for operation, name in jobs(only):
        growth = found[operation, name] = grown(operation, name, last, may_settle=may_settle)
        if shown:
            times = " ".join(f"{one:8.3f}" for one in growth.seconds)
            verdict = "" if growth.is_kept else "  NO"
            print(f"{name:32} {operation:6} {times}  worst {growth.worst:.2f}  slope {growth.slope:.2f}{verdict}")
            sys.stdout.flush()
    made = [figure for operation in WORKS for figure in _worst(operation, found)]
    for name, text in REALISTIC.items() if not only else ():
        peak = memory(text(min(last, MEGABYTE)))
        made.append(Figure(f"memory of a parse, {name}", peak, "times the text", None, "at most 60", peak <= 60))
    return made


def _worst(operation: str, found: dict[tuple[str, str], Growth]) -> Iterator[Figure]:
    """Yield the worst growth of one operation, of all shapes and of the realistic ones."""
    all_shapes = [name for done, name in found if done == operation]
    for title, names in (
        ("shapes", all_shapes),
        ("realistic shapes", [name for name in all_shapes if name in REALISTIC]),
    ):
        if names:
            shape = max(names, key=lambda name: found[operation, name].worst)
            worst = found[operation, shape].worst
            largest = found[operation, shape].sizes[-1] / MEGABYTE
            what = f"{operation}, time(2n)/time(n), worst of {len(names)} {title} up to {largest:.2g} MB: {shape}"
            yield Figure(what, worst, "times", 2.0, f"at most {PROMISED}", worst <= PROMISED)


def _main(arguments: Iterable[str]) -> bool:
    given = list(arguments)

    def option(name: str, default: str) -> str:
        return given[given.index(name) + 1] if name in given else default

    last = int(option("--mb", "1")) * 1024 * KILOBYTE
    only, may_settle = option("--only", ""), "--whole" not in given
    made = figures(last, may_settle=may_settle and last > 1024 * KILOBYTE, only=only, shown="--table" in given)
    return all(one.met for one in made) if only else publish("scaling", made)


if __name__ == "__main__":
    sys.exit(0 if _main(sys.argv) else 1)
