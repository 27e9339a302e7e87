"""The number a message gives to a field: never that of a day or a time, and none where it is unclear which is meant."""

from __future__ import annotations

from datetime import date
from typing import Any

from abl.languages import load_pack
from engine.extraction.fields import Reading, read_field
from tests.support.cells import over

MONDAY = date(2026, 3, 2)


def read(kind: str, text: str, tag: str = "en", *, name: str = "guests", is_asked: bool = True) -> Any:
    return read_field({"name": name, "type": kind}, Reading(text, is_asked, MONDAY, load_pack(tag)))


BESIDE_A_DAY = {
    "en": ("a table for four on 3 December", "a table for four on December 3rd, 2026", "3/12 for four, please"),
    "de": ("ein Tisch für vier am 3. Dezember", "am 3.12. für vier", "vier Personen am 3. Dezember 2026"),
    "fr": ("une table pour quatre le 3 décembre", "le 3 décembre pour quatre", "quatre personnes le 03/12/2026"),
    "es": ("una mesa para cuatro el 3 de diciembre", "el 3 de diciembre para cuatro", "cuatro personas el 3/12"),
    "it": ("un tavolo per quattro il 3 dicembre", "il 3 dicembre per quattro", "quattro persone il 3/12/2026"),
    "pt": ("uma mesa para quatro no dia 3 de dezembro", "dia 3 de dezembro para quatro", "quatro pessoas em 3/12"),
    "nl": ("een tafel voor vier op 3 december", "op 3 december voor vier", "vier personen op 3 december 2026"),
    "pl": ("stolik dla czterech osób na 3 grudnia", "3 grudnia, cztery osoby", "cztery osoby 3 grudnia 2026"),
    "tr": ("3 Aralık için dört kişilik bir masa", "dört kişi, 3 Aralık", "dört kişi 3/12/2026"),
    "ar": ("طاولة يوم 3 ديسمبر أربعة أشخاص", "يوم 3 ديسمبر أربعة أشخاص", "أربعة أشخاص 3/12/2026"),
    "hi": ("3 दिसंबर को चार लोगों के लिए मेज़", "चार लोग 3 दिसंबर को", "चार लोग 3/12/2026"),
    "ja": ("12月3日に四人です", "四人で12月3日", "2026年12月3日、4人です"),
}


@over("tag, text", [(tag, text) for tag, texts in BESIDE_A_DAY.items() for text in texts])
def test_a_number_beside_a_day_is_not_that_of_the_day(tag: str, text: str) -> None:
    assert read("integer", text, tag) == 4


ONLY_A_DAY = {
    "en": ("3 December", "on 3 December at 19:30", "December 3rd", "half past seven", "7:30 pm", "2026-12-03"),
    "de": ("3. Dezember", "am 3. Dezember um 19:30 Uhr", "halb acht", "dritter Dezember", "3.12.2026"),
    "fr": ("3 décembre", "le 3 décembre à 19h30", "sept heures et demie"),
    "es": ("3 de diciembre", "el 3 de diciembre a las 19:30", "las siete y media"),
    "it": ("3 dicembre", "il 3 dicembre alle 19:30", "le sette e mezza"),
    "pt": ("3 de dezembro", "dia 3 de dezembro às 19:30", "sete e meia"),
    "nl": ("3 december", "op 3 december om 19:30", "half acht"),
    "pl": ("3 grudnia", "3 grudnia o 19:30", "wpół do ósmej"),
    "tr": ("3 Aralık", "3 Aralık saat 19:30", "yedi buçukta"),
    "ar": ("3 ديسمبر", "يوم 3 ديسمبر الساعة 19:30", "السابعة والنصف"),
    "hi": ("3 दिसंबर", "3 दिसंबर को 19:30 बजे", "साढ़े सात बजे"),
    "ja": ("12月3日", "12月3日の19時30分", "七時半"),
}


@over("tag, text", [(tag, text) for tag, texts in ONLY_A_DAY.items() for text in texts])
def test_a_day_and_a_time_alone_are_no_number(tag: str, text: str) -> None:
    assert read("integer", text, tag) is None
    assert read("number", text, tag) is None
    assert read("currency", text, tag) is None


