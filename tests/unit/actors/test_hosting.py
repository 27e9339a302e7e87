import asyncio
import sys
from pathlib import Path

import msgspec
import pytest

from actors.hosting import TOKEN_FILE, Hosting, kept_token, member_of
from actors.hosts.ray_settings import ENVIRONMENT, TOKEN_PATH
from actors.hosts.stale_ray import RECORD
from actors.installation import master_keys
from actors.link.addresses import TcpAddress, UnixAddress, labels_of, machine_name
from actors.settings import Settings
from domain.errors import Unavailable
from storage.leases import HostRow


def test_the_token_of_hosts_is_made_once_and_read_by_its_owner_only(tmp_path: Path) -> None:
    first = kept_token(tmp_path)
    assert kept_token(tmp_path) == first
    assert len(first) >= 32
    assert (tmp_path / TOKEN_FILE).stat().st_mode & 0o077 == 0


def test_a_lease_tells_of_a_host_and_how_to_reach_it_from_here() -> None:
    labels = labels_of([UnixAddress("/run/a.sock"), TcpAddress("10.0.0.4", 7001)])
    told = {**labels, "draining": True, "sessions": 3, "turns": 2, "waiting": 1, "rssBytes": 5}
    row = HostRow("host-0", 7, "tcp:10.0.0.4:7001", told)
    here = member_of(row, machine_name())
    assert (here.address, here.is_draining, here.sessions, here.turns) == ("unix:/run/a.sock", True, 3, 2)
    assert member_of(row, "another").address == "tcp:10.0.0.4:7001"


def test_a_lease_without_labels_is_of_a_host_that_carries_nothing() -> None:
    member = member_of(HostRow("host-0", 7, "unix:/a", {}), "")
    assert (member.is_draining, member.sessions) == (False, 0)


def test_without_ray_the_error_says_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "actors.hosts.ray", raising=False)
    monkeypatch.setitem(sys.modules, "ray", None)
    for name in (*ENVIRONMENT, TOKEN_PATH):
        monkeypatch.setenv(name, "")  # to have it as it was when the test is over
    hosting = Hosting(Settings(runtime="ray", data_dir=str(tmp_path)), tmp_path)
    with pytest.raises(Unavailable, match="--runtime local"):
        asyncio.run(hosting.start())
    assert not (tmp_path / "run" / RECORD).exists()


def test_a_gateway_that_serves_sessions_itself_starts_no_hosts(tmp_path: Path) -> None:
    async def story() -> None:
        hosting = Hosting(Settings(), tmp_path)
        await hosting.start()
        assert hosting.maker is None
        await hosting.stop()

    asyncio.run(story())
    assert list(tmp_path.iterdir()) == []


def test_a_host_on_another_machine_seals_under_the_master_key_of_its_gateway(tmp_path: Path) -> None:
    async def story() -> None:
        settings = Settings(runtime="process", data_dir=str(tmp_path / "here"))
        hosting = Hosting(settings, tmp_path / "here")
        await hosting.start()
        try:
            told = msgspec.structs.replace(hosting.task("host-0").settings, data_dir=str(tmp_path / "there"))
            assert master_keys(told).current_id == master_keys(settings).current_id
            assert not (tmp_path / "there").exists()
        finally:
            await hosting.stop()

    asyncio.run(story())
