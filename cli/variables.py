"""The variables of a folder that is checked, talked to or served: file, environment, command line. Decision: 0064."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from abl.folders import LAYOUT
from abl.variables import FILES, Variables, VariablesFault, check_variable, read_variables, unset_env

AGENT_PREFIX = "ABL_ENV_"
"""`ABL_ENV_SHOP_URL=...` is `env.SHOP_URL` in agents."""
CONFIG_PREFIX = "ABL_CONFIG_"
"""`ABL_CONFIG_DESK_NAME=...` is `config.DESK_NAME` in agents of the folder that is checked or served."""


@dataclass(frozen=True, slots=True)
class Given:
    """Variables of agents that the environment and the command line give together. Decision: 0064.

    Attributes:
        config: Values of `{{config.KEY}}`; they come before those of `variables.yaml`.
        env: Values of `{{env.KEY}}`, those of the file among them.
    """

    config: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, environment: Mapping[str, str], options: Iterable[str] = (), file: Variables | None = None) -> Given:
        """Return what is given: an option `KEY=value` or `env.KEY=value` before the environment, that before `file`.

        Raises:
            VariablesFault: An option or a variable has the wrong form; the message says how to write it.
        """
        found: dict[str, dict[str, str]] = {
            "config": _with_prefix(environment, CONFIG_PREFIX),
            "env": {**(file.env if file is not None else {}), **_with_prefix(environment, AGENT_PREFIX)},
        }
        for key, value in found["config"].items():
            check_variable("config", key, value, f"{CONFIG_PREFIX}{key}")
        for option in options:
            name, is_set, value = option.partition("=")
            kind, dot, key = name.strip().partition(".")
            if not dot or kind not in found:
                kind, key = "config", name.strip()
            if not is_set or not key:
                raise VariablesFault("--set: write KEY=value, or env.KEY=value")
            check_variable(kind, key, value, f"--set {key}")
            found[kind][key] = value
        return cls(found["config"], found["env"])


def _with_prefix(environment: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in environment.items() if name.startswith(prefix)}


def told_unset(files: Mapping[str, str], known: Collection[str]) -> list[str]:
    """Return a sentence for each `env.` variable that the texts of a project use and nobody has set."""
    return [
        f"{one.file}:{one.line}: env.{one.key} has no value: write it under env: in variables.yaml, or set "
        f"{AGENT_PREFIX}{one.key}, --set env.{one.key}=..., or the variable of the project"
        for one in unset_env(files, known)
    ]


def variables_place(path: Path) -> Path | None:
    """Return the file of variables of a project's folder, or of the project a file is in; None without one."""
    folder = path if path.is_dir() else path.parent
    above = (folder.parent,) if not path.is_dir() and folder.name in LAYOUT else ()
    places = (one / name for one in (folder, *above) for name in FILES)
    return next((place for place in places if place.is_file()), None)


def folder_variables(path: Path) -> Variables:
    """Return what the file of variables says that belongs to a folder or a file; nothing without one.

    Raises:
        VariablesFault: It cannot be read or has the wrong form; the message names the line.
    """
    place = variables_place(path)
    if place is None:
        return Variables()
    try:
        return read_variables(place.read_text(encoding="utf-8"), place.as_posix())
    except UnicodeDecodeError as error:
        raise VariablesFault(f"{place.as_posix()} is no UTF-8 text") from error
    except OSError as error:
        raise VariablesFault(f"{place.as_posix()} cannot be read: {error.strerror}") from error
