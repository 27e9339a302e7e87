import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from actors.hosts.stale_ray import PREFIX, RECORD, RayFolder, Record, end_stale, processes_in
from storage.embedded.processes import mark

SLEEP = "import sys; print('up', flush=True); sys.stdin.read()"


@pytest.fixture(autouse=True)
def environment() -> Iterator[None]:
    before = dict(os.environ)
    yield
    os.environ.clear()
    os.environ.update(before)


def a_process(*arguments: str) -> subprocess.Popen[str]:
    """Start a process that waits, with these arguments on its command line."""
    process = subprocess.Popen(
        [sys.executable, "-c", SLEEP, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "up\n"
    return process


def ended(process: subprocess.Popen[str]) -> int | None:
    """Return how a process ended and close its pipes; it is killed if it has not."""
    status = process.poll()
    process.kill()
    process.communicate()
    return status


def test_a_folder_is_private_written_down_and_gone_at_the_end(tmp_path: Path) -> None:
    own = RayFolder.make(tmp_path)
    folder = Path(own.path)
    assert folder.stat().st_mode & 0o077 == 0
    assert msgspec.json.decode((tmp_path / RECORD).read_bytes(), type=Record).folder == own.path
    own.clear()
    assert not folder.exists()
    assert not (tmp_path / RECORD).exists()


def test_ray_gets_a_token_that_only_we_can_read_and_not_one_in_the_users_home(tmp_path: Path) -> None:
    own = RayFolder.make(tmp_path)
    token = Path(os.environ["RAY_AUTH_TOKEN_PATH"])
    assert token.parent == Path(own.path)
    assert token.stat().st_mode & 0o077 == 0
    assert len(token.read_text()) >= 32
    own.clear()


def test_the_next_start_ends_what_a_killed_one_has_left_and_nothing_else(tmp_path: Path) -> None:
    left = RayFolder.make(tmp_path)
    server, host, stranger = a_process(f"--temp-dir={left.path}"), a_process("host"), a_process("stranger")
    left.note_processes()
    left.note(host.pid)
    following = RayFolder.make(tmp_path)
    server.wait(5)
    host.wait(5)
    assert (ended(server), ended(host)) == (-signal.SIGKILL, -signal.SIGKILL)
    assert ended(stranger) is None
    assert not Path(left.path).exists()
    assert following.path != left.path
    following.clear()


def test_a_pid_that_was_given_to_another_process_is_left_alone(tmp_path: Path) -> None:
    stranger = a_process("stranger")
    known = mark(stranger.pid)
    assert known is not None
    older = msgspec.structs.replace(known, started="1")
    folder = tmp_path / f"{PREFIX}gone"
    (tmp_path / RECORD).write_bytes(msgspec.json.encode(Record(str(folder), (older,))))
    end_stale(tmp_path / RECORD)
    assert ended(stranger) is None


def test_a_folder_with_another_name_is_never_removed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (tmp_path / RECORD).write_bytes(msgspec.json.encode(Record(str(precious))))
    end_stale(tmp_path / RECORD)
    assert precious.exists()


def test_a_record_that_cannot_be_read_counts_as_none(tmp_path: Path) -> None:
    (tmp_path / RECORD).write_text("{")
    end_stale(tmp_path / RECORD)
    RayFolder.make(tmp_path).clear()


def test_a_worker_is_known_by_its_title_and_its_token(tmp_path: Path) -> None:
    own = RayFolder.make(tmp_path)
    worker = subprocess.Popen(
        ["ray::IDLE", "-c", SLEEP],
        executable=sys.executable,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    assert worker.stdout is not None
    worker.stdout.readline()
    assert processes_in(own.path) == [worker.pid]
    own.clear()
    worker.wait(5)
    assert ended(worker) == -signal.SIGKILL
