"""The floor below consent by a model: what its yes counts for, and what no model is asked about. Decision: 0074."""

from __future__ import annotations

from engine import AskModel, CallTool
from engine.testing import Conversation, gives, program_of, says
from tests.support.cells import over

DESK = """\
AGENT: Desk
GOAL: "Help"

TOOLS:
  send_parcel(item: string, day: date, size: string) -> {ok: boolean}
    description: "Sends a parcel"
    parameters:
      size:
        enum: [small, large]
    confirm: always

FLOW:
  entry_point: send
  send:
    REASONING: false
    CALL: send_parcel("book", "2026-03-04", "small")
    ON_SUCCESS:
      RESPOND: "Sent."
"""


def after(text: str) -> Conversation:
    program = program_of({"a.abl": DESK})
    talk = Conversation(program, tools={"send_parcel": gives({"ok": True})}, reads=[says('{"answer": "yes"}')])
    talk.begin(has_model=True)
    talk.say(text)
    return talk


def asked(talk: Conversation) -> int:
    return sum(isinstance(one, AskModel) for one in talk.effects)


def called(talk: Conversation) -> int:
    return sum(isinstance(one, CallTool) for one in talk.effects)


@over("text", ["hit it", "let it roll", "hop to it"])
def test_a_short_answer_that_names_nothing_is_read_by_a_model(text: str) -> None:
    talk = after(text)
    assert (asked(talk), called(talk)) == (1, 1)


@over(
    "text",
    [
        "sell everything inside grandmothers house",
        "rather tomorrow",
        "large",
        "lieber nicht",
        "pas maintenant",
        "peut-être",
        "plus tard",
        "get Bob",
        "let it roll Maria",
        "roll 2",
        "roll @home",
        "mail bob@example.com",
        "nur wenn",
        "roll if",
        "roll unless",
        "quando",
    ],
)
def test_what_could_be_more_than_a_yes_runs_nothing_and_asks_no_model(text: str) -> None:
    talk = after(text)
    assert (asked(talk), called(talk)) == (0, 0)


PAY = """\
AGENT: Desk
GOAL: "Help"
LANGUAGE: {tag}

TOOLS:
  pay(amount: number{more}) -> {{ok: boolean}}
    description: "Pays"
    confirm: always

FLOW:
  entry_point: go
  go:
    REASONING: false
    CALL: pay(50{value})
    ON_SUCCESS:
      RESPOND: "Paid."
"""
TURNED_AWAY = {
    "en": "tomorrow|in a sec|ask my wife|I doubt it|go away|scrap that|hold fire|skip|get lost|drop it|up to you"
    "|whatever you think|my lawyer agrees|garbage idea|fat chance|easy tiger|after lunch|he agrees|thanks|hmm"
    "|the other one|send it to bob|beat it|half of it|call my bank",
    "de": "morgen|frag meine Frau|ich bezweifle das|hau ab|lass es|bald|die andere|Quatsch|er zahlt|mein Chef zahlt|nächste Woche",
    "fr": "demain|demande à ma femme|j'en doute|dégage|laisse tomber|bientôt|l'autre|quelle bêtise|il paie|la semaine prochaine",
    "es": "mañana|pregunta a mi mujer|lo dudo|lárgate|déjalo|pronto|la otra|tonterías|él paga|la próxima semana",
    "it": "domani|chiedi a mia moglie|ne dubito|vattene|lascia perdere|presto|l'altro|sciocchezze|lui paga|la settimana prossima",
    "pt": "amanhã|pergunta pra minha mulher|duvido|vai embora|deixa pra lá|em breve|o outro|bobagem|ele paga|na próxima semana",
    "nl": "morgen|vraag mijn vrouw|ik betwijfel het|rot op|laat maar|binnenkort|de andere|onzin|hij betaalt|volgende week",
    "pl": "jutro|zapytaj moją żonę|wątpię|spadaj|zostaw to|wkrótce|ten drugi inny|bzdura|on zapłaci|w przyszłym tygodniu",
    "tr": "yarın|eşime sor|şüpheliyim|defol|bırak|yakında|başkası|saçmalık|o öder|gelecek hafta",
    "ar": "غدا|اسأل زوجتي|أشك في ذلك|ابتعد|اتركه|قريبا|الآخر آخر|هراء|هو يدفع|الأسبوع القادم",
    "hi": "कल|मेरी पत्नी से पूछो|मुझे शक है|चले जाओ|छोड़ो|जल्द|दूसरा|बकवास|वह देगा|अगले हफ्ते",
    "ja": "明日|妻に聞いて|疑わしい|帰れ|無視|別の|ばか|彼が払う|来週",
}
ASSENTS = {
    "en": "hit it|let it roll|with pleasure|I'm game|light it up|fill your boots",
    "de": "her damit|immer zu",
    "fr": "envoyez la sauce",
    "es": "al lío",
    "it": "spara pure",
    "nl": "knallen",
}


def paid(tag: str, text: str, *, has_text: bool = False) -> tuple[int, int]:
    """Return how often a model was asked about an answer, and how often the call ran, where it says yes to all."""
    source = PAY.format(tag=tag, more=", to: string" if has_text else "", value=', "Ana"' if has_text else "")
    talk = Conversation(
        program_of({"a.abl": source}), tools={"pay": gives({"ok": True})}, reads=[says('{"answer": "yes"}')]
    )
    talk.begin(has_model=True)
    talk.say(text)
    return asked(talk), called(talk)


def in_rows(rows: dict[str, str]) -> list[tuple[str, str]]:
    return [(tag, text) for tag, texts in rows.items() for text in texts.split("|")]


@over("tag,text", in_rows(TURNED_AWAY))
def test_doubt_another_time_another_person_and_words_against_ask_no_model(tag: str, text: str) -> None:
    assert paid(tag, text) == (0, 0)


@over("tag,text", in_rows(ASSENTS))
def test_an_assent_that_no_pack_has_still_reaches_the_model(tag: str, text: str) -> None:
    assert paid(tag, text) == (1, 1)


@over("text", ["Bob", "bob", "bob please", "grandmas house"])
def test_a_word_nobody_knows_may_be_the_value_of_a_text_and_asks_no_model(text: str) -> None:
    assert paid("en", text, has_text=True) == (0, 0)
