"""Numbers and days that only look like the one that was asked for. Spec: abl-language 3.3, 5.7."""

from __future__ import annotations

from datetime import date

from abl.languages import load_pack
from engine.extraction.amounts import meant_amount
from engine.extraction.dates import read_date
from tests.support.cells import over

MONDAY = date(2026, 3, 2)


def amount(text: str, language: str = "en") -> float | None:
    return meant_amount(text, load_pack(language), lambda *_: None)


@over(
    "language, text, value",
    [
        ("en", "five point two", 5.2),
        ("en", "5 point 25 please", 5.25),
        ("en", "minus five point two five", -5.25),
        ("en", "point five", 0.5),
        ("de", "fünf Komma zwei", 5.2),
        ("de", "zwölf komma fünf null", 12.5),
        ("fr", "cinq virgule deux", 5.2),
        ("es", "cinco coma dos", 5.2),
        ("it", "cinque virgola due", 5.2),
        ("pt", "cinco vírgula dois", 5.2),
        ("nl", "vijf komma twee", 5.2),
        ("pl", "pięć przecinek dwa", 5.2),
        ("tr", "beş virgül iki", 5.2),
        ("ar", "خمسة فاصلة اثنان", 5.2),
        ("hi", "पाँच दशमलव दो", 5.2),
        ("ja", "五点二", 5.2),
    ],
)
def test_a_number_is_read_with_its_decimals(language: str, text: str, value: float) -> None:
    assert amount(text, language) == value


@over("text", ["5.5.5", "1.2.3.4", "3 adults and 2 children", "2 hours 30 minutes", "6 feet 2", "2 x 3", "5, no 6"])
def test_what_could_be_several_numbers_is_none(text: str) -> None:
    assert amount(text) is None


@over("text, value", [("5", 5), ("5. Thanks", 5), ("5, not 6", 5), ("the point is 5", 5)])
def test_one_number_is_read(text: str, value: float) -> None:
    assert amount(text) == value


@over(
    "language, text",
    [
        ("en", "before friday"),
        ("en", "after the 24th of December"),
        ("en", "two days before friday"),
        ("de", "vor Freitag"),
        ("de", "nach dem 5. Mai"),
        ("fr", "avant vendredi"),
        ("es", "antes del viernes"),
        ("it", "dopo venerdì"),
        ("pt", "depois da sexta-feira"),
        ("nl", "na vrijdag"),
        ("pl", "przed piątkiem"),
        ("tr", "cuma'dan önce"),
        ("ar", "قبل الجمعة"),
        ("hi", "शुक्रवार से पहले"),
        ("ja", "金曜日より前"),
    ],
)
def test_the_time_before_or_behind_a_day_is_no_day(language: str, text: str) -> None:
    assert read_date(text, MONDAY, load_pack(language)) is None


@over(
    "language, text, day",
    [
        ("en", "Friday the 13th", "2026-03-13"),
        ("en", "friday 13", None),
        ("en", "friday 6", "2026-03-06"),
        ("en", "friday 27", "2026-03-27"),
        ("en", "friday 5", None),
        ("en", "monday the 3rd", None),
        ("de", "Freitag, den 13.", "2026-03-13"),
        ("fr", "vendredi 27", "2026-03-27"),
        ("en", "by friday", "2026-03-06"),
        ("en", "the day after tomorrow", "2026-03-04"),
        ("en", "24 Dec 25", "2025-12-24"),
        ("en", "24 Dec 10", "2026-12-24"),
    ],
)
def test_the_number_beside_a_day_says_which_one(language: str, text: str, day: str | None) -> None:
    assert read_date(text, MONDAY, load_pack(language)) == day
