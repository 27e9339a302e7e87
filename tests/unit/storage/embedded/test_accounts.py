from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from domain.errors import Unavailable
from storage.embedded.accounts import (
    SOCKET_PATH_MAX_BYTES,
    Account,
    can_reach,
    open_socket_folder,
    own_private_folder,
    reachable_copy,
    reachable_folder,
    socket_folder,
)

ME = Account(os.geteuid(), os.getegid(), "me")
STRANGER = Account(54_321, 54_321, "stranger")


def test_a_private_folder_above_is_in_the_way_of_others(tmp_path: Path) -> None:
    tmp_path.chmod(0o700)
    assert can_reach(ME, tmp_path / "inside")
    assert not can_reach(STRANGER, tmp_path / "inside")


def test_our_own_account_uses_what_was_asked_for(tmp_path: Path) -> None:
    assert reachable_folder(ME, tmp_path / "data") == tmp_path / "data"
    assert reachable_copy(ME, tmp_path, "copy", ["bin"]) == tmp_path


def test_what_another_account_cannot_reach_goes_to_the_state_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setattr("storage.embedded.accounts.STATE_OF_ROOT", state)
    hidden = tmp_path / "hidden"
    (hidden / "bin").mkdir(parents=True)
    (hidden / "bin" / "program").write_text("bytes", encoding="utf-8")
    hidden.chmod(0o700)
    kept = reachable_folder(STRANGER, hidden / "data")
    kept.mkdir()
    assert kept.parent == state
    assert reachable_folder(STRANGER, hidden / "data") == kept
    (hidden / "data.location").unlink()
    assert reachable_folder(STRANGER, hidden / "data") != kept
    assert not kept.exists()
    assert len(list(state.glob("data-*"))) == 1  # where the new one came from
    copy = reachable_copy(STRANGER, hidden, "program-1", ["bin"])
    assert copy == state / "program-1" == reachable_copy(STRANGER, hidden, "program-1", ["bin"])
    assert (copy / "bin" / "program").read_text(encoding="utf-8") == "bytes"
    assert (hidden.stat().st_mode & 0o777) == 0o700


def test_the_path_of_a_socket_is_short_and_the_same_every_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / ("long" * 40)))
    folder = socket_folder(tmp_path / "data", ME, "name.sock")
    assert len(os.fsencode(folder / "name.sock")) <= SOCKET_PATH_MAX_BYTES
    assert folder == socket_folder(tmp_path / "data", ME, "name.sock") != socket_folder(tmp_path, ME, "name.sock")


def test_a_socket_folder_that_is_open_to_others_is_refused(tmp_path: Path) -> None:
    open_socket_folder(tmp_path / "sockets", ME)
    open_socket_folder(tmp_path / "sockets", ME)
    (tmp_path / "sockets").chmod(0o755)
    with pytest.raises(Unavailable, match="not a private folder"):
        open_socket_folder(tmp_path / "sockets", ME)


def test_a_planted_link_is_no_socket_folder(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (tmp_path / "sockets").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Unavailable):
        open_socket_folder(tmp_path / "sockets", ME)


def test_somebody_elses_cluster_is_refused(tmp_path: Path) -> None:
    own_private_folder(tmp_path / "cluster", ME)
    assert (tmp_path / "cluster").stat().st_mode & 0o777 == 0o700
    with pytest.raises(Unavailable, match="belongs to user id"):
        own_private_folder(tmp_path / "cluster", STRANGER)


def test_what_belonged_to_a_temporary_folder_that_is_gone_goes_with_the_next_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state, temporary, disk = tmp_path / "state", tmp_path / "tmp", tmp_path / "disk"
    monkeypatch.setattr("storage.embedded.accounts.STATE_OF_ROOT", state)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    for hidden in (temporary / "gone", temporary / "there", disk / "away"):
        hidden.mkdir(parents=True)
    tmp_path.chmod(0o700)
    folders = [reachable_folder(STRANGER, place / "data") for place in (temporary / "gone", temporary / "there", disk)]
    for folder in folders:
        folder.mkdir()
    shutil.rmtree(temporary / "gone")
    (disk / "data.location").rename(disk / "data.elsewhere")
    reachable_folder(STRANGER, temporary / "next" / "data")
    assert [folder.exists() for folder in folders] == [False, True, True]


def test_programs_that_start_at_the_same_time_leave_each_others_folders_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After each file that one writes another starts; and what a third has removed meanwhile troubles nobody."""
    state, temporary = tmp_path / "state", tmp_path / "tmp"
    monkeypatch.setattr("storage.embedded.accounts.STATE_OF_ROOT", state)
    monkeypatch.setattr("tempfile.tempdir", str(temporary))
    tmp_path.chmod(0o700)
    state.mkdir()
    (state / "data-0-0.origin").symlink_to(state / "removed")
    write, others = Path.write_text, iter(range(10))

    def then_another_starts(path: Path, text: str, encoding: str) -> None:
        write(path, text, encoding=encoding)
        with monkeypatch.context() as patch:
            patch.setattr(Path, "write_text", write)
            reachable_folder(STRANGER, temporary / str(next(others)) / "data")

    monkeypatch.setattr(Path, "write_text", then_another_starts)
    folder = reachable_folder(STRANGER, temporary / "one" / "data")
    assert next(others) == 2
    assert folder.with_suffix(".origin").read_text(encoding="utf-8") == str((temporary / "one/data.location").resolve())


def test_a_copy_that_another_program_was_quicker_to_make_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("storage.embedded.accounts.STATE_OF_ROOT", tmp_path / "state")
    hidden = tmp_path / "hidden"
    (hidden / "bin").mkdir(parents=True)
    (hidden / "bin" / "program").write_text("bytes", encoding="utf-8")
    hidden.chmod(0o700)
    copytree = shutil.copytree

    def and_so_does_another(source: Path, target: Path) -> None:
        copytree(source, target)
        copytree(source, tmp_path / "state" / "program-1" / "bin")

    monkeypatch.setattr("shutil.copytree", and_so_does_another)
    copy = reachable_copy(STRANGER, hidden, "program-1", ["bin"])
    assert (copy / "bin" / "program").read_text(encoding="utf-8") == "bytes"
