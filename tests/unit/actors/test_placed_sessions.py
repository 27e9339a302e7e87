from __future__ import annotations

import asyncio

import pytest

from actors.hosts.tenancy import Epoch
from actors.placed_sessions import PlacedSessions
from actors.placement import Placement, dedicated_host, slot_host
from actors.session.store import SessionMoved, SessionPin, Stored
from actors.stored_sessions import StoredSessions

PIN = SessionPin(
    tenant_id="t",
    project_id="p",
    session_id="s",
    runtime_session_id="r",
    program_id="prog",
    entry_agent="a",
    deployment_id="d",
)
CHILD = SessionPin(
    tenant_id="t",
    project_id="p",
    session_id="child",
    runtime_session_id="r",
    program_id="prog",
    entry_agent="a",
    deployment_id="d",
    root_session_id="s",
)


class Placements:
    def __init__(self, placement: Placement) -> None:
        self.placement = placement

    async def of(self, tenant_id: str, deployment_id: str) -> Placement:
        return self.placement


class Leases:
    def __init__(self) -> None:
        self.released: list[str] = []

    async def release_session(self, tenant_id: str, session_id: str, epoch: int) -> None:
        self.released.append(session_id)


def placed(host_id: str, placement: Placement, monkeypatch: pytest.MonkeyPatch) -> tuple[PlacedSessions, Leases]:
    """Return the sessions of a host over a store in which every session is the one pinned by PIN or CHILD."""

    async def wake(_self: object, _tenant_id: str, session_id: str) -> tuple[int, Stored]:
        pin = CHILD if session_id == "child" else PIN
        return 1, Stored(pin=pin, status="active", end_reason="", snapshot=None, records=(), seq=0)

    async def create(_self: object, _pin: SessionPin, *, reopens: bool = False) -> int:
        return 1

    monkeypatch.setattr(StoredSessions, "_claim", wake)
    monkeypatch.setattr(StoredSessions, "create", create)
    sessions = PlacedSessions.__new__(PlacedSessions)
    leases = Leases()
    sessions._placements = Placements(placement)
    sessions._host_id = host_id
    sessions._system = None
    sessions._leases = leases
    sessions._epoch = Epoch()
    return sessions, leases


def test_a_packed_session_is_served_by_any_host_that_shares(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, leases = placed(slot_host(0), Placement.PACKED, monkeypatch)
    assert asyncio.run(sessions.create(PIN)) == 1
    assert asyncio.run(sessions.wake("t", "s")) is not None
    assert leases.released == []


def test_a_dedicated_session_is_given_back_and_sent_home(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, leases = placed(slot_host(0), Placement.DEDICATED, monkeypatch)
    with pytest.raises(SessionMoved) as moved:
        asyncio.run(sessions.wake("t", "s"))
    assert moved.value.owner == dedicated_host("s")
    assert leases.released == ["s"]
    with pytest.raises(SessionMoved) as moved:
        asyncio.run(sessions.create(PIN))
    assert moved.value.owner == dedicated_host("s")


def test_what_a_dedicated_session_delegates_lives_with_it(monkeypatch: pytest.MonkeyPatch) -> None:
    home, _ = placed(dedicated_host("s"), Placement.DEDICATED, monkeypatch)
    assert asyncio.run(home.wake("t", "s")) is not None
    assert asyncio.run(home.create(CHILD)) == 1
    other, _ = placed(dedicated_host("other"), Placement.DEDICATED, monkeypatch)
    with pytest.raises(SessionMoved) as moved:
        asyncio.run(other.create(CHILD))
    assert moved.value.owner == dedicated_host("s")


def test_a_dedicated_host_takes_no_packed_session(monkeypatch: pytest.MonkeyPatch) -> None:
    sessions, _ = placed(dedicated_host("s"), Placement.PACKED, monkeypatch)
    with pytest.raises(SessionMoved) as moved:
        asyncio.run(sessions.create(PIN))
    assert moved.value.owner == ""