INSTEAD = {
    "en": ("not 4 but 5", "5, not 4", "five instead of four", "no, 5"),
    "de": ("nicht 4 sondern 5", "nicht vier, sondern fünf", "5 statt 4", "5, nicht 4"),
    "fr": ("pas 4 mais 5", "5 au lieu de 4", "5, pas 4"),
    "es": ("no 4 sino 5", "5 en vez de 4", "5, no 4"),
    "it": ("non 4 ma 5", "5 invece di 4", "5, non 4"),
    "pt": ("não 4 mas sim 5", "5 em vez de 4", "5, não 4"),
    "nl": ("niet 4 maar 5", "5 in plaats van 4", "5, niet 4"),
    "pl": ("nie 4 tylko 5", "5 zamiast 4", "5, nie 4"),
    "tr": ("4 değil 5", "4 yerine 5"),
    "ar": ("ليس 4 بل 5", "5 بدلا من 4"),
    "hi": ("4 नहीं 5", "4 की जगह 5"),
    "ja": ("4ではなく5", "4じゃなくて5です"),
}


@over("tag, text", [(tag, text) for tag, texts in INSTEAD.items() for text in texts])
def test_what_is_said_instead_is_the_number(tag: str, text: str) -> None:
    assert read("integer", text, tag) == 5


UNCLEAR = {
    "en": ("two or three", "2 or 3", "2-3", "2 to 3", "between two and three", "two or 3", "not 4", "4 5", "4, no, 5",
           "one person and two children", "2 or 3 guests", "twelve fifty", "nineteen ninety nine", "twenty twenty",
           "12 dollars 50"),
    "de": ("zwei oder drei", "2 bis 3", "2 oder 3", "nicht 4"),
    "fr": ("deux ou trois", "2 ou 3", "pas 4"),
    "es": ("dos o tres", "2 o 3"),
    "it": ("due o tre", "2 o 3", "non 4"),
    "pt": ("dois ou três", "2 ou 3"),
    "nl": ("twee of drie", "2 of 3", "niet 4"),
    "pl": ("dwa lub trzy", "2 albo 3", "nie 4"),
    "tr": ("iki veya üç", "2 ya da 3", "4 değil"),
    "ar": ("اثنان أو ثلاثة", "2 أو 3", "ليس 4"),
    "hi": ("दो या तीन", "2 या 3"),
    "ja": ("2か3", "二か三", "2または3"),
}  # fmt: skip


@over("tag, text", [(tag, text) for tag, texts in UNCLEAR.items() for text in texts])
def test_of_two_numbers_none_is_guessed(tag: str, text: str) -> None:
    assert read("integer", text, tag) is None
    assert read("currency", text, tag) is None


@over(
    ("text", "value"),
    [
        ("at 8 for four people", 4),
        ("four people at 8 pm", 4),
        ("tomorrow at half past seven for two", 2),
        ("four, at eight", 4),
        ("2 (two)", 2),
        ("3 nights, 2 guests", 2),
        ("one", 1),
        ("5 of them", 5),
        ("in three days", 3),
    ],
)
def test_the_number_that_stands_for_itself_is_taken(text: str, value: int) -> None:
    assert read("integer", text) == value


@over(
    ("tag", "text", "value"),
    [
        ("en", "2.5", None),
        ("en", "2.5.", "2026-05-02"),
        ("en", "2.5.2026", "2026-05-02"),
        ("en", "2/5", "2026-05-02"),
        ("hi", "2.5", None),
        ("de", "2.5.", "2026-05-02"),
        ("de", "24.12", "2026-12-24"),
    ],
)
def test_a_decimal_is_no_day(tag: str, text: str, value: str | None) -> None:
    assert read("date", text, tag) == value


NAMED_TWICE = (
    ("floor", "room 4, floor 2", 2),
    ("floor", "floor 2, room 4", 2),
    ("floor", "room 4 on floor 2", 2),
    ("floor", "room 4 floor 2", 2),
    ("floor", "room 4 floor 2, please", 2),
    ("floor", "4th floor room 2", 4),
    ("floor", "the 2nd floor, room 4", 2),
    ("floor_number", "Room 4. Floor 2.", 2),
    ("room", "room 4, floor 2", 4),
    ("room", "floor 2, room 4", 4),
    ("room", "floor 2 room 4", 4),
    ("room", "4th floor room 2", 2),
    ("adults", "2 adults 1 child", 2),
    ("adults", "we need 2 adults 1 child", 2),
    ("adults", "3 children 2 adults", 2),
    ("children", "3 children 2 adults", 3),
    ("stock", "Zimmer 4, Stock 2", 2),
)


@over("name, text, number", NAMED_TWICE)
def test_a_name_between_two_numbers_belongs_to_one_of_them(name: str, text: str, number: int) -> None:
    tag = "de" if "Zimmer" in text else "en"
    assert read("integer", text, tag, name=name) == number
    assert read("integer", text, tag, name=name, is_asked=False) == number
    assert read("currency", text, tag, name=name, is_asked=False) == number


