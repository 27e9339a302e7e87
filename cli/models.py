"""`abl models`: files of the embedded model are fetched with a progress bar, listed, and removed."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event
from types import FrameType

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from cli.environment import models_folder
from cli.output import CLEAN, FAULTY, complain
from domain.errors import AppError
from providers.embedded.llm_server import has_engine
from providers.embedded.pull import pull, remove
from providers.embedded.sources import Stopped
from providers.embedded.weights import MEGABYTE, get_weights, known_weights, weights_here

STATES = {"ready": "ready", "pulling": "being pulled", "unfinished": "unfinished", "absent": "not here"}
NO_ENGINE = (
    "The package that runs it is not installed (or has no wheel for this machine): pip install 'abl-runtime[embedded]'"
)


def pull_model(size: str) -> int:
    """Fetch one file; return the exit status."""
    folder = models_folder(os.environ)
    try:
        weights = get_weights(size)
        before = weights_here(folder, weights)
        if before.state == "ready":
            print(f"{weights.file} is here already; verifying it")
        with _until_told(Event()) as stop, _bar(weights.file, weights.size_bytes) as report:
            path = pull(folder, weights, report=report, stop=stop)
    except Stopped:
        complain("stopped; what has come is kept, and the next pull goes on from there")
        return FAULTY
    except AppError as error:
        complain(error.message)
        return FAULTY
    print(f"{path} ({weights.size_bytes // MEGABYTE:,} MB, SHA-256 verified, licence {weights.license})")
    print(f"abl serve takes it when no other model is set; as a model it is called embedded/{weights.name}")
    if not has_engine():
        complain(NO_ENGINE)
    return CLEAN


def list_models() -> int:
    """Print what there is; return the exit status."""
    folder = models_folder(os.environ)
    print(f"{'size':<6}{'model':<24}{'MB':>6}  state")
    for weights in known_weights():
        here = weights_here(folder, weights)
        part = f" ({here.percent} %)" if here.state in ("pulling", "unfinished") else ""
        name = f"embedded/{weights.name}"
        print(f"{weights.size:<6}{name:<24}{weights.size_bytes // MEGABYTE:>6,}  {STATES[here.state]}{part}")
    print(f"\nin {folder} (ABL_MODELS_DIR); any other .gguf file: ABL_EMBEDDED_MODEL=FILE")
    if not has_engine():
        print(NO_ENGINE)
    return CLEAN


def remove_model(size: str) -> int:
    """Remove one file; return the exit status."""
    folder = models_folder(os.environ)
    try:
        weights = get_weights(size)
        freed_bytes = remove(folder, weights)
    except AppError as error:
        complain(error.message)
        return FAULTY
    print(f"{weights.file}: {freed_bytes // MEGABYTE:,} MB freed" if freed_bytes else f"{weights.file} is not here")
    return CLEAN


@contextmanager
def _until_told(stop: Event) -> Iterator[Event]:
    """Let Ctrl-C and a request to end stop the pull in good order."""

    def told(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    before = {number: signal.signal(number, told) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Report:
    """Moves a progress bar."""

    def __init__(self, progress: Progress, name: str, size_bytes: int) -> None:
        self._progress = progress
        self._task = progress.add_task(name, total=size_bytes)

    def __call__(self, here_bytes: int, size_bytes: int) -> None:
        """Show how much is here."""
        self._progress.update(self._task, completed=here_bytes, total=size_bytes)


@contextmanager
def _bar(name: str, size_bytes: int) -> Iterator[_Report]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True)) as progress:
        yield _Report(progress, name, size_bytes)
