"""Conditions of agents beside the Python lambdas that say the same: how many times as long the compiled ones take."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from timeit import timeit
from typing import Any

from abl.expressions import compile_condition

Variables = dict[str, Any]

VARIABLES: Variables = {
    "amount": 120,
    "status": "open",
    "plan": "gold",
    "name": "Ada",
    "confirmed": True,
    "turns": 3,
    "parcel": {"status": "missed", "weight": 12.5},
    "text": "where is my parcel",
}
ORDINARY: dict[str, Callable[[Variables], object]] = {
    "amount > 100": lambda v: v["amount"] > 100,
    'status == "open"': lambda v: v["status"] == "open",
    'status != "closed"': lambda v: v["status"] != "closed",
    'parcel.status == "missed"': lambda v: v["parcel"]["status"] == "missed",
    "amount >= 100 AND amount < 500": lambda v: v["amount"] >= 100 and v["amount"] < 500,
    'plan IN ["gold", "silver"]': lambda v: v["plan"] in ("gold", "silver"),
    'confirmed == true AND status == "open"': lambda v: v["confirmed"] is True and v["status"] == "open",
    "NOT confirmed": lambda v: not v["confirmed"],
    "name IS SET": lambda v: v.get("name") is not None,
    'turns > 12 OR plan == "gold" AND amount > 50': lambda v: (
        v["turns"] > 12 or (v["plan"] == "gold" and v["amount"] > 50)
    ),
    'text CONTAINS "parcel"': lambda v: "parcel" in v["text"],
}
"""What the conditions of agents look like: names and paths against constants."""
ARITHMETIC: dict[str, Callable[[Variables], object]] = {
    "amount * 2 > 200": lambda v: v["amount"] * 2 > 200,
    "amount + turns <= 500": lambda v: v["amount"] + v["turns"] <= 500,
}
"""The rarer ones that compute first; every step keeps numbers finite and texts out, which Python's operators do not."""

LOOPS = 20_000


def ratios(conditions: dict[str, Callable[[Variables], object]], rounds: int = 7) -> dict[str, float]:
    """Return condition -> its time as a multiple of the lambda's, the shortest of `rounds` turns each."""
    found = {}
    for text, plain in conditions.items():
        compiled = compile_condition(text)
        assert compiled(VARIABLES) == bool(plain(VARIABLES)), text
        ours, theirs = partial(compiled, VARIABLES), partial(plain, VARIABLES)
        turns = [(timeit(ours, number=LOOPS), timeit(theirs, number=LOOPS)) for _ in range(rounds)]
        found[text] = min(mine for mine, _ in turns) / min(other for _, other in turns)
    return found
