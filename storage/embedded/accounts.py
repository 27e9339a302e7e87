"""Under which account a server runs and where that account can reach: PostgreSQL refuses to run as root.

As root the server runs as `nobody`. What that account cannot reach (a virtual environment or a data directory below
root's home) is copied to, or kept in, a folder of ours under `/var/lib`; no permission of a foreign folder is changed.
"""

from __future__ import annotations

import hashlib
import os
import pwd
import secrets
import shutil
import stat
import tempfile
from pathlib import Path
from typing import Any

from msgspec import Struct

from domain.errors import Unavailable

UNPRIVILEGED = "nobody"
STATE_OF_ROOT = Path("/var/lib/abl-runtime")
SOCKET_PATH_MAX_BYTES = 100  # of about 104 on macOS and 108 on Linux
PRIVATE = 0o700
REACHABLE = 0o755
NAME_CHARS = 12
NOTE_SUFFIX = ".location"
ORIGIN_SUFFIX = ".origin"


class Account(Struct, frozen=True):
    """A user of the machine; `name` as the machine writes it."""

    uid: int
    gid: int
    name: str

    @property
    def is_other(self) -> bool:
        """Return whether this process has to change its user to become this account."""
        return self.uid != os.geteuid()

    def to_become(self) -> dict[str, Any]:
        """Return the arguments with which a new process runs under this account."""
        return {"user": self.uid, "group": self.gid, "extra_groups": ()} if self.is_other else {}


def own_account() -> Account:
    """Return the account of this process.

    Raises:
        Unavailable: The machine has no name for it, which PostgreSQL needs.
    """
    try:
        entry = pwd.getpwuid(os.geteuid())
    except KeyError as error:
        raise Unavailable(
            f"User id {os.geteuid()} has no name on this machine, which the embedded PostgreSQL needs; "
            "add one to /etc/passwd, or set DATABASE_URL to a server of your own."
        ) from error
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)


def server_account(folder: Path) -> Account:
    """Return the account a server of `folder` runs under: our own; as root the folder's owner, or `nobody`."""
    if os.geteuid() != 0:
        return own_account()
    try:
        owner = folder.stat().st_uid if folder.exists() else 0
        entry = pwd.getpwuid(owner) if owner else pwd.getpwnam(UNPRIVILEGED)
    except KeyError as error:
        raise Unavailable(
            f"PostgreSQL refuses to run as root, and there is no user to run it as for {folder} (`{UNPRIVILEGED}`); "
            "start as an ordinary user, or set DATABASE_URL to a server of your own."
        ) from error
    return Account(entry.pw_uid, entry.pw_gid, entry.pw_name)


def can_reach(account: Account, place: Path) -> bool:
    """Return whether the account may pass through every folder above `place`."""
    return all(_may_pass(account, folder.stat()) for folder in place.resolve().parents if folder.exists())


def _may_pass(account: Account, found: os.stat_result) -> bool:
    if found.st_uid == account.uid:
        return bool(found.st_mode & stat.S_IXUSR)
    if found.st_gid == account.gid:
        return bool(found.st_mode & stat.S_IXGRP)
    return bool(found.st_mode & stat.S_IXOTH)


def reachable_folder(account: Account, wanted: Path) -> Path:
    """Return `wanted`, or a folder of ours under `/var/lib` when the account could not reach it.

    A file beside `wanted` says which; without that file the folder is a new one and older ones of the same place go,
    so that removing a data directory forgets what was in it. What belonged to a temporary folder that is gone goes too.
    """
    if not account.is_other or can_reach(account, wanted):
        return wanted
    note = wanted.resolve().with_suffix(NOTE_SUFFIX)
    if not note.exists():
        state, prefix = open_state_folder(), f"data-{short_name(wanted)}-"
        for origin in state.glob(f"data-*{ORIGIN_SUFFIX}"):
            if origin.name.startswith(prefix) or _was_temporary(origin):
                shutil.rmtree(origin.with_suffix(""), ignore_errors=True)
                origin.unlink(missing_ok=True)
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(str(state / f"{prefix}{secrets.token_hex(NAME_CHARS // 2)}"), encoding="utf-8")
    folder = Path(note.read_text(encoding="utf-8"))
    # Behind the note, never before it: another program that starts now takes an origin without its note for forgotten.
    if not (origin := folder.with_suffix(ORIGIN_SUFFIX)).exists():
        origin.write_text(str(note), encoding="utf-8")
    return folder


def _was_temporary(origin: Path) -> bool:
    """Return whether it names something in the temporary folder that is gone; elsewhere a disk may be away.

    What another program, which starts at the same time, has just removed is none of ours to remove.
    """
    try:
        note = Path(origin.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    return not note.exists() and note.is_relative_to(Path(tempfile.gettempdir()).resolve())


def reachable_copy(account: Account, site: Path, name: str, folders: list[str]) -> Path:
    """Return `site`, or a copy of its `folders` under `name` when the account could not reach them. Made once."""
    if not account.is_other or can_reach(account, site / folders[0] / "any"):
        return site
    copy = open_state_folder() / name
    if not copy.exists():
        with tempfile.TemporaryDirectory(dir=open_state_folder()) as unfinished:
            half = Path(unfinished) / "copy"
            for folder in folders:
                shutil.copytree(site / folder, half / folder)
            half.chmod(REACHABLE)
            try:
                half.replace(copy)
            except OSError:
                if not copy.exists():  # else another program, which starts at the same time, was quicker
                    raise
    return copy


def open_state_folder() -> Path:
    """Return root's state folder, made when it is not there."""
    STATE_OF_ROOT.mkdir(mode=REACHABLE, parents=True, exist_ok=True)
    return STATE_OF_ROOT


def short_name(place: Path) -> str:
    """Return a short word that stands for this path and no other."""
    return hashlib.sha256(os.fsencode(place.resolve())).hexdigest()[:NAME_CHARS]


def socket_folder(data_folder: Path, account: Account, longest_name: str) -> Path:
    """Return where the sockets of a server stand: a short path that the account can reach, the same every time."""
    name = f"abl-{short_name(data_folder)}"
    roots = (Path(tempfile.gettempdir()), Path("/tmp"))
    return next((root / name for root in roots if _serves(account, root / name / longest_name)), roots[-1] / name)


def open_socket_folder(folder: Path, account: Account) -> None:
    """Make the folder private to the account.

    Raises:
        Unavailable: Something else stands in its place, so what connects there could be deceived.
    """
    try:
        folder.mkdir(mode=PRIVATE)
        if account.is_other:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        pass
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != account.uid or stat.S_IMODE(found.st_mode) != PRIVATE:
        raise Unavailable(f"{folder} is not a private folder of user {account.name}; remove it and start again.")


def _serves(account: Account, socket: Path) -> bool:
    is_short = len(os.fsencode(socket)) <= SOCKET_PATH_MAX_BYTES
    return is_short and (not account.is_other or can_reach(account, socket.parent))


def own_private_folder(folder: Path, account: Account) -> None:
    """Make `folder` private to the account, with its parents; a folder of somebody else's is refused.

    Raises:
        Unavailable: It belongs to somebody else.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    try:
        folder.mkdir(mode=PRIVATE)
        if account.is_other:
            os.chown(folder, account.uid, account.gid)
    except FileExistsError:
        owner = folder.stat().st_uid
        if owner != account.uid:
            raise Unavailable(
                f"{folder} belongs to user id {owner}, but the server would run as {account.name} ({account.uid}); "
                "start as the user who made it, or give another data directory."
            ) from None
        folder.chmod(PRIVATE)
