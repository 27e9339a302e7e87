"""Whether an answer speaks of somebody else: of what another person does, or of another's thing.

"Yes, my husband blocks it" agrees to nothing that this session does, and "yes, his card" is another card. The words
that say so are small ones, or the courtesy by which people are addressed, and count for nothing elsewhere.
Decision: 0074. Spec: abl-language 3.2 (confirm, consent), 8.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from abl.languages.folding import is_spaced
from abl.languages.pack import Pack
from engine.answer_forms import article_words, is_of_oneself, names_deed, nouns_of
from engine.answer_question import Asked, flat_text
from engine.answer_tables import Kind, compared, is_known, plain_words
from engine.answer_words import Piece

MAX_BETWEEN_WORDS = 3
"""Small words between who does something and the verb: "él no la bloquea"."""

_DOERS = {
    "en": frozenset("he she they someone somebody everyone".split()),
    "de": frozenset("er jemand".split()),
    "fr": frozenset("il elle ils elles on".split()),
    "es": frozenset("él ella ellos ellas alguien".split()),
    "it": frozenset("lui lei loro qualcuno".split()),
    "pt": frozenset("ele ela eles elas alguém alguem".split()),
    "nl": frozenset("hij iemand".split()),
    "pl": frozenset("on ona oni one ktoś ktos".split()),
    "ar": frozenset("هو هي هم".split()),
}
"""Language -> words that name somebody else who does something; each is compared with its accents."""
_DOERS_BESIDE_DEED = {
    "de": frozenset("sie man".split()),
    "fr": frozenset({"lui"}),
    "nl": frozenset("zij ze men".split()),
    "tr": frozenset("o onlar birisi".split()),
    "hi": frozenset("वह वो वे woh wo".split()),
}
"""Language -> such words that mean something else as well: they count before a verb that the pack knows only."""
_BEHIND_VERB = frozenset({"de", "nl", "es", "it", "pt"})
"""Languages in which who does something may stand right behind the verb: "la bloquea él"."""
_VERBS_OF_OTHERS = {
    "en": frozenset("will would can could does shall should may must has is wants".split()),
    "de": frozenset("wird will kann soll darf macht möchte hat muss mag".split()),
    "fr": frozenset("peut va veut fait doit pourra".split()),
    "es": frozenset("puede va quiere hace debe podrá pueden".split()),
    "it": frozenset("può va vuole fa deve farà".split()),
    "pt": frozenset("pode vai quer faz deve podem".split()),
    "nl": frozenset("kan zal wil gaat doet mag moet".split()),
    "pl": frozenset("może chce zrobi to".split()),
    "tr": frozenset("yapar ister istiyor".split()),
    "ar": frozenset("يريد يستطيع سيفعل".split()),
    "hi": frozenset("चाहते चाहता चाहती करेगा करेगी करेंगे".split()),
    "ja": frozenset({"します", "する"}),
}
"""Language -> verbs beside the word for who does something: "he will", "mein Mann will"."""
_OF_ANOTHER = {
    "en": frozenset("his her their your".split()),
    "de": frozenset(
        "sein seine seinen seiner seinem ihr ihre ihren ihrer ihrem deren dessen dein deine deinen deiner eure".split()
    ),
    "fr": frozenset("sa son ses leur leurs ta ton tes votre vos".split()),
    "es": frozenset("su sus tu tus vuestra vuestro".split()),
    "it": frozenset("suo sua suoi sue loro tuo tua tuoi tue vostro vostra".split()),
    "pt": frozenset("seu sua seus suas teu tua dele dela deles delas".split()),
    "nl": frozenset("zijn haar hun uw jouw je".split()),
    "pl": frozenset("jego jej ich twój twoja twoją twoje".split()),
    "tr": frozenset("onun onların senin sizin".split()),
    "hi": frozenset("उसका उसकी उसके उनका उनकी उनके आपका आपकी आपके uska uski unka unki aapka aapki".split()),
    "ja": frozenset("彼の 彼女の あなたの".split()),
}
"""Language -> words that say whose a thing is, where it is not that of who says it."""
_BEHIND_THING = {"pt": frozenset("dele dela deles delas seu sua teu tua".split())}
"""Language -> such words that stand behind the thing: "o cartão dela"."""
_MINE = {
    "tr": re.compile(r"\w{2,}[ıiuü]m(?:[ıiuü]z)?"),
    "ar": re.compile(r"\w{2,}ي"),
}
"""Languages that say "my" by the end of a word: arkadaşım, صديقي."""
_TELLS_OF_OTHERS = {"tr": re.compile(r"\w+(?:[ıiuüea]r|[ea]ca[kg]|[ea]ce[kg]|[iıuü]yor|[^\Wiı]s[iıuü]n)(?:l[ae]r)?")}
"""Languages in which the verb itself tells that it is no request: eder, edecek, etsin."""
_DOING = {"tr": re.compile(r"e[dt]\w*|yap\w*")}
"""Languages with a verb of doing behind the noun of what is done: bloke eder."""
_LIKE_FRIENDS = frozenset({"mann"})
"""Words that speak of somebody behind "my", and are small words elsewhere: mein Mann, na Mann."""
_MAY_BE_POLITE = {"it": frozenset({"lei"}), "fr": frozenset({"on"})}
"""Language -> words for who does something that agree beside another verb: "lei può", "on peut"."""
_SUBJECT_MARKS = {"ja": ("が", "は")}
"""Languages with a particle behind who does something."""
_NO_NAMES = frozenset({"hi"})
"""Languages in which a value stands right before the verb that is asked for."""
_LETTERS = re.compile(r"[^\W\d_\u0900-\u0963][^\W\d_]*|[\u0900-\u0963]+")
_ARABIC_ARTICLE = "ال"
_VERB_ENDS = ("a", "e")
_CLITICS = frozenset("la lo las los le les se".split())


def speaks_of_others(pieces: Sequence[Piece], text: str, asked: Asked, pack: Pack) -> bool:
    """Return whether an answer tells what somebody else does, or names another's thing, that the question does not.

    Args:
        pieces: The words and phrases of the answer.
        text: The answer as it was written.
        asked: What was asked.
        pack: The words of the answer's language.
    """
    shown = frozenset(_words(asked.question, pack))
    written = frozenset(_words(text, pack))
    is_deed = _Deeds(asked, pack)
    values = _names_in(asked, pack)
    for at, one in enumerate(pieces):
        if _is_of_another(pieces, at, written, shown, pack):
            return True
        if _joined_with_oneself(pieces, at, pack):
            return True
        is_clear = _is_in(one.text, _DOERS, written, shown, pack) or _is_bare_article(pieces, at, written, pack)
        is_near = _is_in(one.text, _DOERS_BESIDE_DEED, written, shown, pack)
        is_person, is_name = _is_person(pieces, at, pack), _is_name(pieces, at, values, pack)
        if not (is_clear or is_near or is_person or is_name):
            continue
        is_sure = is_clear or is_person
        is_called = one.kind is Kind.POLITE and _is_parted(text, one.text.split()[-1], pieces[at + 1 :])
        if not is_called and _does(pieces, at, is_deed, pack, is_known=is_near and not is_clear, is_sure=is_sure):
            return True
        is_only = sum(other.kind is Kind.OWN for other in pieces) == 1
        is_polite = one.text in _MAY_BE_POLITE.get(pack.tag, frozenset())
        is_behind = is_sure or is_name or (is_near and pack.tag == "de")
        is_known = not (is_clear or (is_person and is_only))
        if is_behind and not is_polite and _is_done_by(pieces, at, is_deed, text, pack, is_known=is_known):
            return True
    return False


def names_somebody(text: str, pack: Pack) -> bool:
    """Return whether a text has a word for somebody else who does something: he, ella, jemand."""
    known = _DOERS.get(pack.tag, frozenset()) | _DOERS_BESIDE_DEED.get(pack.tag, frozenset())
    return any(one in known for one in _words(text, pack))


def _words(text: str, pack: Pack) -> list[str]:
    """Return the words of a text in small letters with their accents, and, without spaces, the known ones it holds."""
    said = [one.lower() for one in _LETTERS.findall(text)]
    if is_spaced(text):
        return said
    known = _OF_ANOTHER.get(pack.tag, frozenset())
    return said + [one for one in known if one in text]


def _is_in(
    word: str,
    table: dict[str, frozenset[str]],
    written: Collection[str],
    shown: Collection[str],
    pack: Pack,
) -> bool:
    """Return whether a word of an answer is one of a table, as it was written there, and the question has it not."""
    return any(
        compared(one) == word and one in written and one not in shown for one in table.get(pack.tag, frozenset())
    )


def _is_bare_article(pieces: Sequence[Piece], at: int, written: Collection[str], pack: Pack) -> bool:
    """Return whether the Spanish article is written for él: "el la bloquea", "el puede"."""
    if pack.tag != "es" or pieces[at].text != "el":
        return False
    if at + 1 == len(pieces):
        return at > 0 and names_deed(pieces[at - 1].text, pack)
    behind = pieces[at + 1].text
    is_verb = names_deed(behind, pack) and behind.endswith(_VERB_ENDS)
    return behind in _CLITICS or is_verb or _is_in(behind, _VERBS_OF_OTHERS, written, (), pack)


class _Deeds:
    """Tells of a word of the answer whether it is what was asked to be done."""

    def __init__(self, asked: Asked, pack: Pack) -> None:
        self._pack = pack
        self._values = {word.text for one in asked.arguments.values() for word in plain_words(flat_text(one), pack)}
        self._nouns = nouns_of(asked.question, pack)

    def __call__(self, one: Piece, before: str, *, is_known: bool, is_sure: bool = False) -> bool:
        """Return whether a word is the verb; `is_known`: only where the pack knows it, `is_sure`: a noun counts too."""
        if one.kind not in (Kind.OWN, Kind.CANCEL) or one.own in self._values:
            return False
        if is_sure and not one.text.startswith(_ARABIC_ARTICLE):
            return True
        if one.own in self._nouns:
            return False
        is_noun = before in article_words(self._pack) or one.text.startswith(_ARABIC_ARTICLE)
        return names_deed(one.text, self._pack) or not (is_known or is_noun)


def _names_in(asked: Asked, pack: Pack) -> frozenset[str]:
    """Return the words of the arguments that may be names: those with a capital, or of a script that has none."""
    if pack.tag in _NO_NAMES:
        return frozenset()
    values = " ".join(map(flat_text, asked.arguments.values())).split()
    names = {compared(one) for one in values if one.isalpha() and not one[:1].islower()}
    return frozenset(one for one in names if not is_known(one, pack))


def _is_name(pieces: Sequence[Piece], at: int, names: Collection[str], pack: Pack) -> bool:
    """Return whether a word is a name of the question that stands by itself: no "to", "for" or "the" before it."""
    one = pieces[at]
    if one.kind is not Kind.OWN or one.own not in names or one.text != one.own:
        return False
    marks = _SUBJECT_MARKS.get(pack.tag)
    if marks is not None:
        return at + 1 < len(pieces) and pieces[at + 1].text.startswith(marks)
    first = at
    while first and pieces[first - 1].own in names:
        first -= 1
    return not first or pieces[first - 1].kind is not Kind.SMALL or pieces[first - 1].text == "let"


def _is_person(pieces: Sequence[Piece], at: int, pack: Pack) -> bool:
    """Return whether a word by which people are addressed speaks of somebody: "my friend", "the boss"."""
    one = pieces[at]
    words = one.text.split()
    before = pieces[at - 1].text if at else ""
    is_led = bool(before) and (is_of_oneself(before, pack) or before in article_words(pack))
    if one.kind is not Kind.POLITE:
        return is_led and one.text in _LIKE_FRIENDS
    if len(words) > 1:
        return any(is_of_oneself(word, pack) for word in words)
    ends = _MINE.get(pack.tag)
    return is_led or (ends is not None and ends.fullmatch(one.text) is not None)


def _is_parted(text: str, last: str, behind: Sequence[Piece]) -> bool:
    """Return whether a sign stands between a word and what follows it: "my friend, block it"."""
    if not behind:
        return False
    said = compared(text)
    following = behind[0].text.split()[0] if behind[0].text else ""
    return re.search(rf"{re.escape(last)}\s*[,.;:!\n،、。]+\s*{re.escape(following)}", said) is not None


def _does(pieces: Sequence[Piece], at: int, is_deed: _Deeds, pack: Pack, *, is_known: bool, is_sure: bool) -> bool:
    """Return whether a verb follows who does something, small words aside.

    `is_known`: only one the pack knows counts; `is_sure`: any word of the question is one, and no value of it.
    """
    others = {compared(one) for one in _VERBS_OF_OTHERS.get(pack.tag, frozenset())}
    tells = _TELLS_OF_OTHERS.get(pack.tag)
    own = pieces[at].own
    is_polite = pieces[at].text in _MAY_BE_POLITE.get(pack.tag, frozenset())
    for place in range(at + 1, min(len(pieces), at + 2 + MAX_BETWEEN_WORDS)):
        one = pieces[place]
        if own and one.kind is Kind.OWN and one.own[:1].isalpha() and not is_deed(one, "", is_known=False):
            continue  # the second name of two
        if not is_polite and not others.isdisjoint(one.text.split()):
            return True
        if is_deed(one, pieces[place - 1].text, is_known=is_known, is_sure=is_sure) or _tells_itself(one, pack):
            doing = _DOING.get(pack.tag)
            behind = pieces[place + 1].text if place + 1 < len(pieces) else ""
            verb = behind if doing is not None and doing.fullmatch(behind) else one.text
            return tells is None or tells.fullmatch(verb) is not None
        if one.kind is not Kind.SMALL:
            return False
    return False


def _tells_itself(one: Piece, pack: Pack) -> bool:
    """Return whether a word of the question is a verb that tells by its end that somebody else does it: arşivler."""
    tells = _TELLS_OF_OTHERS.get(pack.tag)
    return tells is not None and one.kind is Kind.OWN and tells.fullmatch(one.text) is not None


def _is_done_by(pieces: Sequence[Piece], at: int, is_deed: _Deeds, text: str, pack: Pack, *, is_known: bool) -> bool:
    """Return whether the verb stands right before who does something: "la bloquea él", "sperrt mein Mann"."""
    if pack.tag not in _BEHIND_VERB:
        return False
    first = at
    while first and pieces[first - 1].kind is Kind.SMALL and is_of_oneself(pieces[first - 1].text, pack):
        first -= 1
    while first and pieces[first - 1].text in article_words(pack):
        first -= 1
    if not first or not is_deed(pieces[first - 1], "", is_known=is_known, is_sure=not is_known):
        return False
    verb = pieces[first - 1].text
    is_third = verb.endswith("t") if pack.tag in ("de", "nl") else True
    return is_third and re.search(rf"{re.escape(verb)}\s*[,.;!]", compared(text)) is None


def _is_of_another(
    pieces: Sequence[Piece], at: int, written: Collection[str], shown: Collection[str], pack: Pack
) -> bool:
    """Return whether a word says that the thing beside it is another's: "his card", "o cartão dela"."""
    word = pieces[at].text.split()[-1] if pieces[at].kind is Kind.SMALL else pieces[at].text
    if not _is_in(word, _OF_ANOTHER, written, shown, pack):
        return False
    is_before = at + 1 < len(pieces) and pieces[at + 1].kind is Kind.OWN and not names_deed(pieces[at + 1].text, pack)
    is_behind = _is_in(word, _BEHIND_THING, written, shown, pack) and at > 0 and pieces[at - 1].kind is Kind.OWN
    return is_before or is_behind


def _joined_with_oneself(pieces: Sequence[Piece], at: int, pack: Pack) -> bool:
    """Return whether a number or name is followed by one more of the speaker's: "200 for Ana and 200 for me"."""
    if pieces[at].kind is not Kind.JOIN or not at or pieces[at - 1].kind not in (Kind.OWN, Kind.NUMBER):
        return False
    behind = pieces[at + 1 :]
    is_more = all(one.kind in (Kind.SMALL, Kind.NUMBER) or (one.kind is Kind.OWN and one.number) for one in behind)
    return is_more and any(is_of_oneself(one.text, pack) for one in behind)
