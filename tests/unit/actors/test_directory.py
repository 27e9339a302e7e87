from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from actors.directory import Directory, Member
from actors.placement import dedicated_host


@dataclass
class Line:
    """The way to a host."""

    host_id: str
    address: str
    closed: bool = False

    def close(self) -> None:
        self.closed = True


@dataclass
class Leases:
    members: list[Member] = field(default_factory=list)
    lines: list[Line] = field(default_factory=list)

    async def read(self) -> list[Member]:
        return self.members

    def connect(self, host_id: str, address: str) -> Line:
        self.lines.append(Line(host_id, address))
        return self.lines[-1]


def a_directory(*members: Member) -> tuple[Directory, Leases]:
    leases = Leases(list(members))
    directory = Directory(leases.read, leases.connect)
    asyncio.run(directory.refresh())
    return directory, leases


def hosts(count: int) -> list[Member]:
    return [Member(f"host-{number}", f"unix:/{number}") for number in range(count)]


def found(directory: Directory, session_id: str) -> str | None:
    host = directory.find(session_id)
    return host.host_id if host is not None else None


def test_sessions_are_spread_over_all_hosts() -> None:
    directory, _ = a_directory(*hosts(3))
    counts = Counter(found(directory, f"s{number}") for number in range(3_000))
    assert set(counts) == {"host-0", "host-1", "host-2"}
    assert min(counts.values()) > 850


def test_without_hosts_there_is_none_to_ask() -> None:
    directory, _ = a_directory()
    assert directory.find("s") is None


def test_a_host_that_drains_gets_no_new_session_and_keeps_those_it_has() -> None:
    directory, leases = a_directory(*hosts(2))
    directory.pin("mine", "host-0")
    leases.members[0] = Member("host-0", "unix:/0", is_draining=True)
    asyncio.run(directory.refresh())
    assert {found(directory, f"s{number}") for number in range(100)} == {"host-1"}
    assert found(directory, "mine") == "host-0"


def test_that_a_host_drains_is_known_before_the_next_reading_when_it_says_so() -> None:
    directory, _ = a_directory(*hosts(2))
    directory.drains("host-1")
    assert {found(directory, f"s{number}") for number in range(100)} == {"host-0"}


def test_a_dedicated_host_is_found_by_its_session_alone() -> None:
    home = dedicated_host("mine")
    directory, _ = a_directory(*hosts(1), Member(home, "unix:/solo"))
    assert found(directory, "mine") == home
    assert {found(directory, f"s{number}") for number in range(100)} == {"host-0"}


def test_the_way_to_a_host_whose_lease_has_run_out_is_closed() -> None:
    directory, leases = a_directory(*hosts(2))
    del leases.members[0]
    asyncio.run(directory.refresh())
    assert [line.closed for line in leases.lines] == [True, False]
    assert directory.host_ids == ("host-1",)


def test_a_host_with_a_new_address_is_reached_there_and_the_old_way_is_closed() -> None:
    directory, leases = a_directory(*hosts(1))
    leases.members[0] = Member("host-0", "unix:/elsewhere")
    asyncio.run(directory.refresh())
    assert [(line.address, line.closed) for line in leases.lines] == [("unix:/0", True), ("unix:/elsewhere", False)]


def test_a_host_that_does_not_answer_comes_back_with_the_next_reading() -> None:
    directory, _ = a_directory(*hosts(1))
    directory.leave("host-0")
    assert directory.find("s") is None
    asyncio.run(directory.refresh())
    assert found(directory, "s") == "host-0"


def test_what_hosts_carry_is_read_with_their_leases() -> None:
    directory, leases = a_directory(*hosts(1))
    leases.members[0] = Member("host-0", "unix:/0", sessions=7, turns=2)
    asyncio.run(directory.refresh())
    assert [(one.sessions, one.turns) for one in directory.members] == [(7, 2)]
    assert len(leases.lines) == 1
