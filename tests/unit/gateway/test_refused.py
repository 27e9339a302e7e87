"""Refusals of a socket: each told once, all of them before the end, and none waited for without a bound."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from actors.refusals import Refusal
from actors.runtime import ChatTurn, SessionRef
from domain.errors import AppError, Conflict, Unavailable
from gateway import bounds
from gateway.refused import SOCKET_KEY, RefusedMessages

pytestmark = pytest.mark.anyio

SESSION = SessionRef("t", "p", "s")
ENDED = Conflict("Session has ended")


def a_turn(message_id: str, begins: str = SOCKET_KEY) -> ChatTurn:
    return ChatTurn(tenant_id="t", project_id="p", session_id="s", message="x", idempotency_key=begins + message_id)


class Stored:
    """Refusals in a store; `waits` messages are refused one with each look."""

    def __init__(self, *stored: ChatTurn, waits: int = 0, is_away: bool = False) -> None:
        self.stored = list(stored)
        self.waits = waits
        self.looks = 0
        self.is_away = is_away

    async def of_session(self, session: SessionRef) -> Sequence[Refusal]:
        if self.is_away:
            raise Unavailable("The store is away")
        return [Refusal(turn, ENDED) for turn in self.stored]

    async def waiting(self, session: SessionRef) -> int:
        if self.is_away:
            raise Unavailable("The store is away")
        self.looks += 1
        left, self.waits = self.waits, max(0, self.waits - 1)
        if left:
            self.stored.append(a_turn(f"w{left}"))
        return left

    async def told(self, turn: ChatTurn) -> None:
        self.stored = [one for one in self.stored if one != turn]


class Page:
    """What a socket was told."""

    def __init__(self, stored: Stored) -> None:
        self.told: list[tuple[str | None, str | None]] = []
        self.refused = RefusedMessages(SESSION, stored, self.tell)

    async def tell(self, error: AppError, *, message_id: str | None, reply_to: str | None) -> None:
        self.told.append((message_id, reply_to))


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "SOCKET_REFUSED_PAUSE_S", 0.0)


async def test_what_is_reported_and_stands_in_the_store_is_told_once() -> None:
    stored = Stored(a_turn("m1"), a_turn("m2"), a_turn("task", begins="a2a:"))
    page = Page(stored)
    page.refused.report(ENDED, a_turn("m2"), "f2")
    await page.refused.tell_last()
    assert page.told == [("m2", "f2"), ("m1", None)]
    assert [one.idempotency_key for one in stored.stored] == ["a2a:task"], "that is told to who asks for the task"


async def test_a_message_that_is_said_again_may_be_refused_again() -> None:
    page = Page(Stored())
    along = asyncio.create_task(page.refused.tell_all_along())
    for _ in range(2):
        page.refused.said("m1")
        page.refused.report(ENDED, a_turn("m1"), None)
        await page.refused.tell_last()
    along.cancel()
    await asyncio.wait([along])
    assert page.told == [("m1", None), ("m1", None)]


async def test_the_end_waits_for_refusals_that_are_being_written() -> None:
    page = Page(Stored(waits=3))
    await page.refused.tell_last()
    assert [message_id for message_id, _ in page.told] == ["w3", "w2", "w1"]


async def test_the_end_does_not_wait_for_ever() -> None:
    stored = Stored(waits=10 * bounds.SOCKET_REFUSED_LOOKS)
    page = Page(stored)
    page.refused.report(ENDED, a_turn("m1"), None)
    await page.refused.tell_last()
    assert stored.looks == bounds.SOCKET_REFUSED_LOOKS
    assert page.told[0] == ("m1", None)


async def test_what_is_reported_is_told_also_while_the_store_is_away() -> None:
    page = Page(Stored(is_away=True))
    page.refused.report(ENDED, a_turn("m1"), None)
    await page.refused.tell_last()
    assert page.told == [("m1", None)]
