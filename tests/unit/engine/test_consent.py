"""A yes is for what was asked, when it was asked: states of older engines are asked again, long answers run nothing."""

from __future__ import annotations

import pytest

from abl.languages import load_pack
from engine.answer_question import Asked
from engine.answers import read_answer, read_truth, says_action
from engine.effects import CallTool
from engine.limits import MAX_ANSWER_CHARS
from engine.questions import as_words, asks_about
from engine.testing import Conversation
from tests.support.cells import over
from tests.support.turn_corpus import conversation_of

AGENT = """
AGENT: Desk
GOAL: "Help"
TOOLS:
  block_card(card: string) -> {ok: boolean}
    description: "Blocks"
    confirm: always
FLOW:
  entry_point: block
  block:
    REASONING: false
    CALL: block_card("4421")
    ON_SUCCESS:
      RESPOND: "Blocked."
      THEN: COMPLETE
"""
QUESTION = "Block card (card: 4421). Shall I go ahead?"
ASKED = Asked("I will rent the bike for 3 days for 60 euros (the van is out). Shall I?", ("rent bike",), {"days": 3})


@pytest.fixture
def talk() -> Conversation:
    made = conversation_of({"agents": AGENT, "tools": {"block_card": {"ok": True}}})
    assert made.begin() == QUESTION
    return made


def calls_of(talk: Conversation) -> int:
    return sum(isinstance(one, CallTool) for one in talk.effects)


def test_a_question_of_an_older_engine_is_asked_again(talk: Conversation) -> None:
    del talk.state.threads["Desk"].confirmation["turn"]
    assert talk.say("yes") == QUESTION
    assert not calls_of(talk)
    assert talk.say("yes") == "Blocked."
    assert calls_of(talk) == 1


def test_a_yes_to_a_question_of_an_earlier_turn_is_none(talk: Conversation) -> None:
    talk.state.threads["Desk"].confirmation["turn"] = -1
    assert talk.say("yes") == QUESTION
    assert not calls_of(talk)


@pytest.mark.parametrize(
    "answer", ["yes " * MAX_ANSWER_CHARS, "yes\n\n> On Monday Bob wrote:\n> go ahead", " ", "4421"]
)
def test_what_is_no_bare_yes_runs_nothing(talk: Conversation, answer: str) -> None:
    talk.say(answer)
    assert not calls_of(talk)


@pytest.mark.parametrize(
    ("answer", "label"),
    [
        ("yes, 3 days", "yes"),
        ("yes for 60 euros", "yes"),
        ("yes, 60 days", "other"),
        ("yes, the van", "other"),
        ("yes, 3 bikes", "other"),
        ("yes tomorrow", "other"),
        ("please rent the bike", "yes"),
        ("don't rent it", "no"),
    ],
)
def test_a_word_of_the_question_counts_where_it_stood(answer: str, label: str) -> None:
    assert read_answer(answer, load_pack("en"), ASKED).label == label


def test_a_second_language_counts_only_where_the_first_has_nothing_against_it() -> None:
    german, english = load_pack("de"), load_pack("en")
    assert read_answer("yes please", german, ASKED, english).label == "yes"
    assert read_answer("yes warte", german, ASKED, english).label != "yes"


def test_a_field_of_yes_and_no_takes_more_than_a_bare_yes() -> None:
    pack = load_pack("en")
    answers = {"yes, I have two": True, "true": True, "I don't": False, "sure is hot": None, "yes but later": None}
    assert {text: read_truth(text, pack, "Do you have a bike?") for text in answers} == answers


