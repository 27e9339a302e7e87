"""The audit of the kill test sees what a budget was charged with for nothing, or twice."""

from __future__ import annotations

from tests.prove.spending import USED, Noted, spending_of

WHOLE = 6_417


def a_charge(tx: int, tokens: int, *, hold: str = "", of: int = WHOLE) -> list[Noted]:
    return [Noted(str(tx), "taken", hold or f"hold_{tx}", of), Noted(str(tx), "spent", "", tokens)]


def test_every_charge_is_told_from_every_other() -> None:
    noted = [*a_charge(9, USED), *a_charge(10, WHOLE), *a_charge(11, 0), *a_charge(12, USED)]
    found = spending_of(noted)
    assert (found.answered, found.cut, found.freed, found.faults) == (2, (WHOLE,), 1, ())
    assert found.tokens == 2 * USED + WHOLE
    assert str(found) == "2 answers of 37 and 1 cut off at 6417"
    assert found.told(calls=3, left=0, spent=found.tokens) == []
    assert found.told(calls=4, left=1, spent=found.tokens) == []


def test_a_call_that_is_charged_twice_is_seen() -> None:
    twice = spending_of([*a_charge(1, USED, hold="h"), *a_charge(2, USED, hold="h")])
    assert twice.told(calls=2, left=0, spent=2 * USED) == ["budget: h is charged 2 times"]
    without = spending_of([*a_charge(1, USED), Noted("2", "spent", "", USED)])
    assert without.told(calls=2, left=0, spent=2 * USED)[0] == "budget: transaction 2 charges 1 times for []"
    more = spending_of([*a_charge(1, USED), *a_charge(2, USED)])
    assert more.told(calls=1, left=0, spent=2 * USED) == ["budget: 2 answers were charged, of 1"]


def test_a_charge_of_another_amount_or_none_is_seen() -> None:
    assert spending_of(a_charge(1, 2 * USED)).faults == ("hold_1 of 6417 tokens is charged with 74",)
    assert spending_of(a_charge(1, USED)).told(calls=1, left=0, spent=2 * USED) == [
        "budget: 74 tokens are spent, and 37 were charged"
    ]
    assert spending_of(a_charge(1, USED)).told(calls=3, left=1, spent=USED) == [
        "budget: 3 calls, of which 1 + 0 were charged, 1 held"
    ]
