from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

import actors.router as router_module
from actors.directory import Directory, Member
from actors.hosts.port import HostGone
from actors.messages import Done, Failed, HostAnswer, HostMessage, Look, OpenSession, RunTurn
from actors.placement import dedicated_host
from actors.router import Router, session_of, tenant_of
from actors.runtime import ChatTurn, NewSession
from tests.support.until import until

TURN = RunTurn(turn=ChatTurn(tenant_id="t", project_id="p", message="m", session_id="s"), may_be_known=False)
LOOK = Look(tenant_id="t", project_id="p", session_id="s")
GOT = Done(note="got it")
Answers = list[HostAnswer | type[HostGone]]


@dataclass
class Scripted:
    """A host that answers from a list; its last answer stands."""

    host_id: str
    answers: Answers
    asked: list[HostMessage] = field(default_factory=list)

    async def ask(self, message: HostMessage, listener: object = None) -> HostAnswer:
        self.asked.append(message)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer is HostGone:
            raise HostGone("gone")
        assert not isinstance(answer, type)
        return answer

    def close(self) -> None: ...


async def a_router(
    hosts: dict[str, Answers], summon: Callable[[str], Awaitable[Failed | None]] | None = None
) -> tuple[Router, Directory, dict[str, Scripted]]:
    scripted = {host_id: Scripted(host_id, answers) for host_id, answers in hosts.items()}

    async def members() -> list[Member]:
        return [Member(host_id, f"unix:/{host_id}") for host_id in scripted]

    directory = Directory(members, lambda host_id, _address: scripted[host_id])
    await directory.refresh()
    return Router(directory, summon), directory, scripted


def moved(**details: object) -> Failed:
    return Failed(kind="Unavailable", message="elsewhere", moved=True, details=details)


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router_module, "PAUSE_S", 0.0)


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(router_module, "PATIENCE_S", 0.05)
    monkeypatch.setattr(router_module, "PAUSE_S", 0.02)


def test_a_session_that_lives_elsewhere_is_asked_there_and_from_then_on() -> None:
    async def story() -> None:
        router, directory, hosts = await a_router({"a": [GOT], "b": [GOT]})
        first = directory.find("s")
        assert first is not None
        other = "b" if first.host_id == "a" else "a"
        hosts[first.host_id].answers = [moved(owner=other)]
        assert await router.ask(LOOK) == GOT
        assert await router.ask(LOOK) == GOT
        assert (len(hosts[first.host_id].asked), len(hosts[other].asked)) == (1, 2)

    asyncio.run(story())


def test_a_host_that_drains_sends_its_sessions_to_the_others_at_once() -> None:
    async def story() -> None:
        router, directory, hosts = await a_router({"a": [GOT], "b": [GOT]})
        first = directory.find("s")
        assert first is not None
        hosts[first.host_id].answers = [moved(draining=True)]
        assert await router.ask(LOOK) == GOT
        found = directory.find("s")
        assert found is not None
        assert found.host_id != first.host_id

    asyncio.run(story())


@pytest.mark.usefixtures("impatient")
def test_two_hosts_that_name_each_other_are_not_asked_without_end() -> None:
    async def story() -> None:
        router, _, hosts = await a_router({"a": [moved(owner="b")], "b": [moved(owner="a")]})
        answer = await router.ask(LOOK)
        assert isinstance(answer, Failed)
        assert not answer.moved
        assert len(hosts["a"].asked) + len(hosts["b"].asked) <= 5 * router_module.MAX_HOPS

    asyncio.run(story())


def test_a_turn_whose_host_died_may_be_known_when_it_is_sent_again() -> None:
    async def story() -> None:
        router, directory, hosts = await a_router({"a": [HostGone, GOT]})
        asked = asyncio.create_task(router.ask(TURN))
        await until(lambda: bool(hosts["a"].asked))
        await directory.refresh()
        assert await asked == GOT
        again = hosts["a"].asked[-1]
        assert isinstance(again, RunTurn)
        assert again.may_be_known

    asyncio.run(story())


@pytest.mark.usefixtures("impatient")
def test_without_a_host_the_answer_says_when_to_come_again() -> None:
    async def story() -> None:
        router, _, _ = await a_router({})
        answer = await router.ask(LOOK)
        assert isinstance(answer, Failed)
        assert answer.kind == "Unavailable"
        assert answer.retry_after_ms > 0

    asyncio.run(story())


@pytest.mark.usefixtures("impatient")
def test_a_turn_whose_worker_is_lost_for_good_says_what_to_send_again() -> None:
    async def story() -> None:
        router, _, _ = await a_router({"a": [HostGone]})
        answer = await router.ask(TURN)
        assert isinstance(answer, Failed)
        assert answer.details == {"reason": "WORKER_LOST"}
        assert "Send the same message again" in answer.message
        assert answer.retry_after_ms > 0

    asyncio.run(story())


def test_a_dedicated_host_that_is_not_there_is_summoned_and_then_asked() -> None:
    async def story() -> None:
        home = dedicated_host("s")
        summoned: list[str] = []

        async def summon(host_id: str) -> Failed | None:
            summoned.append(host_id)
            hosts[home] = Scripted(home, [GOT])
            await directory.refresh()
            return None

        router, directory, hosts = await a_router({"a": [moved(owner=home)]}, summon)
        assert await router.ask(LOOK) == GOT
        assert await router.ask(LOOK) == GOT
        assert summoned == [home]
        assert len(hosts["a"].asked) == 1

    asyncio.run(story())


def test_a_refusal_of_whoever_starts_dedicated_hosts_is_the_answer() -> None:
    async def story() -> None:
        full = Failed(kind="Overloaded", message="full", retry_after_ms=5)

        async def summon(_host_id: str) -> Failed | None:
            return full

        router, _, _ = await a_router({"a": [moved(owner=dedicated_host("s"))]}, summon)
        assert await router.ask(LOOK) == full

    asyncio.run(story())


def test_every_message_names_its_session_and_its_tenant() -> None:
    opening = OpenSession(session_id="s", wanted=NewSession(tenant_id="t", project_id="p", agent="a"))
    for message in (TURN, LOOK, opening):
        assert (session_of(message), tenant_of(message)) == ("s", "t")