WISHED = {
    "en": (
        "delete account",
        "I want you to delete my account|please delete my account, thanks|yes, delete my account please",
        (
            "please delete my account history|I would like to delete my account next year"
            "|I want you to delete my account and keep the data|I want to delete my account but not today"
            "|please delete my account and then my friend will|I want his account deleted|please delete my account 2"
            "|my bank will delete account|I want to know who can delete account|please, I delete my account"
            "|I would like to delete my account..."
        ),
    ),
    "de": (
        "Konto löschen",
        "bitte mein Konto löschen|ich möchte mein Konto löschen",
        (
            "bitte mein Konto löschen nächstes Jahr|ich möchte mein Konto löschen und die Daten behalten"
            "|bitte mein Konto löschen Historie|mein Mann möchte das Konto löschen"
        ),
    ),
    "fr": (
        "supprimer le compte",
        "je veux supprimer mon compte|je voudrais supprimer mon compte s'il vous plaît",
        "je veux supprimer mon compte l'année prochaine|je veux supprimer le compte secondaire",
    ),
    "es": (
        "borrar la cuenta",
        "quiero borrar mi cuenta|quiero borrar la cuenta por favor",
        "quiero borrar mi cuenta el año que viene|quiero borrar la cuenta vieja|quiero borrar su cuenta",
    ),
    "it": (
        "cancellare il conto",
        "vorrei cancellare il mio conto|vorrei cancellare il conto per favore",
        "vorrei cancellare il mio conto l'anno prossimo|vorrei cancellare il conto vecchio",
    ),
    "pt": (
        "apagar a conta",
        "quero apagar minha conta|quero apagar a conta por favor",
        "quero apagar minha conta no próximo ano|quero apagar a conta antiga|quero apagar a conta dele",
    ),
    "nl": (
        "account verwijderen",
        "ik wil mijn account verwijderen|ik wil graag het account verwijderen alsjeblieft",
        (
            "ik wil mijn account verwijderen volgend jaar|ik wil het oude account verwijderen"
            "|ik wil zijn account verwijderen"
        ),
    ),
    "pl": (
        "usunąć konto",
        "chcę usunąć moje konto|chcę usunąć konto proszę",
        "chcę usunąć moje konto w przyszłym roku|chcę usunąć konto i zachować dane",
    ),
    "tr": (
        "hesabı sil",
        "lütfen hesabı sil|evet hesabı sil lütfen",
        "lütfen hesabı sil gelecek yıl|lütfen eski hesabı sil|lütfen onun hesabı sil",
    ),
    "ar": (
        "حذف الحساب",
        "أريد حذف الحساب|أريد حذف الحساب من فضلك",
        "أريد حذف الحساب العام القادم|أريد حذف الحساب القديم",
    ),
    "hi": (
        "खाता हटाना",
        "कृपया मेरा खाता हटाना|मैं चाहता हूँ खाता हटाना",
        "कृपया मेरा खाता हटाना अगले साल|कृपया पुराना खाता हटाना",
    ),
    "ja": (
        "アカウントを削除",
        "アカウントを削除してください",
        "来年アカウントを削除してください|古いアカウントを削除してください",
    ),
}
"""Language -> the action in words, messages that consent to it, messages that say more or something else."""


def wishes(place: int) -> list[tuple[str, str, str]]:
    return [(tag, row[0], said) for tag, row in WISHED.items() for said in row[place].split("|")]


@over("tag,action,said", wishes(1))
def test_a_wish_for_the_action_and_nothing_else_is_consent(tag: str, action: str, said: str) -> None:
    assert says_action(said, action, load_pack(tag))


@over("tag,action,said", wishes(2))
def test_what_says_more_than_the_action_is_no_consent(tag: str, action: str, said: str) -> None:
    assert not says_action(said, action, load_pack(tag))


CARD = {"name": "block_card", "description": "Blocks a card"}
ABOUT = [
    "Shall I block your card?",
    "That is card 4421, the blue one. Do you want me to block it now?",
    "Would you like to block card 4421?",
    "Block card 4421?",
    "OK to block card 4421?",
    "Shall I go ahead and block card 4421? (yes/no)",
    "I will block card 4421, ok?",
    "4421, right?",
]
NOT_ABOUT = [
    "Is your card damaged?",
    "Do you still have card 4421?",
    "Do you still have access to card 4421?",
    "Did you ever block card 4421?",
    "Have you blocked card 4421?",
    "Is card 4421 blocked?",
    "Should I explain how to block card 4421?",
    "Do you want to keep the card and not block it?",
    "Do you want to block card 4421 later?",
    "Shall I block card 4421 or card 4422?",
    "I can block your card. Do you have its number?",
    "Your card will be blocked. Anything else?",
]


@over("text", ABOUT)
def test_a_question_that_offers_the_whole_action_or_all_arguments_is_about_the_call(text: str) -> None:
    assert asks_about(text, CARD, {"card": "4421"}, load_pack("en"))


@over("text", NOT_ABOUT)
def test_a_question_with_the_same_words_that_offers_something_else_is_not(text: str) -> None:
    assert not asks_about(text, CARD, {"card": "4421"}, load_pack("en"))


def test_a_question_in_the_words_of_the_consent_is_about_the_call() -> None:
    tool = {"name": "block_card", "confirmation": {"consent_action": "Karte sperren"}}
    german = load_pack("de")
    assert asks_about("Soll ich Ihre Karte sperren?", tool, {"card": "4421"}, german)
    assert not asks_about("Soll ich Ihre Karte behalten und nicht sperren?", tool, {"card": "4421"}, german)


def test_names_are_shown_as_words() -> None:
    assert as_words("cardId.last_four") == "card id last four"


@over(
    "language, text",
    [
        ("en", "cool it"),
        ("it", "vai via"),
        ("es", "ya vale"),
        ("de", "jetzt ist gut"),
        ("hi", "बस करो"),
        ("hi", "ठीक है बस"),
        ("pl", "ta jasne"),
        ("ja", "うーん"),
        ("ja", "う〜〜ん"),
        ("ja", "大丈夫です"),
    ],
)
def test_what_sounds_like_a_yes_and_is_none(language: str, text: str) -> None:
    assert read_answer(text, load_pack(language), Asked("?")).label != "yes"
