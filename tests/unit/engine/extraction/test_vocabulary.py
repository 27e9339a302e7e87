from __future__ import annotations

from datetime import date

import pytest

from abl.languages import BUILT_IN_WORDS, TAGS, load_pack
from engine.extraction.choices import means
from engine.extraction.dates import read_date, read_time
from engine.extraction.numbers import read_number
from engine.extraction.vocabulary import vocabulary

ENGLISH, GERMAN = load_pack("en"), load_pack("de")

TODAY = date(2026, 3, 2)


def test_a_language_is_found_by_its_tag_and_english_stands_in() -> None:
    assert vocabulary("de-AT").tag == GERMAN.tag
    assert vocabulary("xx").tag == ENGLISH.tag


@pytest.mark.parametrize("tag", TAGS)
def test_every_language_knows_all_built_in_words(tag: str) -> None:
    words = load_pack(tag)
    assert all(getattr(words, word) for word in BUILT_IN_WORDS)
    assert (len(words.months), len(words.weekdays)) == (12, 7)


@pytest.mark.parametrize(
    ("text", "day"),
    [("am 5. März", "2026-03-05"), ("übermorgen", "2026-03-04"), ("in fünf Tagen", "2026-03-07"), ("nächste Woche", "2026-03-09"), ("am Freitag", "2026-03-06")],
)  # fmt: skip
def test_german_days(text: str, day: str) -> None:
    assert read_date(text, TODAY, GERMAN) == day


def test_german_numbers_times_and_answers() -> None:
    found = read_number("dreiundvierzig Euro", GERMAN)
    assert found is not None
    assert found[0] == 43
    assert read_time("um 9 Uhr", GERMAN) == "09:00"
    assert means("Nein, danke", "no", GERMAN)
