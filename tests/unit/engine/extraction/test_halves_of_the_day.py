"""An hour beside a word for the afternoon or the evening, in each language. Spec: abl-language 3.3, 5.7."""

from __future__ import annotations

from datetime import date

from abl.languages import load_pack
from engine.extraction.dates import read_moment
from tests.support.cells import over

MONDAY = date(2026, 3, 2)


@over(
    "language, text, moment",
    [
        ("en", "tomorrow afternoon at 3", "2026-03-03T15:00:00"),
        ("en", "tonight at 8", "2026-03-02T20:00:00"),
        ("en", "good afternoon, tomorrow at 9", "2026-03-03T09:00:00"),
        ("en", "tomorrow at 8 in the morning", "2026-03-03T08:00:00"),
        ("de", "heute Abend um 8", "2026-03-02T20:00:00"),
        ("de", "morgen Abend um 8", "2026-03-03T20:00:00"),
        ("de", "morgen um 8", "2026-03-03T08:00:00"),
        ("fr", "demain soir à 8h", "2026-03-03T20:00:00"),
        ("fr", "ce soir à 8 heures", "2026-03-02T20:00:00"),
        ("it", "domani sera alle 8", "2026-03-03T20:00:00"),
        ("es", "esta noche a las 8", "2026-03-02T20:00:00"),
        ("pt", "amanhã à noite às 8", "2026-03-03T20:00:00"),
        ("nl", "morgenavond om 8", "2026-03-03T20:00:00"),
        ("nl", "vanavond om 8", "2026-03-02T20:00:00"),
        ("pl", "jutro wieczorem o 8", "2026-03-03T20:00:00"),
        ("tr", "yarın akşam saat 8", "2026-03-03T20:00:00"),
        ("tr", "yarın akşam 8'de", "2026-03-03T20:00:00"),
        ("ar", "غدا مساء الساعة 8", "2026-03-03T20:00:00"),
        ("hi", "कल शाम 8 बजे", "2026-03-03T20:00:00"),
        ("ja", "明日の晩8時", "2026-03-03T20:00:00"),
        ("ja", "明日の夜8時", "2026-03-03T20:00:00"),
        ("en", "tonight at 2", "2026-03-02T02:00:00"),
        ("en", "friday night at 10", "2026-03-06T22:00:00"),
        ("en", "tomorrow evening 7:30", "2026-03-03T19:30:00"),
    ],
)
def test_the_half_of_the_day_is_heard(language: str, text: str, moment: str) -> None:
    assert read_moment(text, MONDAY, load_pack(language)) == moment
