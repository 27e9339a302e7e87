"""Delegation: the same child for the same effect, asked again while its host is away, cancelled when it is too late."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from actors.hosts.port import HostGone
from actors.messages import CancelTurn, DelegateTask, Done, Failed, HostAnswer, HostMessage, Replied
from actors.runtime import TurnReply
from actors.session import children
from actors.session.children import Children, child_session_id, handover_of, work_of
from actors.session.live import LiveSession
from actors.session.store import SessionPin
from actors.session.tool_calls import effect_key
from domain.clock import Clock, FixedClock
from engine import ChildReplied, Delegate, HandOff, OutcomeUnknown
from providers.ports import Credentials, NoCredentials
from providers.remote import RemoteAgents, RemoteCall, RemoteFailed, RemoteReply
from tests.support.sessions import PIN, PROGRAM, SESSION, MemoryStore

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
    remotes: RemoteAgents | None = None
    credentials: Callable[[SessionPin], Credentials] = lambda _pin: NoCredentials()

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
        hosts = Hosts([None, Done()])
        fact = await Children(hosts).delegate(a_delegate(timeout_ms=1), LIVE)
        assert isinstance(fact, ChildReplied)
        assert fact.error == "timeout"
        cancel = hosts.asked[1]
        assert isinstance(cancel, CancelTurn)
        assert (cancel.session_id, cancel.for_good) == (child_session_id(PIN, "2.1"), True)

    asyncio.run(story())


def test_a_child_is_told_to_give_up_until_its_host_has_heard_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "PAUSE_S", 0.0)

    async def story() -> None:
        hosts = Hosts([HostGone("gone"), Failed(kind="Overloaded", message="full"), Done()])
        await Children(hosts).recall(("2.1",), PIN)
        assert len(hosts.asked) == 3

    asyncio.run(story())


def test_a_child_that_does_not_answer_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(children, "RECALL_WAIT_S", 0.01)

    async def story() -> None:
        hosts = Hosts([None])
        await Children(hosts).recall(("2.1", "2.2"), PIN)
        assert len(hosts.asked) == 2

    asyncio.run(story())


@pytest.mark.parametrize(
    ("kind", "error"), [("AppError", "lost"), ("Conflict", "lost"), ("NotFound", "delegation_error")]
)
def test_a_child_that_was_begun_and_brings_nothing_is_lost(kind: str, error: str) -> None:
    assert asked_for(Hosts([Failed(kind=kind, message="no")]), a_delegate()).error == error


class Elsewhere(RemoteAgents):
    """Agents in other systems that answer from a list."""

    def __init__(self, *answers: RemoteReply | RemoteFailed) -> None:
        self.answers = list(answers)
        self.asked: list[tuple[RemoteCall, str]] = []

    async def ask(self, call: RemoteCall, protocol: str, credentials: Credentials) -> RemoteReply:
        self.asked.append((call, protocol))
        answer = self.answers.pop(0)
        if isinstance(answer, RemoteFailed):
            raise answer
        return answer


REMOTE = {"endpoint": "https://agents.example", "protocol": "a2a"}


def test_an_installation_without_agents_elsewhere_says_so() -> None:
    hosts = Hosts([Replied(reply=REPLY)])
    fact = asked_for(hosts, a_delegate(remote=REMOTE))
    assert (fact.error, hosts.asked) == ("delegation_error", [])


@pytest.mark.parametrize(("status", "error"), [("completed", ""), ("answered", ""), ("needs_input", "needs_input")])
def test_an_agent_elsewhere_does_a_sub_task_as_one_here_does(status: str, error: str) -> None:
    elsewhere = Elsewhere(RemoteReply(status=status, text="forty-two", values={"answer": 42}))  # type: ignore[arg-type]
    hosts = Hosts([Replied(reply=REPLY)], remotes=elsewhere)
    fact = asked_for(hosts, a_delegate(remote=REMOTE, timeout_ms=7_000))
    assert (fact.values, fact.text, fact.error) == ({"answer": 42}, "forty-two", error)
    assert hosts.asked == []
    (call, protocol) = elsewhere.asked[0]
    assert (protocol, call.endpoint, call.agent, call.sender) == ("a2a", "https://agents.example", "Clerk", "Front")
    assert (call.text, call.given, call.timeout_s) == ("count", {"x": 1}, 7.0)


@pytest.mark.parametrize(
    ("kind", "error"), [("refused", "delegation_error"), ("unavailable", "unavailable"), ("timeout", "timeout")]
)
def test_a_failure_elsewhere_is_told_as_what_it_is(kind: str, error: str) -> None:
    hosts = Hosts([None], remotes=Elsewhere(RemoteFailed(kind, "no")))  # type: ignore[arg-type]
    fact = asked_for(hosts, a_delegate(remote=REMOTE))
    assert (fact.error, fact.error_message) == (error, "no")


def test_work_that_may_have_been_done_elsewhere_has_an_unknown_outcome() -> None:
    hosts = Hosts([None], remotes=Elsewhere(RemoteFailed("unknown", "cut off")))
    fact = asyncio.run(Children(hosts).delegate(a_delegate(remote=REMOTE), LIVE))
    assert fact == OutcomeUnknown(at=fact.at, effect_id="2.1", message="cut off")


@pytest.mark.parametrize(("status", "error"), [("completed", ""), ("answered", "needs_input")])
def test_control_stays_with_an_agent_elsewhere_until_it_is_done(status: str, error: str) -> None:
    conversation = {"contextId": "c1"}
    reply = RemoteReply(status=status, text="Which night?", conversation=conversation)  # type: ignore[arg-type]
    elsewhere = Elsewhere(reply)
    effect = HandOff(
        id="3.1", agent="Front", target="Hotel", text="a room", context={"city": "Bern"}, summary="wants a room",
        history=[{"role": "user", "content": "hello"}], remote=REMOTE, conversation={"contextId": "c0"},
    )  # fmt: skip
    fact = asyncio.run(Children(Hosts([None], remotes=elsewhere)).hand_over(effect, LIVE))
    assert isinstance(fact, ChildReplied)
    assert (fact.error, fact.text, fact.conversation) == (error, "Which night?", conversation)
    (call, _) = elsewhere.asked[0]
    assert (call.agent, call.sender, call.key) == ("Hotel", f"{SESSION}/Front", effect_key(PIN, "3.1"))
    assert (call.given, call.summary, call.conversation) == ({"city": "Bern"}, "wants a room", {"contextId": "c0"})
    assert call.history == [{"role": "user", "content": "hello"}]


def test_control_for_an_agent_of_the_session_is_carried_nowhere() -> None:
    hosts = Hosts([None])
    effect = HandOff(id="3.1", agent="Front", target="Clerk")
    assert asyncio.run(Children(hosts).hand_over(effect, LIVE)) is None
    assert hosts.asked == []
    message = handover_of(effect, PIN)
    assert (message.sender, message.receiver, message.agent) == (f"{SESSION}/Front", f"{SESSION}/Clerk", "Clerk")


def test_work_that_is_done_while_the_session_waits_is_named_by_the_suspension() -> None:
    effect = HandOff(id="1.5", agent="Front", target="Clerk", text="please", context={"y": 2}, suspension_id="1.4")
    work = work_of(effect, PIN, 1_000)
    assert (work.agent, work.task, work.context) == ("Clerk", "please", {"y": 2})
    assert work.session_id == child_session_id(PIN, "1.4")
