"""Short names of days that are other words as well: a room with a view of the sea is not for Wednesday."""

from datetime import date

import pytest

from abl.languages import load_pack
from engine.extraction.dates import read_date

MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("de", "ein Zimmer mit Bad"),
        ("de", "die Tage sind falsch"),
        ("en", "the sun is out"),
        ("en", "we sat down"),
        ("fr", "vue sur mer"),
        ("es", "vista al mar"),
        ("it", "il mar ligure"),
        ("pt", "quero ter um quarto"),
        ("nl", "een vrij bed"),
    ],
)
def test_another_word_is_no_day(tag: str, text: str) -> None:
    assert read_date(text, MONDAY, load_pack(tag)) is None


@pytest.mark.parametrize(
    ("tag", "text", "day"),
    [
        ("de", "am Di", "2026-03-03"),
        ("de", "nächsten Mi um 5", "2026-03-04"),
        ("en", "sat please", "2026-03-07"),
        ("en", "on sat at 5", "2026-03-07"),
        ("en", "next fri please", "2026-03-06"),
        ("fr", "mar", "2026-03-03"),
        ("es", "el vie", "2026-03-06"),
        ("pt", "na sexta à tarde por favor", "2026-03-06"),
        ("nl", "op vrij", "2026-03-06"),
    ],
)
def test_a_short_name_with_little_beside_it_is_the_day(tag: str, text: str, day: str) -> None:
    assert read_date(text, MONDAY, load_pack(tag)) == day
