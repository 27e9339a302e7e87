"""Waking a session: who gets it, and that nothing of it is missing."""

from __future__ import annotations

import asyncio

import pytest

from domain.errors import NotFound
from storage.activation import Activations
from storage.database import Database
from storage.errors import OwnedElsewhere, StaleEpoch
from storage.journal import Journal, Snapshot
from storage.leases import Leases
from storage.repositories.sessions import NewSession, Sessions
from storage.turn_end import Activity, TurnEnd

pytestmark = pytest.mark.anyio

PIN = {"program_id": "prog"}


@pytest.fixture
def activations(database: Database) -> Activations:
    return Activations(database)


@pytest.fixture
async def first(database: Database, leases: Leases, tenant_id: str) -> int:
    epoch = await leases.register_host(f"first of {tenant_id}", "unix:1")
    new = NewSession(
        session_id="s", project_id="c", runtime_session_id=f"r{tenant_id}", entry_agent_name="Desk", pin=PIN
    )
    await Sessions(database).create(tenant_id, new, epoch=epoch)
    return epoch


def an_end(state: bytes | None, end_reason: str | None = None) -> TurnEnd:
    return TurnEnd(turn=1, snapshot=state, activity=Activity(end_reason=end_reason))


async def test_a_session_at_rest_is_its_snapshot(
    activations: Activations, journal: Journal, tenant_id: str, first: int
) -> None:
    await journal.append(tenant_id, "s", first, [b"one", b"two"], expect_seq=0, turn=an_end(b"state"))
    found = await activations.activate(tenant_id, "s", first)
    assert (found.pin, found.status, found.end_reason) == (PIN, "active", "")
    assert (found.snapshot, found.last_seq, found.facts) == (Snapshot(2, b"state"), 2, ())
    assert not found.is_taken_over


async def test_what_came_behind_the_snapshot_is_there_too(
    activations: Activations, journal: Journal, tenant_id: str, first: int
) -> None:
    assert (await activations.activate(tenant_id, "s", first)).snapshot is None
    await journal.append(tenant_id, "s", first, [b"one"], expect_seq=0)
    assert (await activations.activate(tenant_id, "s", first)).facts == ((1, b"one"),)
    await journal.append(tenant_id, "s", first, [b"two"], expect_seq=1, turn=an_end(b"state"))
    await journal.append(tenant_id, "s", first, [b"three", b"four"], expect_seq=2)
    await journal.append(tenant_id, "s", first, [b"five"], expect_seq=4, turn=an_end(None))
    found = await activations.activate(tenant_id, "s", first)
    assert (found.snapshot, found.last_seq) == (Snapshot(2, b"state"), 5)
    assert found.facts == ((3, b"three"), (4, b"four"), (5, b"five"))


async def test_a_session_of_a_live_host_is_not_given_away(
    activations: Activations, leases: Leases, tenant_id: str, first: int
) -> None:
    second = await leases.register_host(f"second of {tenant_id}", "unix:2")
    with pytest.raises(OwnedElsewhere) as refused:
        await activations.activate(tenant_id, "s", second)
    assert refused.value.address == "unix:1"
    await leases.release_sessions(first, [(tenant_id, "s")])
    assert not (await activations.activate(tenant_id, "s", second)).is_taken_over
    await leases.release_host(second)
    with pytest.raises(StaleEpoch):
        await activations.activate(tenant_id, "s", second)
    with pytest.raises(NotFound):
        await activations.activate(f"{tenant_id} other", "s", first)


async def test_the_last_append_of_the_host_before_is_never_missed(
    activations: Activations, journal: Journal, leases: Leases, tenant_id: str, first: int
) -> None:
    """The claim races with appends: whatever was acknowledged before it is in what is found."""
    seq = 0
    for turn in range(30):
        second = await leases.register_host(f"{turn} of {tenant_id}", "unix:2")
        append = asyncio.create_task(
            journal.append(tenant_id, "s", first, [b"%d" % turn], expect_seq=seq, turn=an_end(b"%d" % turn, "over"))
        )
        await leases.release_host(first)
        found = await activations.activate(tenant_id, "s", second)
        try:
            written = await append
        except StaleEpoch:
            written = seq
        assert found.last_seq == written
        assert found.is_taken_over
        assert not found.is_behind
        assert found.status == ("ended" if written else "active")
        seq, first = written, second


async def test_many_hosts_wake_one_session_and_one_gets_it(
    activations: Activations, leases: Leases, tenant_id: str, first: int
) -> None:
    await leases.release_session(tenant_id, "s", first)
    epochs = [await leases.register_host(f"{n} of {tenant_id}", "unix:n") for n in range(8)]
    outcomes = await asyncio.gather(
        *(activations.activate(tenant_id, "s", epoch) for epoch in epochs), return_exceptions=True
    )
    assert [isinstance(one, OwnedElsewhere) for one in outcomes].count(False) == 1
