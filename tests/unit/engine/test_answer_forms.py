"""Forms that change what an answer means: plurals, accents left out, numbers beside another's word, the hour."""

from __future__ import annotations

import pytest

from abl.languages import load_pack
from domain.json_values import JsonObject
from engine.answer_forms import is_plural_of, told_time
from engine.answers import Asked, read_answer

CARD: JsonObject = {"card": "4421"}
QUESTIONS: dict[str, tuple[str, str, JsonObject]] = {
    "de": ("Ich sperre die Karte 4421. Soll ich das tun?", "block card", CARD),
    "it": ("Sto per bloccare la carta 4421. Procedo?", "block card", CARD),
    "nl": ("Ik blokkeer de kaart 4421. Zal ik doorgaan?", "block card", CARD),
    "pl": ("Zablokuję kartę 4421. Czy mam to zrobić?", "block card", CARD),
    "fr": ("Je vais bloquer le compte 4421. Je continue ?", "block card", CARD),
    "es": ("Voy a bloquear la tarjeta 4421. ¿Sigo?", "block card", CARD),
    "pt": ("Vou bloquear o cartão 4421. Posso continuar?", "block card", CARD),
    "tr": ("4421 numaralı kartı bloke edeceğim. Devam edeyim mi?", "block card", CARD),
    "ar": ("سأوقف البطاقة 4421 نهائيا. هل أتابع؟", "block card", CARD),
    "hi": ("मैं कार्ड 4421 ब्लॉक कर दूँगा। क्या आगे बढ़ूँ?", "block card", CARD),
    "en": ("Rent bike (days: 3, guests: 2). Shall I go ahead?", "rent bike", {"days": 3, "guests": 2}),
}
TAXI = Asked("Yarın sabah saat 6'ya taksi çağırayım mı?", ("order taxi",), {"time": "06:00"})
DENTIST = Asked("Zal ik uw afspraak verzetten naar dinsdag half drie?", ("reschedule",), {"time": "14:30"})
TABLE = Asked("Soll ich um 20 Uhr einen Tisch für vier Personen reservieren?", (), {"time": "20:00", "guests": 4})


def label(tag: str, text: str) -> str:
    question, name, arguments = QUESTIONS[tag]
    return read_answer(text, load_pack(tag), Asked(question, (name,), arguments), load_pack("en")).label


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("de", "ja, meine Karten"),
        ("de", "ja bitte sperren Sie die Karten"),
        ("it", "sì, blocca le carte"),
        ("nl", "ja mijn kaarten"),
        ("pl", "tak, moje karty"),
        ("fr", "oui, bloquez mes comptes"),
        ("es", "sí, mis tarjetas"),
        ("pt", "sim, meus cartões"),
        ("tr", "evet kartlarımı"),
        ("ar", "نعم، أوقف بطاقاتي"),
        ("hi", "हाँ कार्डों को ब्लॉक कर दो"),
        ("es", "sí si"),
        ("pt", "sim e"),
        ("pt", "e"),
        ("en", "yes 3 guests"),
        ("en", "yes 2 days"),
    ],
)
def test_more_than_was_asked_about_and_half_a_sentence_are_no_yes(tag: str, text: str) -> None:
    assert label(tag, text) != "yes"


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("de", "ja meine karte"),
        ("de", "ja bitte die karte sperren"),
        ("it", "sì blocchi la carta"),
        ("nl", "ja blokkeren"),
        ("pl", "tak, zablokować"),
        ("fr", "oui bloque le compte"),
        ("es", "sí bloquéala"),
        ("es", "si si"),
        ("pt", "é isso mesmo"),
        ("pt", "sim é"),
        ("tr", "evet kartımı bloke et"),
        ("ar", "نعم أوقف البطاقة"),
        ("hi", "हाँ कार्ड ब्लॉक कर दो"),
        ("en", "yes, 3 days, 2 guests"),
    ],
)
def test_the_same_words_for_one_are_a_yes(tag: str, text: str) -> None:
    assert label(tag, text) == "yes"


