"""What every host of sessions does, wherever it lives: in this process, in a child, or in a Ray actor.

A subclass gives the fixture `place`; everything else is here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from itertools import count
from typing import Any

from actors.hosts.port import Host
from actors.messages import EndSession, Failed, Follow, Look, Replied, RunTurn, Viewed
from actors.runtime import ChatTurn, StreamEvent
from domain.limits import SESSION_QUEUE_TURNS

AGENT = """\
AGENT: Echo
GOAL: "Say what was heard"

FLOW:
  entry_point: listen

  listen:
    REASONING: false
    ON_INPUT:
      - ELSE:
        RESPOND: "heard {{input}}"
        THEN: listen
"""
FILES = {"echo.agent.abl": AGENT}
PROJECT = "echo"
_numbers = count(1)


@dataclass
class Place:
    """A host to be tried, and how to run what speaks to it."""

    host: Host
    tenant_id: str
    project_id: str
    run: Callable[[Coroutine[Any, Any, Any]], Any]

    def turn(self, text: str, session_id: str, key: str = "", *, follow: bool = False) -> RunTurn:
        asked = ChatTurn(
            tenant_id=self.tenant_id,
            project_id=self.project_id,
            message=text,
            session_id=session_id,
            idempotency_key=key or f"suite-{next(_numbers)}",
            request_hash=text,
        )
        return RunTurn(turn=asked, new=True, follow=follow)


def a_session() -> str:
    """Return the id of a session that no other test has."""
    return f"sess_suite{next(_numbers)}"


class HostSuite:
    """The behaviour of a host."""

    def test_it_answers_a_session_that_it_has_never_seen(self, place: Place) -> None:
        answer = place.run(place.host.ask(place.turn("hello", a_session())))
        assert isinstance(answer, Replied), answer
        assert "heard hello" in answer.reply.response

    def test_the_turns_of_a_session_stay_in_order_and_are_counted(self, place: Place) -> None:
        session = a_session()

        async def story() -> list[Any]:
            await place.host.ask(place.turn("first", session))
            return await asyncio.gather(
                *(place.host.ask(place.turn(f"m{n}", session)) for n in range(SESSION_QUEUE_TURNS))
            )

        answers = place.run(story())
        assert [one.reply.response for one in answers] == [f"heard m{n}" for n in range(SESSION_QUEUE_TURNS)]
        numbers = [one.reply.turn for one in answers]
        assert numbers == list(range(numbers[0], numbers[0] + SESSION_QUEUE_TURNS))

    def test_the_same_key_is_answered_with_the_same_reply(self, place: Place) -> None:
        session = a_session()
        first = place.run(place.host.ask(place.turn("once", session, "k-once")))
        again = place.run(place.host.ask(place.turn("once", session, "k-once")))
        assert again.reply.repeated
        assert (again.reply.message_id, again.reply.response) == (first.reply.message_id, first.reply.response)

    def test_a_turns_events_come_numbered_and_before_its_answer(self, place: Place) -> None:
        seen: list[StreamEvent] = []

        def listener(event: StreamEvent) -> bool:
            seen.append(event)
            return True

        answer = place.run(place.host.ask(place.turn("hello", a_session(), follow=True), listener))
        assert isinstance(answer, Replied)
        assert [event.seq for event in seen] == list(range(seen[0].seq, seen[0].seq + len(seen)))
        assert seen[-1].kind == "complete"
        assert seen[-1].seq == answer.reply.last_seq

    def test_a_later_listener_gets_the_last_turn_again(self, place: Place) -> None:
        session = a_session()
        seen: list[StreamEvent] = []

        def listener(event: StreamEvent) -> bool:
            seen.append(event)
            return True

        place.run(place.host.ask(place.turn("hello", session)))
        place.run(place.host.ask(Follow(tenant_id=place.tenant_id, session_id=session, after=0), listener))
        assert seen[-1].kind == "complete"

    def test_a_look_shows_the_session_and_another_tenant_sees_none(self, place: Place) -> None:
        session = a_session()
        place.run(place.host.ask(place.turn("hello", session)))
        names = {"project_id": place.project_id, "session_id": session}
        mine = place.run(place.host.ask(Look(tenant_id=place.tenant_id, **names)))
        assert isinstance(mine, Viewed)
        theirs = place.run(place.host.ask(Look(tenant_id="ten_other", **names)))
        assert isinstance(theirs, Failed)
        assert theirs.kind == "NotFound"

    def test_a_session_that_was_ended_takes_no_turn(self, place: Place) -> None:
        session = a_session()
        place.run(place.host.ask(place.turn("hello", session)))
        names = {"tenant_id": place.tenant_id, "project_id": place.project_id, "session_id": session}
        place.run(place.host.ask(EndSession(**names, reason="api")))
        answer = place.run(place.host.ask(place.turn("more", session)))
        assert isinstance(answer, Failed)
        assert answer.kind == "Conflict"

    def test_a_caller_that_leaves_does_not_stop_its_turn(self, place: Place) -> None:
        session = a_session()

        async def story() -> Any:
            left = asyncio.create_task(place.host.ask(place.turn("hello", session, "k-left")))
            await asyncio.sleep(0)
            left.cancel()
            await asyncio.wait([left])
            return await place.host.ask(place.turn("hello", session, "k-left"))

        answer = place.run(story())
        assert isinstance(answer, Replied), answer
        assert answer.reply.response.count("heard hello") == 1
