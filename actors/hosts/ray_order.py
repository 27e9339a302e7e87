"""What a Ray actor that carries a host is made with, and whether it has the driver's packages. Loads nothing of Ray."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from msgspec import Struct

from actors.hosts.task import Task

CHECKED = ("actors", "storage", "engine", "domain")


class Order(Struct, frozen=True, kw_only=True):
    """What an actor is made with.

    Attributes:
        folder: Where its socket is made.
        code, machine: Where the driver's packages are, and on which machine that holds.
        across: Whether other machines reach the host too.
    """

    task: Task
    folder: str
    code: str
    machine: str
    across: bool = False


def code_folder() -> str:
    """Return the folder that all our packages are in.

    Raises:
        RuntimeError: They are not in one folder: another package of the same name is in the way.
    """
    found = {str(Path(str(import_module(name).__file__)).resolve().parents[1]) for name in CHECKED}
    if len(found) != 1:
        raise RuntimeError(f"the packages {', '.join(CHECKED)} come from different folders: {sorted(found)}")
    return found.pop()