@pytest.mark.parametrize(
    ("tag", "asked", "text", "is_yes"),
    [
        ("nl", DENTIST, "ja verzet de afspraak maar naar half drie", True),
        ("nl", DENTIST, "ja verzet de afspraak maar naar half vier", False),
        ("de", TABLE, "ja um acht bitte", True),
        ("de", TABLE, "ja um neun bitte", False),
        ("de", TABLE, "ja für acht Personen", False),
        ("tr", TAXI, "evet saat 6'ya taksi çağırabilirsin", True),
        ("tr", TAXI, "çağırmayabilirsin", False),
    ],
)
def test_the_hour_is_the_hour_however_it_is_said(tag: str, asked: Asked, text: str, *, is_yes: bool) -> None:
    assert (read_answer(text, load_pack(tag), asked).label == "yes") is is_yes


def test_a_time_without_its_half_of_the_day_is_the_nearer_one() -> None:
    english = load_pack("en")
    assert told_time("half past three", "14:30", english) == "15:30"
    assert told_time("half past three", "04:00", english) == "03:30"
    assert told_time("3:30 am", "14:30", english) == "03:30"
    assert told_time("03:30", "14:30", english) == "03:30"


def test_a_plural_is_told_by_the_endings_of_the_pack() -> None:
    assert is_plural_of("cities", "city", load_pack("en"))
    assert not is_plural_of("city", "city", load_pack("en"))
    assert is_plural_of("kartlarimi", "karti", load_pack("tr"))


TOLD: dict[str, Asked] = {
    "es": Asked("¿Le subo el límite de la tarjeta a 3000 euros?", (), {"limit": 3000}),
    "de": Asked("Ich kündige Vertrag 12. Soll ich die Kündigung abschicken?", (), {"contract": "12"}),
    "en": Asked("I will cancel your order 58213. Shall I cancel it?", ("cancel order",), {"order": "58213"}),
    "pt": Asked("Vou bloquear o cartão 4421. Posso bloquear?", (), {"card": "4421"}),
    "pl": Asked("Czy zamówić taksówkę na 6:15?", (), {"time": "06:15"}),
    "it": Asked("Sto per annullare il tuo ordine 58213. Lo annullo?", (), {"order": "58213"}),
    "tr": Asked("Çiçekleri 20 dakika sulayayım mı?", (), {"minutes": 20}),
    "nl": Asked("Ik huur de stadsfiets voor 3 dagen. Zal ik dat doen?", (), {"bike": "stadsfiets", "days": 3}),
}


def told(tag: str, text: str) -> str:
    return read_answer(text, load_pack(tag), TOLD[tag], load_pack("en")).label


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("es", "súbemelo por favor"),
        ("es", "sí, a tres mil"),
        ("es", "sí, 3.000 €"),
        ("de", "Ja, bitte schicken Sie sie ab"),
        ("en", "please cancel it"),
        ("pl", "no to zamawiamy"),
        ("tr", "evet 20 dakika"),
        ("nl", "ja, huur de fiets"),
        ("pt", "quero"),
        ("pt", "bloqueia por favor 🚀"),
    ],
)
def test_the_verb_of_the_question_counts_in_each_of_its_forms(tag: str, text: str) -> None:
    assert told(tag, text) == "yes"


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("es", "sí, a cuatro mil"),
        ("es", "sí, 3.000 $"),
        ("es", "la subida"),
        ("de", "die Kündigung"),
        ("en", "cancel"),
        ("en", "please cancel the cancellation"),
        ("en", "please never mind"),
        ("tr", "evet 30 dakika"),
        ("tr", "bir dakika"),
        ("nl", "ja, een huurauto"),
        ("pt", "quero o cartão"),
        ("pt", "já está bloqueado"),
        ("it", "vorrei ordinare"),
        ("pl", "chcę taksówkę"),
        ("pt", "sim 🙄"),
    ],
)
def test_a_noun_a_state_a_wish_and_another_verb_tell_nobody_to_do_it(tag: str, text: str) -> None:
    assert told(tag, text) != "yes"
