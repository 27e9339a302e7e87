from pathlib import Path

import pytest

from actors.link.addresses import (
    MAX_SOCKET_PATH_CHARS,
    TcpAddress,
    UnixAddress,
    labels_of,
    machine_name,
    parse_address,
    reachable,
    remove_socket,
    socket_address,
)
from domain.errors import InvalidInput

FORMS = (
    UnixAddress("/run/abl/host-0.sock"),
    UnixAddress("/with space/and:colon.sock"),
    TcpAddress("10.0.0.4", 7001),
    TcpAddress("::1", 80),
    TcpAddress("node-2.example", 65_535),
)


@pytest.mark.parametrize("address", FORMS, ids=str)
def test_what_is_written_is_read_again(address: UnixAddress | TcpAddress) -> None:
    assert parse_address(str(address)) == address


@pytest.mark.parametrize(
    "text", ["", "local", "/run/host.sock", "unix:relative.sock", "tcp:host", "tcp::80", "tcp:host:x", "tcp:host:70000"]
)
def test_another_form_is_refused_with_the_two_that_are_known(text: str) -> None:
    with pytest.raises(InvalidInput, match="unix:/path or tcp:host:port"):
        parse_address(text)


def test_a_host_with_both_is_reached_by_its_socket_on_its_own_machine_only() -> None:
    labels = labels_of([UnixAddress("/run/a.sock"), TcpAddress("10.0.0.4", 7001)])
    assert reachable("tcp:10.0.0.4:7001", labels, machine_name()) == "unix:/run/a.sock"
    assert reachable("tcp:10.0.0.4:7001", labels, "another/machine") == "tcp:10.0.0.4:7001"


def test_a_host_with_one_address_needs_no_labels() -> None:
    assert labels_of([UnixAddress("/run/a.sock")]) == {}
    assert reachable("unix:/run/a.sock", {}, machine_name()) == "unix:/run/a.sock"


def test_a_socket_in_a_deep_folder_gets_a_short_place(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 60) / ("e" * 60)
    first, second = socket_address(deep, "host-0"), socket_address(deep, "host-0")
    assert len(first.path) <= MAX_SOCKET_PATH_CHARS
    assert first != second
    folder = Path(first.path).parent
    assert folder.stat().st_mode & 0o077 == 0
    for address in (first, second):
        Path(address.path).touch()
    remove_socket(first)
    assert folder.exists()
    remove_socket(second)
    assert not folder.exists()
