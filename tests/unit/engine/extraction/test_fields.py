from __future__ import annotations

from datetime import date
from typing import Any

from abl.languages import load_pack
from engine.extraction.fields import Reading, read_field
from tests.support.cells import over

ENGLISH = load_pack("en")
MONDAY = date(2026, 3, 2)


def read(field: dict[str, Any], text: str, *, is_asked: bool = True) -> Any:
    return read_field({"name": "value", **field}, Reading(text, is_asked, MONDAY, ENGLISH))


@over(
    ("kind", "text", "value"),
    [
        ("number", "about 1,200.5 of them", 1200.5),
        ("number", "twenty-five", 25),
        ("number", "two hundred and ten", 210),
        ("integer", "3 people", 3),
        ("integer", "3.5", None),
        ("currency", "€ 1.250,50", 1250.5),
        ("currency", "5k dollars", 5000),
        ("boolean", "yes please", True),
        ("boolean", "no, never", False),
        ("boolean", "maybe", None),
        ("date", "2026-05-01", "2026-05-01"),
        ("date", "3 May", "2026-05-03"),
        ("date", "May 3rd, 1990", "1990-05-03"),
        ("date", "1 February", "2027-02-01"),
        ("date", "24.12.2026", "2026-12-24"),
        ("date", "12/25/2026", "2026-12-25"),
        ("date", "tomorrow", "2026-03-03"),
        ("date", "the day after tomorrow", "2026-03-04"),
        ("date", "next friday", "2026-03-06"),
        ("date", "monday", "2026-03-09"),
        ("date", "in three weeks", "2026-03-23"),
        ("date", "in 2 months", "2026-05-02"),
        ("date", "31.02.2026", None),
        ("datetime", "tomorrow at 3pm", "2026-03-03T15:00:00"),
        ("time", "at 8:30", "08:30"),
        ("time", "noon", "12:00"),
        ("email", "write to anna.b@mail.example.org please", "anna.b@mail.example.org"),
        ("email", "no mail", None),
        ("phone", "call (030) 123-4567", "030 123 4567"),
        ("phone", "+49 30 1234567", "+49 30 1234567"),
        ("location", "I want to go to New York", "New York"),
        ("free_text", "it is a blue box.", "a blue box"),
        ("string", "My name is Anna Berg", "Anna Berg"),
    ],
)
def test_a_value_is_read_by_its_type(kind: str, text: str, value: Any) -> None:
    assert read({"type": kind}, text) == value


def test_options_are_found_by_name_synonym_and_near_spelling() -> None:
    field = {"type": "enum", "enum_values": ["two_years", "flexible"], "synonyms": {"flexible": ["no contract"]}}
    assert read(field, "two years, please") == "two_years"
    assert read(field, "rather no contract") == "flexible"
    assert read(field, "flexibel") == "flexible"
    assert read(field, "purple") is None


def test_a_pattern_is_found_inside_a_sentence() -> None:
    field = {"type": "string", "validation": {"type": "pattern", "rule": r"^[A-Z]{2}\d{3}$"}}
    assert read(field, "the code is AB123, I think", is_asked=False) == "AB123"
    assert read(field, "ab123") is None


def test_an_extraction_pattern_gives_its_group() -> None:
    field = {"type": "pattern", "extraction_pattern": r"no\. (\d+)", "extraction_group": 1}
    assert read(field, "it is no. 42", is_asked=False) == "42"


def test_a_field_nobody_asked_for_takes_no_free_text_and_no_stray_number() -> None:
    assert read({"type": "string"}, "hello there", is_asked=False) is None
    assert read({"type": "integer", "name": "nights"}, "two of us and 7 bags", is_asked=False) is None
    assert read({"type": "integer", "name": "nights"}, "3 May, 4 nights", is_asked=False) == 4


def test_places_are_told_apart_by_their_prepositions() -> None:
    text = "From Berlin to New York"
    assert read({"type": "location", "name": "origin"}, text, is_asked=False) == "Berlin"
    assert read({"type": "location", "name": "destination"}, text, is_asked=False) == "New York"


def test_a_list_field_gives_several_values() -> None:
    assert read({"type": "string", "list": True}, "cough, fever and pain") == ["cough", "fever", "pain"]
