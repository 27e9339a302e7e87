"""Sessions on a cluster of three nodes: they are spread, survive hosts and nodes, and have one writer at every time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from actors.hosts.ray_settings import namespace_of
from actors.placement import dedicated_host, is_dedicated
from actors.runtime import ChatTurn, SessionRef, TurnReply
from domain.errors import Overloaded
from storage.embedded.processes import is_alive, mark
from storage.errors import StaleEpoch
from storage.journal import Journal
from storage.leases import Leases
from tests.cluster.conftest import NODES, Stage
from tests.support.placement import OWNER_EPOCH, put_apart, written_by

SESSIONS = 24


def a_turn(stage: Stage, text: str, session_id: str = "", **more: Any) -> ChatTurn:
    names = {"tenant_id": stage.seeded.tenant_id, "project_id": stage.seeded.project_id, **more}
    return ChatTurn(message=text, session_id=session_id, **names)


def say(stage: Stage, text: str, session_id: str = "", **more: Any) -> TurnReply:
    return stage.run(stage.runtime.chat(a_turn(stage, text, session_id, **more)))


def say_to_all(stage: Stage, text: str, sessions: list[str]) -> list[TurnReply]:
    async def story() -> list[TurnReply]:
        return await asyncio.gather(*(stage.runtime.chat(a_turn(stage, text, one)) for one in sessions))

    return stage.run(story())


def owner(stage: Stage, session_id: str) -> tuple[str, int]:
    """Return host and epoch of the lease under which a session is written."""
    return stage.run(written_by(stage.running.database, stage.seeded.tenant_id, session_id))


def heard(stage: Stage, session_id: str) -> list[str]:
    ref = SessionRef(stage.seeded.tenant_id, "", session_id)
    page = stage.run(stage.runtime.transcript(ref))
    return [row["content"] for row in page.rows if row["role"] == "user"]


def actors(stage: Stage) -> list[str]:
    """Return the names of all Ray actors of this installation."""
    import ray

    namespace = namespace_of(stage.running.settings)
    return sorted(
        one["name"] for one in ray.util.list_named_actors(all_namespaces=True) if one["namespace"] == namespace
    )


@pytest.fixture
def dedicated(stage: Stage) -> dict[str, str]:
    """Return how to name a project whose sessions have an actor each."""
    seeded = stage.run(put_apart(stage.running.database))
    return {"project_id": seeded.project_id}


def test_hosts_are_on_three_nodes_and_sessions_spread_over_them(stage: Stage, three_nodes: Any) -> None:
    import ray

    assert actors(stage) == [f"host-{slot}" for slot in range(NODES)]
    assert len({stage.process(f"host-{slot}").pid for slot in range(NODES)}) == NODES
    assert sum(node["Alive"] for node in ray.nodes()) == NODES
    sessions = [one.session_id for one in say_to_all(stage, "hello", [""] * SESSIONS)]
    assert {owner(stage, one)[0] for one in sessions} == {f"host-{slot}" for slot in range(NODES)}


def test_hosts_of_other_machines_are_reached_by_tcp_and_those_of_this_one_by_a_socket(stage: Stage) -> None:
    rows = stage.run(Leases(stage.running.database).hosts())
    shared = [row for row in rows if row.host_id.startswith("host-")]
    assert all(row.address.startswith("tcp:127.0.0.1:") for row in shared)
    assert all(member.address.startswith("unix:/") for member in stage.directory.members)


def test_a_host_killed_is_started_again_by_ray_and_its_sessions_go_on(stage: Stage) -> None:
    first = say(stage, "before")
    victim, epoch = owner(stage, first.session_id)
    process = stage.process(victim)
    stage.kill(process)
    assert say(stage, "after", first.session_id).response == "heard after"
    assert heard(stage, first.session_id) == ["before", "after"]
    again = stage.process(victim)
    assert again.pid != process.pid
    assert stage.ready(victim).epoch > epoch


def test_a_dedicated_session_has_exactly_one_actor_and_a_process_of_its_own(
    stage: Stage, dedicated: dict[str, str]
) -> None:
    first = say(stage, "alone", **dedicated)
    home = dedicated_host(first.session_id)
    assert owner(stage, first.session_id)[0] == home
    assert [one for one in actors(stage) if is_dedicated(one)] == [home]
    own = stage.process(home).pid
    assert own not in {stage.process(f"host-{slot}").pid for slot in range(NODES)}
    assert say(stage, "again", first.session_id, **dedicated).response == "heard again"
    end(stage, first.session_id)
    stage.loop.until(lambda: no_actor(stage, home))
    assert mark(own) is None or not is_alive(mark(own))


def test_a_dedicated_session_goes_on_after_its_actor_was_killed_and_after_it_slept(
    stage: Stage, dedicated: str
) -> None:
    first = say(stage, "one", **dedicated)
    home = dedicated_host(first.session_id)
    before = stage.process(home)
    stage.kill(before)
    assert say(stage, "two", first.session_id, **dedicated).response == "heard two"
    assert stage.process(home).pid != before.pid
    assert owner(stage, first.session_id)[0] == home
    assert heard(stage, first.session_id) == ["one", "two"]
    end(stage, first.session_id)
    stage.loop.until(lambda: no_actor(stage, home))


def test_over_the_limit_of_dedicated_sessions_a_new_one_is_refused_with_a_time(
    stage: Stage, dedicated: dict[str, str]
) -> None:
    awake = [say(stage, "one", **dedicated).session_id for _ in range(2)]
    with pytest.raises(Overloaded) as refused:
        say(stage, "one", **dedicated)
    assert refused.value.retry_after_ms
    for session_id in awake:
        end(stage, session_id)
        stage.loop.until(lambda session=session_id: no_actor(stage, dedicated_host(session)))


def test_a_host_that_is_told_to_end_drains_and_its_sessions_go_on_without_an_error(stage: Stage) -> None:
    import os
    import signal

    sessions = [one.session_id for one in say_to_all(stage, "before", [""] * SESSIONS)]
    victim = stage.process("host-1")
    os.kill(victim.pid, signal.SIGTERM)
    for round_ in range(5):
        replies = say_to_all(stage, f"during {round_}", sessions)
        assert {one.response for one in replies} == {f"heard during {round_}"}

    async def gone() -> bool:
        return not is_alive(victim)

    stage.loop.until(gone)
    for session_id in sessions:
        assert heard(stage, session_id) == ["before", *(f"during {n}" for n in range(5))]


def test_when_a_node_is_lost_its_sessions_go_on_elsewhere_and_its_writes_are_refused(
    stage: Stage, ray_nodes: Any, three_nodes: Any
) -> None:
    sessions = [one.session_id for one in say_to_all(stage, "before", [""] * SESSIONS)]
    node, victim = a_node_with_a_host(stage, ray_nodes)
    lost = [one for one in sessions if owner(stage, one)[0] == victim]
    assert lost, f"none of {SESSIONS} sessions is on {victim}"
    epoch = owner(stage, lost[0])[1]
    process = stage.process(victim)
    ray_nodes.remove_node(node, allow_graceful=False)
    stage.kill(process)
    replies = say_to_all(stage, "after", sessions)
    assert {one.response for one in replies} == {"heard after"}
    for session_id in sessions:
        assert heard(stage, session_id) == ["before", "after"]
    named = {"tenant_id": stage.seeded.tenant_id}
    assert all(stage.run(stage.running.database.value(OWNER_EPOCH, session_id=one, **named)) != epoch for one in lost)
    with pytest.raises(StaleEpoch):
        stage.run(write_under(stage, lost[0], epoch))
    assert heard(stage, lost[0]) == ["before", "after"]


async def write_under(stage: Stage, session_id: str, epoch: int) -> None:
    """Append to a session as the host of an epoch would that does not know that it has lost it."""
    journal = Journal(stage.running.database)
    try:
        head = await journal.head(stage.seeded.tenant_id, session_id)
        assert head is not None
        await journal.append(stage.seeded.tenant_id, session_id, epoch, [b"stale"], expect_seq=head.last_seq)
    finally:
        await journal.close()


def a_node_with_a_host(stage: Stage, ray_nodes: Any) -> tuple[Any, str]:
    """Return a node that is not the head, and the host on it."""
    from pathlib import Path

    def raylet_of(pid: int) -> int:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])

    nodes = {one.all_processes["raylet"][0].process.pid: one for one in ray_nodes.worker_nodes}
    for slot in range(NODES):
        found = nodes.get(raylet_of(stage.process(f"host-{slot}").pid))
        if found is not None:
            return found, f"host-{slot}"
    raise AssertionError("no host is on a node that can be lost")


def end(stage: Stage, session_id: str) -> None:
    ref = SessionRef(stage.seeded.tenant_id, "", session_id)
    stage.run(stage.runtime.end_session(ref))


async def no_actor(stage: Stage, name: str) -> bool:
    return name not in await asyncio.to_thread(actors, stage)
