from __future__ import annotations

import pytest

from actors.directory import Member
from actors.host_numbers import HostNumbers
from actors.placement import dedicated_host
from actors.tally import Tally


def told(numbers: HostNumbers, *members: Member, own: dict[str, int] | None = None) -> dict[str, float]:
    """Return what is told, by name and labels."""
    return {" ".join([name, *labels.values()]): value for name, labels, value in numbers.rows(members, own or {})}


def test_hosts_are_told_with_what_they_carry_and_those_of_single_sessions_together() -> None:
    solo = [Member(dedicated_host(f"sess_{n}"), "unix:/solo", sessions=1, rss_bytes=10) for n in range(3)]
    rows = told(HostNumbers(), Member("host-0", "unix:/0", sessions=7, turns=2, waiting=5), *solo)
    assert (rows["abl_host_live_sessions host-0"], rows["abl_host_waiting_turns host-0"]) == (7, 5)
    assert (rows["abl_host_live_sessions dedicated"], rows["abl_host_resident_bytes dedicated"]) == (3, 30)
    assert not [name for name in rows if "sess_" in name]


def test_counts_only_rise_also_when_a_host_begins_anew_or_is_gone() -> None:
    numbers = HostNumbers()

    def calls(*members: Member) -> float:
        return told(numbers, *members).get("abl_tool_calls_total host-0 ok", 0.0)

    def host(count: int) -> Member:
        return Member("host-0", "unix:/0", counts={"tool:ok": count})

    assert [calls(host(4)), calls(host(4)), calls(host(9)), calls(), calls(host(2)), calls(host(3))] == [
        *(4, 4, 9),
        *(9, 11, 12),
    ]


def test_counts_of_dedicated_hosts_are_one_sum_that_does_not_fall_when_one_ends() -> None:
    numbers = HostNumbers()
    one, other = (Member(dedicated_host(name), "unix:/solo", counts={"model:ok": 2}) for name in ("a", "b"))
    assert told(numbers, one)["abl_model_calls_total dedicated ok"] == 2
    assert told(numbers, other)["abl_model_calls_total dedicated ok"] == 4
    assert told(numbers)["abl_model_calls_total dedicated ok"] == 4


def test_what_this_process_asked_itself_is_told_as_the_gateways() -> None:
    assert told(HostNumbers(), own={"model:llm_timeout": 1})["abl_model_calls_total gateway llm_timeout"] == 1


@pytest.mark.parametrize("end", ["llm_timeout", "budget_exceeded", "credential_not_found"])
def test_an_end_of_a_model_call_is_counted_under_its_kind(end: str) -> None:
    tally = Tally()
    tally.model(end)
    tally.model(end)
    assert tally.counts() == {f"model:{end}": 2}


def test_ends_that_nobody_has_named_are_one_label() -> None:
    tally = Tally()
    for number in range(100):
        tally.tool(f"error-{number}")
        tally.model(f"error-{number}")
    assert tally.counts() == {"tool:other": 100, "model:other": 100}
