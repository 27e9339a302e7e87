from __future__ import annotations

from typing import Any

import pytest

from actors.session.store import SessionPin, Stored
from actors.system_events import HELD, SystemEvents
from domain.analytics import NewEvent
from domain.clock import FixedClock
from domain.errors import Unavailable
from tests.support.until import until

pytestmark = pytest.mark.anyio


class Kept:
    """Events in a list; `is_away` refuses them."""

    def __init__(self) -> None:
        self.events: list[tuple[str, NewEvent]] = []
        self.is_away = False

    async def note(self, tenant_id: str, event: NewEvent) -> None:
        if self.is_away:
            raise Unavailable("away")
        self.events.append((tenant_id, event))


def a_pin(project_id: str = "c1") -> SessionPin:
    return SessionPin(
        tenant_id="ten_1", project_id=project_id, session_id="sess_1", runtime_session_id="r", program_id="p",
        entry_agent="Desk",
    )  # fmt: skip


def stored(*, is_taken_over: bool) -> Stored:
    return Stored(
        pin=a_pin(), status="active", end_reason="", snapshot=None, records=(), seq=1, is_taken_over=is_taken_over
    )


async def told(system: SystemEvents, kept: Kept) -> list[tuple[str, str, dict[str, Any]]]:
    await system.close()
    return [(event.event_type, event.project_id, dict(event.metadata)) for _, event in kept.events]


async def test_what_is_refused_in_masses_is_one_event_with_its_count() -> None:
    kept = Kept()
    system = SystemEvents(kept.note, FixedClock(), "gateway")
    for _ in range(500):
        system.limited("ten_1", "c1", "requests")
    system.limited("ten_1", "", "requests")
    system.queue_full("ten_1", "c1")
    assert await told(system, kept) == [
        ("rate_limited", "c1", {"host": "gateway", "count": 500, "limit": "requests"}),
        ("queue_full", "c1", {"host": "gateway", "count": 1}),
    ]


async def test_events_are_told_after_a_while_and_there_is_room_for_so_many() -> None:
    kept = Kept()
    system = SystemEvents(kept.note, FixedClock(), "gateway", every_s=0.0)
    for number in range(HELD + 50):
        system.queue_full("ten_1", f"c{number}")
    await until(lambda: len(kept.events) == HELD)
    system.queue_full("ten_1", "later")
    await until(lambda: len(kept.events) == HELD + 1)
    await system.close()


async def test_what_comes_while_others_are_written_is_told_too_and_a_fault_loses_one() -> None:
    kept = Kept()

    async def note(tenant_id: str, event: NewEvent) -> None:
        if event.project_id == "first":
            system.queue_full("ten_1", "meanwhile")
            raise RuntimeError("a fault")
        await kept.note(tenant_id, event)

    system = SystemEvents(note, FixedClock(), "gateway", every_s=0.0)
    system.queue_full("ten_1", "first")
    system.queue_full("ten_1", "second")
    await until(lambda: [one.project_id for _, one in kept.events] == ["second", "meanwhile"])
    await system.close()


async def test_a_host_tells_once_that_it_serves_a_project() -> None:
    kept = Kept()
    system = SystemEvents(kept.note, FixedClock(), "host-0")
    for project in ("c1", "c2", "c1"):
        system.serves(a_pin(project))
    assert [one[:2] for one in await told(system, kept)] == [("worker_started", "c1"), ("worker_started", "c2")]


@pytest.mark.parametrize(("is_taken_over", "lost"), [(True, 1), (False, 0)])
async def test_a_turn_that_a_lost_host_was_at_is_told(is_taken_over: bool, lost: int) -> None:
    kept = Kept()
    system = SystemEvents(kept.note, FixedClock(), "host-1")
    system.takes_over(stored(is_taken_over=is_taken_over))
    await system.close()
    assert [(one.event_type, one.session_id, one.error) for _, one in kept.events] == [
        ("worker_lost", "sess_1", "WORKER_LOST")
    ] * lost


async def test_what_cannot_be_written_is_left_out() -> None:
    kept = Kept()
    system = SystemEvents(kept.note, FixedClock(), "gateway")
    kept.is_away = True
    system.queue_full("ten_1", "c1")
    await system.flush()
    kept.is_away = False
    assert await told(system, kept) == []
