"""What speaks of somebody else, or of another's thing, is no yes; who is addressed still says one. Decision: 0074."""

from __future__ import annotations

import yaml

from engine.answer_question import Asked
from engine.answers import read_answer
from engine.extraction.vocabulary import vocabulary
from tests.corpus.test_consent import FOLDER
from tests.support.cells import over

QUESTIONS = yaml.safe_load((FOLDER / "questions.yaml").read_text("utf-8"))
OF_OTHERS = {
    "en": "yes my friend will|yes my friend will block it|yes the boss will block it|yes his card|yes block your card",
    "de": "ja mein Mann sperrt sie|ja sperrt mein Freund|ja sie sperrt die Karte|ja man sperrt sie|ja er sperrt die Karte"
    "|ja mein Chef will das|ja ihre Karte|ja deine Karte sperren",
    "fr": "oui il la bloque|oui elle bloque la carte|oui mon ami la bloque|oui lui la bloque|oui sa carte|oui votre carte",
    "es": "sí él la bloquea|sí el la bloquea|sí ella puede|sí la bloquea mi amigo|sí mi jefe bloquea la tarjeta|sí su tarjeta",
    "it": "sì lui la blocca|sì la blocca lui|sì loro bloccherà la carta|sì il mio amico la blocca|sì la sua carta",
    "pt": "sim ele bloqueia|sim meu amigo bloqueia o cartão|sim ela pode|sim o cartão dela|sim o seu cartão",
    "nl": "ja mijn man blokkeert hem|ja zij blokkeert de kaart|ja mijn vriend wil het|ja zijn kaart|ja blokkeer uw kaart",
    "pl": "tak mój mąż ją zablokuje|tak on zablokuje kartę|tak jej kartę|tak zablokuj ich kartę",
    "tr": "evet o bloke eder|evet arkadaşım bloke edecek|evet onun kartı|evet sizin kartı bloke et",
    "ar": "نعم هو يوقف البطاقة|نعم صديقي سيوقفها|نعم أخي يوقف البطاقة|نعم بطاقته",
    "hi": "हाँ मेरा दोस्त ब्लॉक कर दे|हाँ वो ब्लॉक कर दे|हाँ उसका कार्ड|हाँ आपका कार्ड ब्लॉक करो",
    "ja": "はい、彼が停止します|はい、夫が停止します|はい、彼女のカード|はい、あなたのカード",
}
OF_OTHERS_ARCHIVE = {
    "en": "yes my boss archives it|yes he archives it",
    "de": "ja er archiviert sie|ja mein Freund archiviert sie|ja archiviert mein Freund",
    "fr": "oui elle l'archive|oui il l'archive|oui mon ami l'archive",
    "es": "sí él lo archiva|sí lo archiva mi amigo",
    "it": "sì lui lo archivia|sì lo archivia lui|sì lo archivia il mio amico",
    "pt": "sim ele arquiva|sim arquiva meu amigo",
    "nl": "ja hij archiveert het|ja mijn vriend archiveert het",
    "pl": "tak on zarchiwizuje|tak mój szef zarchiwizuje",
    "tr": "evet o arşivler|evet arkadaşım arşivleyecek",
    "ar": "نعم هو يؤرشفه|نعم صديقي سيؤرشفه",
    "hi": "हाँ मेरा दोस्त संग्रहित कर दे",
    "ja": "はい、彼が保管します",
}
"""The same with a verb that no pack knows."""
ADDRESSED = {
    "en": "yes my friend|yes, my friend, block it|sure boss, block the card|yes my card",
    "de": "ja Chef, sperr die Karte|ja, mein Freund, sperren Sie die Karte|ja meine Karte|ja sperren Sie sie",
    "fr": "oui mon ami|oui, bloquez la carte|oui ma carte",
    "es": "sí amigo, bloquea la tarjeta|sí, amigo|sí mi tarjeta|sí el bloqueo de la tarjeta",
    "it": "sì amico, blocca la carta|sì blocca la carta amico mio|sì, la blocchi|sì la mia carta",
    "pt": "sim amigo, bloqueia o cartão|sim meu cartão",
    "nl": "ja blokkeer de kaart maar|ja mijn kaart|ja blokkeert u hem",
    "pl": "tak zablokuj ją|tak moją kartę",
    "tr": "evet kardeşim bloke et|tamam kartı bloke et|evet o kartı bloke et",
    "ar": "نعم أوقف البطاقة|نعم يا صديقي",
    "hi": "हाँ भाई ब्लॉक कर दो|हाँ मेरा कार्ड",
    "ja": "はい、カードを停止してください",
}
SEND = Asked(
    "Transfer 200 EUR to Ana Lopez. Shall I go ahead?", ("transfer money",), {"amount": 200, "to": "Ana Lopez"}
)


def in_rows(table: dict[str, str]) -> list[tuple[str, str]]:
    return [(tag, one) for tag, said in table.items() for one in said.split("|")]


def label_of(tag: str, text: str, about: str = "block") -> str:
    one = QUESTIONS[about]
    asked = Asked(one["question"][tag], (one["tool"].replace("_", " "),), one["arguments"])
    return read_answer(text, vocabulary(tag), asked).label


@over("tag,text", in_rows(OF_OTHERS))
def test_what_somebody_else_does_or_has_is_asked_again(tag: str, text: str) -> None:
    assert label_of(tag, text) != "yes"


@over("tag,text", in_rows(OF_OTHERS_ARCHIVE))
def test_what_somebody_else_does_is_asked_again_with_a_verb_nobody_listed(tag: str, text: str) -> None:
    assert label_of(tag, text, "archive") != "yes"


@over("tag,text", in_rows(ADDRESSED))
def test_a_yes_that_addresses_somebody_or_names_ones_own_thing_stays_one(tag: str, text: str) -> None:
    assert label_of(tag, text) == "yes"


@over(
    "text",
    [
        "yes Ana will transfer",
        "yes Ana Lopez will",
        "yes let Ana transfer",
        "yes 200 for Ana and 200 for me",
        "yes for Ana and me",
    ],
)
def test_a_name_of_the_question_that_does_something_is_no_yes(text: str) -> None:
    assert read_answer(text, vocabulary("en"), SEND).label != "yes"


@over("text", ["yes to Ana", "yes, transfer 200 to Ana Lopez", "yes 200 to Ana please", "yes transfer Ana 200"])
def test_a_name_of_the_question_that_is_its_receiver_is_a_yes(text: str) -> None:
    assert read_answer(text, vocabulary("en"), SEND).label == "yes"


def test_a_thing_the_question_names_as_anothers_may_be_said_again() -> None:
    asked = Asked("Shall I block his card?", ("block card",), {})
    assert read_answer("yes block his card", vocabulary("en"), asked).label == "yes"
