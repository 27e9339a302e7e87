"""What is refused, left open, relative or a fraction gives no value; what stands in its place does. Decision: 0083."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from abl.languages import load_pack
from engine.extraction.fields import Reading, read_field
from engine.extraction.side_questions import is_question
from tests.support.cells import over

MONDAY = date(2026, 3, 2)
BIKES = ["city", "road", "e-bike"]


def read(kind: str, text: str, tag: str = "en") -> Any:
    field = {"name": "value", "type": kind, **({"enum_values": BIKES} if kind == "enum" else {})}
    return read_field(field, Reading(text, True, MONDAY, load_pack(tag)))


NO_VALUE = """
en enum not the city one
en enum anything but road
en enum no road
en enum I do not want a road bike
en enum city or road
en date not today
en date not tomorrow
en date any day but friday
en date tomorrow or friday
en date 3 or 4 march
en time not at 5
en time between 5 and 6pm
en number half a dozen
en number two dozen
en number one and a half
en number one third
en number three quarters
en number 1e3
en number 1½
en number half a million
en integer one of us may come later
en integer the 5th
en email a@b.de or c@d.de
en phone 12/24/2026
de date nicht morgen
de date außer Montag
de date morgen geht nicht
de time nicht um 5
de number ein halbes Dutzend
fr date pas demain
fr number une demi-douzaine
es date mañana no
es number media docena
it date non domani
it number mezza dozzina
pt date amanhã não
pt number meia dúzia
nl date niet morgen
nl number een half dozijn
pl date nie jutro
pl number pół tuzina
tr date yarın değil
tr number yarım düzine
ar date ليس غدا
hi date कल नहीं
ja date 明日じゃない
"""
VALUES = """
en enum not city but road => road
en enum no, the road one => road
en date not tomorrow but friday => 2026-03-06
en date no problem, friday => 2026-03-06
en date last friday => 2026-02-27
en date the day before yesterday => 2026-02-28
en date a week from friday => 2026-03-13
en email not a@b.de but c@d.de => c@d.de
en number minus five => -5
en time twenty past seven pm => 19:20
de date Freitag in einer Woche => 2026-03-13
de date letzten Montag => 2026-02-23
de date nicht morgen, sondern am Freitag => 2026-03-06
de time fünf vor halb acht => 07:25
de number minus fünf => -5
fr date lundi dernier => 2026-02-23
fr number moins cinq => -5
fr number au moins cinq => 5
es date el lunes pasado => 2026-02-23
es number al menos cinco => 5
it date lunedì scorso => 2026-02-23
it date tra tre giorni => 2026-03-05
pt date segunda passada => 2026-02-23
nl date vorige maandag => 2026-02-23
nl time vijf voor half acht => 07:25
pl date w zeszły poniedziałek => 2026-02-23
tr date geçen pazartesi => 2026-02-23
tr date yarın değil cuma => 2026-03-06
ar date الاثنين الماضي => 2026-02-23
hi date पिछले सोमवार => 2026-02-23
hi number 1,50,000 => 150000
ja date 再来週 => 2026-03-16
ja date 先週の月曜日 => 2026-02-23
ja date 明日じゃなくて金曜日 => 2026-03-06
ja number マイナス5 => -5
"""


@over("line", NO_VALUE.strip().splitlines())
def test_what_is_refused_or_left_open_gives_no_value(line: str) -> None:
    tag, kind, text = line.split(" ", 2)
    assert read(kind, text, tag) is None


@over("line", VALUES.strip().splitlines())
def test_what_is_stated_is_the_value(line: str) -> None:
    told, _, value = line.partition(" => ")
    tag, kind, text = told.split(" ", 2)
    assert str(read(kind, text, tag)) == value


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("how much is one kilo", True),
        ("how much is the road bike?", True),
        ("are you open on monday?", True),
        ("what is typical for 2 nights?", True),
        ("how about 7 kilos?", False),
        ("can I have the road bike?", False),
        ("the road bike", False),
    ],
)
def test_a_question_is_told_from_a_wish(text: str, asks: bool) -> None:
    assert is_question(text, load_pack("en")) is asks


@over("line", ["en no idea", "en yes and no", "en I'd rather not say", "de weiß nicht", "fr je ne sais pas",
               "es no sé", "it non lo so", "pt não sei", "nl geen idee", "pl nie wiem", "tr bilmiyorum",
               "ar لا أعرف", "hi पता नहीं", "ja わかりません"])  # fmt: skip
def test_who_does_not_know_says_neither_yes_nor_no(line: str) -> None:
    tag, _, text = line.partition(" ")
    assert read("boolean", text, tag) is None
