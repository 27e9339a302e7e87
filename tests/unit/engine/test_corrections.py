"""Another value in answer to a question: what it can only mean is taken, what could mean two is not."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from abl.languages import load_pack
from domain.json_values import JsonObject, JsonValue
from engine.answer_question import Asked
from engine.answers import read_answer
from engine.corrections import Correction, read_correction
from engine.extraction.fields import Reading, read_field

TODAY = date(2026, 3, 2)
TABLE = ("en", "Book table", {"people": 4, "day": "2026-12-12", "time": "19:00", "name": "Berg"})
SEAT = ("en", "Change seat", {"seat": "B1"})
PLAN = ("en", "Set plan", {"plan": "basic"})
MONEY = ("en", "Transfer money", {"amount": 50.0, "account": "12345678"})
ROOMS = ("de", "Ich buche 2 Plätze für 3 Tage. Soll ich das tun?", {"seats": 2, "days": 3})
TYPES = {"people": "integer", "day": "date", "amount": "number", "seats": "integer", "days": "integer"}
ENUMS = {"plan": ["basic", "pro", "pro max"]}
BIKE = ("pl", "Wypożyczyć rower na 3 dni?", {"days": 3})
UNCLEAR = Correction({}, is_unclear=True)


def asked_of(case: tuple[str, str, JsonObject]) -> Asked:
    _, words, arguments = case
    shown = ", ".join(f"{name}: {value}" for name, value in arguments.items())
    question = words if words.endswith("?") else f"{words} ({shown}). Shall I go ahead?"
    return Asked(question, (words.lower(),), arguments)


def corrected(case: tuple[str, str, JsonObject], text: str) -> Correction:
    pack = load_pack(case[0])
    parameters: list[JsonObject] = [
        {"name": name, "type": TYPES.get(name, "string"), "enum": ENUMS.get(name)} for name in case[2]
    ]

    def read(field: JsonObject, said: str) -> JsonValue:
        return read_field(field, Reading(text=said, is_asked=True, today=TODAY, words=pack))

    return read_correction(text, pack, asked_of(case), parameters, read)


@pytest.mark.parametrize(
    ("case", "text", "values"),
    [
        (TABLE, "make it 5 people", {"people": 5}),
        (TABLE, "not 4, 5 people", {"people": 5}),
        (TABLE, "make it 13 December", {"day": "2026-12-13"}),
        (TABLE, "no, 8 pm", {"time": "20:00"}),
        (TABLE, "change the name to Schmidt", {"name": "Schmidt"}),
        (TABLE, "make it two people and December 14", {"people": 2, "day": "2026-12-14"}),
        (SEAT, "change to B2", {"seat": "B2"}),
        (SEAT, "c3 please", {"seat": "C3"}),
        (PLAN, "yes, but pro", {"plan": "pro"}),
        (PLAN, "make it pro max", {"plan": "pro max"}),
        (MONEY, "make it 60", {"amount": 60}),
        (MONEY, "1,000", {"amount": 1000}),
        (MONEY, "49.99", {"amount": 49.99}),
        (MONEY, "make it 12345679", {"account": "12345679"}),
        (ROOMS, "ja, 3 Plätze", {"seats": 3}),
        (ROOMS, "ja, drei Plätze für zwei Tage", {"seats": 3, "days": 2}),
    ],
)
def test_a_value_is_taken_for_what_it_can_only_mean(case: Any, text: str, values: JsonObject) -> None:
    assert corrected(case, text) == Correction(values)


@pytest.mark.parametrize(("case", "text"), [(ROOMS, "lieber 4"), (ROOMS, "mach 4 draus"), (SEAT, "either B2 or B3")])
def test_what_could_mean_two_changes_nothing(case: Any, text: str) -> None:
    assert corrected(case, text) == UNCLEAR


@pytest.mark.parametrize(
    ("case", "text"),
    [
        (TABLE, "what about 5 people?"),
        (TABLE, "yes for 20 euros"),
        (PLAN, "not pro"),
        (SEAT, "yes B1"),
        (MONEY, "half"),
        (BIKE, "jedną chwilę"),
        (BIKE, "jedno pytanie"),
    ],
)
def test_what_gives_no_other_value_is_no_correction(case: Any, text: str) -> None:
    assert corrected(case, text) == Correction({})


@pytest.mark.parametrize(
    ("case", "text", "is_yes"),
    [
        (TABLE, "yes, 4 people", True),
        (TABLE, "yes, for Berg", True),
        (TABLE, "yes at 8", False),
        (TABLE, "yes tomorrow", False),
        (SEAT, "yes B1", True),
        (SEAT, "yes, seat 2", False),
        (MONEY, "yes, 50", True),
        (MONEY, "yes to 12345678", True),
        (MONEY, "yes 5", False),
        (ROOMS, "ja, zwei Plätze für drei Tage", True),
        (ROOMS, "ja, 2 Tage", False),
        (ROOMS, "ja 3", False),
        (ROOMS, "ja, beide Plätze", False),
    ],
)
def test_a_yes_may_repeat_values_where_they_belong(case: Any, text: str, *, is_yes: bool) -> None:
    label = read_answer(text, load_pack(case[0]), asked_of(case)).label
    assert (label == "yes") is is_yes
