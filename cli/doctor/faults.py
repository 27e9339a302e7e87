"""What a look finds: a fault with its mending, and where it looks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ERROR, WARNING = "error", "warning"


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        code: A name that stays the same, for scripts.
        what: What is wrong, as a sentence.
        mend: A command, or what to set.
        severity: `error` keeps the product from starting or serving; a `warning` does not.
    """

    code: str
    what: str
    mend: str
    severity: str = ERROR


@dataclass(frozen=True, slots=True)
class Place:
    """Where is looked: the environment, and what options of the command line say."""

    environment: Mapping[str, str]
    data_dir: Path
    host: str = "127.0.0.1"
    port: int = 8400
    project: Path | None = None
    runtime: str = "ray"