COUNTS_ANOTHER = {
    "en": "one moment|one sec|one question|one question first|one more|one moment please|"
    "give me one minute|the first one|one of us|another one|have a good one|a couple|one thing|one or two",
    "de": "eine Frage|eine Frage noch|einen Moment|einen Moment bitte|ein anderer|ein paar|ein paar Tage|"
    "ein bisschen|noch eine|eine Sekunde|eine andere Frage|ein Problem",
    "fr": "une question|un instant|un peu|un autre|une minute|encore une|un problème|une chose|"
    "un moment s'il vous plaît",
    "es": "una pregunta|un momento|un poco|otra|un segundo|una cosa|un problema|una pregunta más",
    "it": "una domanda|un attimo|un po'|un momento|un altro|una cosa|un secondo|un po",
    "pt": "uma pergunta|um momento|um pouco|um minuto|uma coisa|um problema|um outro",
    "nl": "een vraag|een moment|een paar|een ander|een momentje|een beetje|nog een|een paar dagen",
    "pl": "jedną chwilę|jedno pytanie|jeszcze jeden|jedna rzecz|jedną sekundę",
    "tr": "bir soru|bir dakika|bir saniye|bir şey|bir daha|biraz|bir an|bir sorum var",
    "ar": "سؤال واحد|لحظة واحدة|دقيقة واحدة|واحد آخر|شيء واحد",
    "hi": "एक सवाल|एक मिनट|एक बात|एक और|एक सेकंड|एक प्रश्न",
    "ja": "一つ質問|一つ質問があります|もう一つ|ひとつ質問",
}
"""A word of one beside what is no thing that was asked for."""
COUNTS_ONE = {
    "en": "one|just one|one please|one, thanks|one day|1|one person|only one|for one|one night please|"
    "I need one|one is enough|one if possible|one!",
    "de": "ein|eins|eine bitte|einen Tag|nur einen|eine Person|ein Tag bitte|für einen|1|eine Nacht",
    "fr": "un|une s'il vous plaît|un jour|juste un|une personne|un seul|une nuit",
    "es": "uno|una por favor|un día|solo uno|una persona|una noche",
    "it": "uno|una per favore|un giorno|solo uno|una persona|una notte",
    "pt": "um|uma por favor|um dia|só um|uma pessoa|uma noite",
    "nl": "een|eentje|een alstublieft|een dag|maar een|een persoon|één nacht",
    "pl": "jeden|jedna|jeden dzień|tylko jeden|jedna osoba|jedną noc|jeden proszę",
    "tr": "bir|bir lütfen|bir gün|sadece bir|bir kişi|bir tane",
    "ar": "واحد|واحد من فضلك|يوم واحد|شخص واحد|ليلة واحدة|واحد فقط",
    "hi": "एक|एक दिन|सिर्फ एक|एक व्यक्ति|एक ही",
    "ja": "一|一日|一人|ひとり|一つ|一つお願いします|一名です|一泊",
}
PAIRS = {
    "it": "un paio=2|una decina=10",
    "es": "un par=2|un par de días=2",
    "pt": "um par=2",
    "fr": "une paire=2|une dizaine=10|une dizaine de jours=10",
    "tr": "bir çift=2",
    "de": "ein Dutzend=12",
    "en": "two=2",
}


def in_rows(rows: dict[str, str]) -> list[tuple[str, str]]:
    return [(tag, text) for tag, texts in rows.items() for text in texts.split("|")]


@over("tag, text", in_rows(COUNTS_ANOTHER))
def test_a_one_that_counts_something_else_is_no_number(tag: str, text: str) -> None:
    assert read("number", text, tag, name="days") is None


@over("tag, text", in_rows(COUNTS_ONE))
def test_a_one_alone_or_of_what_was_asked_is_one(tag: str, text: str) -> None:
    assert read("number", text, tag, name="days") == 1


@over("tag, text", in_rows(PAIRS))
def test_a_pair_and_ten_in_one_word_are_their_number(tag: str, text: str) -> None:
    said, _, value = text.partition("=")
    assert read("number", said, tag, name="days") == int(value)


def test_a_one_counts_what_the_question_of_its_field_names() -> None:
    field = {"name": "orders", "type": "number", "prompt": "Wie viele Tische brauchen Sie?"}
    german = load_pack("de")
    assert read_field(field, Reading("einen Tisch bitte", True, MONDAY, german)) == 1
    assert read_field(field, Reading("eine Frage bitte", True, MONDAY, german)) is None


def test_figures_and_a_unit_that_is_a_word_of_waiting_stay_numbers() -> None:
    field = {"name": "minutes", "type": "number", "prompt": "Kaç dakika?"}
    turkish = load_pack("tr")
    assert read_field(field, Reading("bir dakika", True, MONDAY, turkish)) == 1
    assert read("number", "1 moment", name="days") == 1
