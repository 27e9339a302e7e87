"""Delegation: the same child for the same effect, asked again while its host is away, cancelled when it is too late."""

import asyncio
from dataclasses import dataclass, field

import pytest

from actors.hosts.port import HostGone
from actors.messages import CancelTurn, DelegateTask, Failed, HostAnswer, HostMessage, Replied
from actors.runtime import TurnReply
from actors.session import children
from actors.session.children import Children, child_session_id, work_of
from actors.session.live import LiveSession
from domain.clock import Clock, FixedClock
from engine import ChildReplied, Delegate, HandOff
from tests.support.sessions import PIN, PROGRAM, SESSION, MemoryStore
from tests.support.until import until

REPLY = TurnReply(
    session_id="sess_c1",
    message_id="msg_1",
    turn=0,
    response="forty-two",
    action={"type": "respond"},
    status="completed",
    outcome={"values": {"answer": 42}, "error": ""},
)


@dataclass
class Hosts:
    """Answers in order; the last answer stays. Satisfies `Reach`."""

    answers: list[HostAnswer | HostGone | None]
    asked: list[HostMessage] = field(default_factory=list)
    clock: Clock = field(default_factory=FixedClock)

    async def ask(self, message: HostMessage) -> HostAnswer:
        self.asked.append(message)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, HostGone):
            raise answer
        if answer is None:
            await asyncio.Event().wait()
        assert answer is not None
        return answer


LIVE = LiveSession(PIN, PROGRAM, MemoryStore(), 1)


def a_delegate(**more: object) -> Delegate:
    return Delegate(id="2.1", agent="Front", target="Clerk", task="count", input={"x": 1}, **more)


def asked_for(hosts: Hosts, effect: Delegate) -> ChildReplied:
    async def story() -> ChildReplied:
        fact = await Children(hosts).delegate(effect, LIVE)
        assert isinstance(fact, ChildReplied)
        return fact

    return asyncio.run(story())


def test_the_answer_of_a_child_is_a_fact() -> None:
    hosts = Hosts([Replied(reply=REPLY)])
    fact = asked_for(hosts, a_delegate())
    assert (fact.effect_id, fact.values, fact.text, fact.error) == ("2.1", {"answer": 42}, "forty-two", "")
    (task,) = hosts.asked
    assert isinstance(task, DelegateTask)
    assert (task.parent_session_id, task.agent, task.task) == (SESSION, "Clerk", "count")
    assert task.context == {"x": 1, "_depth": 1}


def test_asking_twice_names_the_same_child_and_the_same_key() -> None:
    hosts = Hosts([Replied(reply=REPLY)])
    asked_for(hosts, a_delegate())
    asked_for(hosts, a_delegate())
    first, second = hosts.asked
    assert first == second
    assert child_session_id(PIN, "2.1") != child_session_id(PIN, "2.2")


def test_a_host_that_is_away_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "PAUSE_S", 0.0)
    passing = [
        Failed(kind="Unavailable", message="away"),
        HostGone("gone"),
        Failed(kind="QueueFull", message="full"),
    ]
    hosts = Hosts([*passing, Replied(reply=REPLY)])
    assert asked_for(hosts, a_delegate()).error == ""
    assert len(hosts.asked) == 4


def test_a_refusal_that_stays_is_an_error() -> None:
    fact = asked_for(Hosts([Failed(kind="NotFound", message="Agent not found")]), a_delegate())
    assert (fact.error, fact.error_message) == ("delegation_error", "Agent not found")


def test_a_child_that_is_too_slow_is_cancelled() -> None:
    async def story() -> None:
        hosts = Hosts([None])
        fact = await Children(hosts).delegate(a_delegate(timeout_ms=1), LIVE)
        assert isinstance(fact, ChildReplied)
        assert fact.error == "timeout"
        await until(lambda: len(hosts.asked) == 2)
        cancel = hosts.asked[1]
        assert isinstance(cancel, CancelTurn)
        assert cancel.session_id == child_session_id(PIN, "2.1")

    asyncio.run(story())


def test_an_agent_elsewhere_cannot_be_reached_and_that_is_said() -> None:
    hosts = Hosts([Replied(reply=REPLY)])
    fact = asked_for(hosts, a_delegate(remote={"endpoint": "https://agents.example", "protocol": "a2a"}))
    assert fact.error == "delegation_error"
    assert "'a2a'" in fact.error_message
    assert hosts.asked == []


def test_work_that_is_done_while_the_session_waits_is_named_by_the_suspension() -> None:
    effect = HandOff(id="1.5", agent="Front", target="Clerk", text="please", context={"y": 2}, suspension_id="1.4")
    work = work_of(effect, PIN)
    assert (work.agent, work.task, work.context) == ("Clerk", "please", {"y": 2})
    assert work.session_id == child_session_id(PIN, "1.4")
