from __future__ import annotations

import pytest

from abl.compiler.destinations import host_of, is_private


@pytest.mark.parametrize(
    "host",
    ["localhost", "api.localhost", "127.0.0.1", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.169.254", "0.0.0.0",
     "::1", "fe80::1", "fd00::1", "::ffff:127.0.0.1", "127.1", "2130706433", "0x7f000001", "db.internal", "printer.local"],
)  # fmt: skip
def test_hosts_inside_the_network_are_private(host: str) -> None:
    assert is_private(host)


@pytest.mark.parametrize(
    "host", ["api.example.com", "8.8.8.8", "2606:4700::1111", "", "{{env.HOST}}", "localhost.example.com"]
)
def test_other_hosts_are_public(host: str) -> None:
    assert not is_private(host)


def test_hosts_are_read_from_addresses() -> None:
    assert host_of("https://User@API.Example.com:80/x") == "api.example.com"
    assert host_of("http://[::1]:80/") == "::1"
    assert host_of("http://[::1") == ""
    assert host_of("/relative") == ""


HOOK = 'DESTINATIONS:\n  hook:\n    url: "https://10.0.0.5/hook"\n    method: put\n    headers:\n      A: b\n'


def test_a_private_destination_is_reported_at_its_address(compile_text) -> None:
    found = compile_text(HOOK).findings
    assert [(one.code, one.line, one.column) for one in found] == [("PRIVATE_DESTINATION", 5, 11)]


def test_the_operator_may_allow_a_host(compile_text) -> None:
    result = compile_text(HOOK, allowed_hosts=["10.0.0.5"])
    assert result.findings == []
    assert result.output["agents"]["Parcel_Desk"]["destinations"] == [
        {"name": "hook", "url": "https://10.0.0.5/hook", "method": "PUT", "headers": {"A": "b"}}
    ]
