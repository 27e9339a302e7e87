"""Runs every look and says what was found."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

from cli.doctor import machine, models, project, settings, stores
from cli.doctor.faults import ERROR, Fault, Place
from cli.output import CLEAN, FAULTY

Look = Callable[[Place], Iterator[Fault]]
LOOKS: tuple[tuple[str, Look], ...] = (
    ("Python", machine.look_at_python),
    ("packages", machine.look_at_packages),
    ("confinement of code tools: limits, privileges, files, account, system calls", machine.look_at_sandboxes),
    ("folders", machine.look_at_folders),
    ("port", machine.look_at_port),
    ("memory and open files", machine.look_at_limits),
    ("names of variables", settings.look_at_names),
    ("values of variables", settings.look_at_values),
    ("master keys", settings.look_at_keys),
    ("allowed networks", settings.look_at_networks),
    ("public address", settings.look_at_public_url),
    ("data folder", stores.look_at_lock),
    ("database", stores.look_at_database),
    ("coordination", stores.look_at_coordination),
    ("Ray", stores.look_at_ray),
    ("models", models.look_at_models),
    ("project", project.look_at_project),
)


def examined(place: Place) -> list[tuple[str, list[Fault]]]:
    """Return what each look has found; one that lacks a package finds that."""
    return [(name, _found(look, place)) for name, look in LOOKS]


def _found(look: Look, place: Place) -> list[Fault]:
    try:
        return list(look(place))
    except ModuleNotFoundError as error:
        return [Fault("CANNOT_LOOK", f"this cannot be looked at without {error.name}", machine.SET_UP)]


def doctor(*, project_dir: str, data_dir: str, host: str, port: int | None, runtime: str, as_json: bool) -> int:
    """Print what is wrong and what mends it; return 1 when something keeps `abl serve` from working."""
    environment = os.environ
    place = Place(
        environment=environment,
        data_dir=Path(data_dir or environment.get("ABL_DATA_DIR", "") or "data"),
        host=host or environment.get("ABL_HOST", "") or "127.0.0.1",
        port=port if port is not None else _number(environment.get("ABL_PORT", "")),
        project=Path(project_dir) if project_dir else None,
        runtime=runtime or environment.get("ABL_RUNTIME", "") or "ray",
    )
    looks = examined(place)
    faults = [fault for _, found in looks for fault in found]
    if as_json:
        print(json.dumps([asdict(one) for one in faults], indent=1))
    else:
        _print(looks)
    return FAULTY if any(one.severity == ERROR for one in faults) else CLEAN


def _number(text: str) -> int:
    return int(text) if text.isdigit() else 8400  # what is no number is told of by `values of variables`


def _print(looks: list[tuple[str, list[Fault]]]) -> None:
    for name, found in looks:
        if not found:
            print(f"ok       {name}")
        for one in found:
            print(f"{one.severity:7}  {name}: {one.what} [{one.code}]\n         mend: {one.mend}")
    faults = [fault for _, found in looks for fault in found]
    errors = sum(one.severity == ERROR for one in faults)
    print(f"\n{errors} errors, {len(faults) - errors} warnings" if faults else "\nnothing is wrong")
