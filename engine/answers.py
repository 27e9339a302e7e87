"""What an answer to a question of yes and no comes to: consent is the whole answer, or it is none.

An answer is a yes when nothing is left of it but words of yes, once politeness, small words and the question's own
words are taken away. A negation, a condition, a question, a number or a word that the question does not have makes it
something else, and nothing runs. Pure: text, the words of a language and the question in, a label out.
Decision: 0044. Spec: abl-language 3.2 (confirm, consent), 5.7, 8.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Literal, NamedTuple

from abl.languages.folding import is_spaced, words_only
from abl.languages.pack import Pack
from engine.answer_forms import (
    article_words,
    clock_numbers,
    clock_words,
    is_asked_deed,
    is_of_oneself,
    is_plural_of,
    is_speakers_own,
    is_taken_back,
    names_deed,
    nouns_of,
    same_times,
    says_already,
    speakers_in,
    tells_any_done,
    tells_done,
)
from engine.answer_names import without_names
from engine.answer_persons import speaks_of_others
from engine.answer_question import LONG_NUMBER, Asked, Own, flat_text, own_words, sentences_of
from engine.answer_tables import SMALL, Kind, compared, kind_of, plain_words
from engine.answer_words import MAX_ANSWER_TOKENS, Piece, pieces_of
from engine.limits import MAX_ANSWER_CHARS

Label = Literal["yes", "no", "cancel", "wait", "correction", "question", "other"]
QUESTION_SIGNS = frozenset("?؟？")
DECLINING = frozenset({"pl"})
"""Languages in which a name ends another way by its place in a sentence: Marek, Marka."""
_NOUN_LIKE = ("ado", "ada", "ido", "ida")
"""Ends of a participle that is the noun of its verb behind an article: el borrado."""
_CLEAR_PAST = frozenset({"es", "pt", "pl"})
"""Languages in which the end of a verb of the past is one that other words do not have: alquilé, aluguei."""
_NO_ARTICLES = frozenset({"esta", "estas"})
"""Words before a noun that are a verb before a participle: está borrada."""
_SIGNS = {ord(sign): " " for sign in ",.;:!\"'’()"}
_SAD = re.compile(r"[:;]['’]?-?[(\[/\\|]")
_OTHER_COUNT = re.compile(r"\d\s?[km]\b|[~≈]\s?\d|(?P<th>\d(?:st|nd|rd|th)\b)|\b(\d+)\s+\2\b", re.IGNORECASE)
MIN_WISHING = 4
"""Letters of a word of a wish that tells it by itself."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d.*")
_UNFINISHED = ("...", "…", "。。", "・・")
MAX_WORDS_BEFORE = 3
"""Among so many words at its beginning an answer has the word of the action, when it tells to do it."""
MAX_BARE_WORDS = 5
MAX_BARE_UNKNOWN = 2
"""So few words that no pack knows: more of them say something, and not only that it shall be done."""
_CONSENTING = frozenset({*SMALL, Kind.YES, Kind.JOIN})
"""Words that may stand beside those of an action the user wishes for."""


class Answer(NamedTuple):
    """What an answer comes to.

    Attributes:
        label: The whole of it.
        is_plain: Nothing in it speaks against a yes; it is only not known to be one.
        is_bare: It is plain and short, and names nothing: a way to say yes that the pack may not know.
    """

    label: Label
    is_plain: bool = False
    is_bare: bool = False


def read_answer(text: str, pack: Pack, asked: Asked, other: Pack | None = None) -> Answer:
    """Return what an answer to `asked` comes to; corrections are read by `engine.corrections` before.

    `other`: a second language in which a whole answer counts as well, where the first has nothing against it.
    """
    found = _read(text, pack, asked)
    if other is None or other.tag == pack.tag or found.label != "other" or not found.is_plain:
        return found
    second = _read(text, other, asked)
    is_known = second.label != "yes" and any(
        kind_of(one.text, pack) is not None for one in plain_words(text, other) if kind_of(one.text, other) not in SMALL
    )
    return found if second.label == "other" or is_known else second


def _read(text: str, pack: Pack, asked: Asked) -> Answer:
    if not text.strip() or len(text) > MAX_ANSWER_CHARS:
        return Answer("other")
    if any(sign in text for sign in QUESTION_SIGNS):
        return Answer("question")
    own = _with_times(own_words(asked, pack), text, asked, pack)
    text = without_names(text, pack, own.words)
    pieces = _counted(_told_again(pieces_of(text, pack, own.words), own, pack), pack)
    pieces = _without_plurals(_without_like_names(pieces, asked, pack), asked, pack)
    if len(pieces) > MAX_ANSWER_TOKENS:
        return Answer("other")
    kinds = [one.kind for one in pieces]
    if Kind.WAIT in kinds:
        return Answer("wait")
    said_no = [kind in (Kind.NO, Kind.CANCEL) for kind in kinds]
    if any(said_no):
        return Answer(_refusal(pieces))
    if Kind.QUESTION in kinds:
        return Answer("question" if begins_with_question(kinds) else "other")
    if Kind.DOUBT in kinds or any(sign in text for sign in _UNFINISHED) or _SAD.search(text):
        return Answer("other")
    if _counts_otherwise(text, asked) or _wants_the_thing(pieces, asked, pack):
        return Answer("other")
    if not _numbers_fit(pieces, own, pack) or _is_unfinished(kinds) or is_taken_back(text, pack):
        return Answer("other")
    if _is_done_before(pieces, text, asked, pack) or _does_oneself(pieces, text, asked, pack):
        return Answer("other")
    if speaks_of_others(pieces, text, asked, pack):
        return Answer("other")
    if Kind.UNKNOWN not in kinds and (_has_yes(pieces, pack) or _is_told(pieces, asked, pack)):
        return Answer("yes")
    is_short = len(pieces) <= MAX_BARE_WORDS and kinds.count(Kind.UNKNOWN) <= MAX_BARE_UNKNOWN
    is_bare = not {Kind.YES, Kind.OWN, Kind.NUMBER} & set(kinds) and is_short
    return Answer("other", is_plain=True, is_bare=is_bare)


def _told_again(pieces: list[Piece], own: Own, pack: Pack) -> list[Piece]:
    """Return an answer with words of the question as just that, though they say no or wait elsewhere.

    Behind a yes or with a wish it is what was asked ("yes, cancel it", "please cancel it"), beside its number it is the
    question's own unit ("20 dakika").
    """
    found: list[Piece] = []
    is_one = sum(names_deed(one.text, pack) for one in pieces) == 1  # not "cancel the cancellation"
    is_wished = is_one and any(one.kind is Kind.WISH for one in pieces)
    for at, one in enumerate(pieces):
        first = one.own or next((word.text for word in plain_words(one.text, pack) if word.text in own.words), "")
        is_asked = one.kind is Kind.CANCEL and bool(first)
        is_again = is_asked and (is_wished or any(before.kind is Kind.YES for before in found))
        near = [(pieces[place].number, place < at) for place in (at - 1, at + 1) if 0 <= place < len(pieces)]
        is_unit = one.kind in (Kind.WAIT, Kind.CANCEL) and any(
            (of.word, of.number, of.is_behind) == (one.own, number, is_behind)
            for of in own.beside
            for number, is_behind in near
        )
        found.append(one._replace(kind=Kind.OWN, own=one.own or first) if is_again or is_unit else one)
    return found


def _counted(pieces: list[Piece], pack: Pack) -> list[Piece]:
    """Return an answer with small words that are numbers as numbers, but behind a verb of the question: Hindi do."""
    found: list[Piece] = []
    for one in pieces:
        number = next((word.number for word in plain_words(one.text, pack)), "") if one.kind is Kind.SMALL else ""
        is_number = " " not in one.text and number not in ("", "1")
        is_behind = bool(found) and found[-1].kind in (Kind.OWN, Kind.SMALL)
        found.append(one._replace(kind=Kind.NUMBER, number=number) if is_number and not is_behind else one)
    return found


def _has_yes(pieces: list[Piece], pack: Pack) -> bool:
    """Return whether an answer has a word of yes; one that is a wish or polite as well counts alone: "quero"."""
    said = [one for one in pieces if one.kind is Kind.YES]
    wishes = _courteous(pack)
    is_alone = not any(one.kind in (Kind.OWN, Kind.NUMBER) for one in pieces)
    return any(is_alone or one.text.replace(" ", "") not in wishes for one in said)


@lru_cache(maxsize=64)
def _courteous(pack: Pack) -> frozenset[str]:
    """Return the phrases that wish or are polite, without the spaces in them."""
    phrases = (*pack.wish, *pack.politeness)
    return frozenset("".join(word.text for word in plain_words(phrase, pack)) for phrase in phrases)


@lru_cache(maxsize=64)
def _wishing_words(pack: Pack) -> frozenset[str]:
    """Return the longer words of the phrases that wish: want, möchte, quiero."""
    words = {word.text for phrase in pack.wish for word in plain_words(phrase, pack)}
    words -= {word.text for phrase in pack.politeness for word in plain_words(phrase, pack)}
    return frozenset(word for word in words if len(word) >= MIN_WISHING)


@lru_cache(maxsize=64)
def _polite(pack: Pack) -> frozenset[str]:
    """Return the polite phrases, without the spaces in them."""
    return frozenset("".join(word.text for word in plain_words(phrase, pack)) for phrase in pack.politeness)


def _with_times(own: Own, text: str, asked: Asked, pack: Pack) -> Own:
    """Return the question's words with those of its time of day as the answer says it: "half past two" for 14:30."""
    times = same_times(text, asked.arguments.values(), pack)
    if not times:
        return own
    numbers = frozenset().union(*map(clock_numbers, times))
    return own._replace(words=own.words | clock_words(pack), numbers=own.numbers | numbers, clock=numbers)


def _without_like_names(pieces: list[Piece], asked: Asked, pack: Pack) -> list[Piece]:
    """Return an answer with a name that is only like one of the arguments as an unknown word: Mario, Maria."""
    if pack.tag in DECLINING:
        return pieces
    values = " ".join(map(flat_text, asked.arguments.values())).split()
    names = {compared(one) for one in values if one[:1].isupper() and one[1:].islower()}
    return [
        one._replace(kind=Kind.UNKNOWN, own="")
        if one.kind is Kind.OWN and one.own in names and not one.text.startswith(one.own)
        else one
        for one in pieces
    ]


def _without_plurals(pieces: list[Piece], asked: Asked, pack: Pack) -> list[Piece]:
    """Return an answer with what is more than one of what was asked about as an unknown word: "yes, my cards"."""
    if not pack.plurals:
        return pieces
    nouns = nouns_of(asked.question, pack) if pack.articles else None
    return [
        one._replace(kind=Kind.UNKNOWN, own="")
        if one.kind is Kind.OWN and (nouns is None or one.own in nouns) and is_plural_of(one.text, one.own, pack)
        else one
        for one in pieces
    ]


def _is_done_before(pieces: list[Piece], text: str, asked: Asked, pack: Pack) -> bool:
    """Return whether an answer tells that the deed was done before, and no wish: "yes, I cancelled it"."""
    if any(one.kind is Kind.WISH and one.text.replace(" ", "") not in _polite(pack) for one in pieces):
        return False  # "I want it deleted", and not "yes please, I deleted it"
    if any(one.kind is Kind.OWN for one in pieces) and says_already(text, pack):
        return True
    shown = {word.text for word in plain_words(asked.question, pack)}
    raw = [word.lower() for word in text.translate(_SIGNS).split()]
    written = {word.lower() for word in asked.question.translate(_SIGNS).split()}
    new = [word for word in raw if word not in written and (compared(word) not in shown or compared(word) != word)]
    for at, one in enumerate(pieces):
        if one.kind is not Kind.OWN:
            continue
        is_clear = pack.tag in _CLEAR_PAST
        before = pieces[at - 1].text if at > 0 else ""
        is_noun = before in article_words(pack) - _NO_ARTICLES and one.text.endswith(_NOUN_LIKE)
        if is_noun and is_clear:
            continue
        behind = pieces[at + 1].text if at + 1 < len(pieces) else ""
        is_deed = is_clear or names_deed(one.text, pack) or names_deed(one.own, pack)
        if is_deed and tells_done(one.text, behind, raw if one.text not in shown else (), pack):
            return True
        if tells_any_done(one.text, one.own, new, raw, pack):
            return True
    return False


def _does_oneself(pieces: list[Piece], text: str, asked: Asked, pack: Pack) -> bool:
    """Return whether an answer tells what the one who says it does, and no wish: "yes, I print it", "la imprimo yo"."""
    if any(one.kind is Kind.WISH and one.text.replace(" ", "") not in _polite(pack) for one in pieces):
        return False
    values = {one.text for value in asked.arguments.values() for one in plain_words(flat_text(value), pack)}
    speakers = speakers_in(text, pack)
    is_near = False
    for at, one in enumerate(pieces):
        is_deed = one.kind is Kind.OWN and one.own not in values
        behind = pieces[at + 1].text if at + 1 < len(pieces) else ""
        if is_deed and (is_near or behind in speakers or is_speakers_own(one.text, pack)):
            return True
        is_near = one.text in speakers or (is_near and one.kind is Kind.SMALL)
    return False


def _counts_otherwise(text: str, asked: Asked) -> bool:
    """Return whether a number of an answer is another one than its figures are: 100k, ~100, 2nd, "100 100"."""
    shown = asked.question.lower()
    has_day = any(_DAY.fullmatch(flat_text(value)) for value in asked.arguments.values())
    return any(
        found[0].lower() not in shown and not (has_day and found["th"])
        for found in _OTHER_COUNT.finditer(unicodedata.normalize("NFKC", text))
    )


def _wants_the_thing(pieces: list[Piece], asked: Asked, pack: Pack) -> bool:
    """Return whether an answer wishes for the thing the question is about, and not for the deed: "I want my order".

    Words of the question stand beside a wish, and none of them is what is to be done.
    """
    verbs = {words[0].text for name in asked.names if (words := plain_words(name, pack))}
    nouns, sentences = nouns_of(asked.question, pack), sentences_of(asked.question)
    behind = {one.text for name in asked.names for one in plain_words(name, pack)[1:]} - verbs

    def is_deed(one: Piece) -> bool:
        is_asked = is_asked_deed(one.text, sentences, pack) and one.own not in nouns
        return one.own in verbs or (one.own not in behind and is_asked)

    named = [at for at, one in enumerate(pieces) if one.kind is Kind.OWN]
    if not named or any(is_deed(pieces[at]) for at in named):
        return False
    before = {compared(one) for one in pack.determiners}
    is_known = any(
        pieces[at].own in behind or pieces[at].own in nouns or (at > 0 and pieces[at - 1].text in before)
        for at in named
    )
    is_undone = any(kind_of(verb, pack) is Kind.CANCEL for verb in verbs)  # "yes, stay" to a question that cancels one
    is_alone = any(not at or pieces[at - 1].kind not in SMALL for at in named)
    is_agreed = any(one.kind is Kind.YES for one in pieces)
    return is_known and (_has_wish(pieces, pack) or not is_agreed or (is_undone and is_alone))


def _has_wish(pieces: list[Piece], pack: Pack) -> bool:
    """Return whether an answer wishes for something; politeness is no wish."""
    words, polite = _wishing_words(pack), _polite(pack)
    return any(
        (one.kind is Kind.WISH and one.text.replace(" ", "") not in polite) or not words.isdisjoint(one.text.split())
        for one in pieces
    )


def _is_unfinished(kinds: list[Kind]) -> bool:
    """Return whether an answer ends with "and", small words aside."""
    telling = [kind for kind in kinds if kind not in (Kind.SMALL, Kind.WISH)]
    return bool(telling) and telling[-1] is Kind.JOIN


def _is_told(pieces: list[Piece], asked: Asked, pack: Pack) -> bool:
    """Return whether an answer tells to do what was asked, with the word of the action: "please delete it"."""
    if any(is_of_oneself(one.text, pack) for one in pieces if one.kind not in (Kind.WISH, Kind.POLITE)):
        return False  # "send it to me"
    verbs = {words[0].text for name in asked.names if (words := plain_words(name, pack))}
    if any(one.kind is Kind.OWN and one.own in verbs for one in pieces[:MAX_WORDS_BEFORE]):
        return True
    nouns = nouns_of(asked.question, pack)
    states = {compared(one) for one in pack.states}
    sentences = sentences_of(asked.question)
    if any(one.text in states for one in pieces):
        return False
    return any(
        one.kind is Kind.OWN
        and is_asked_deed(one.text, sentences, pack)
        and one.text not in nouns
        and one.own not in nouns
        for at, one in enumerate(pieces)
        if at == 0 or pieces[at - 1].text not in article_words(pack)
    )


def _refusal(pieces: list[Piece]) -> Label:
    """Return what an answer with a negation in it is: a refusal where it begins or ends with one, never a yes."""
    telling = [one.kind for one in pieces if one.kind not in SMALL and one.kind is not Kind.JOIN]
    is_first, is_last = telling[0] in (Kind.NO, Kind.CANCEL), telling[-1] in (Kind.NO, Kind.CANCEL)
    has_yes = Kind.YES in telling
    if Kind.CANCEL in telling and Kind.NO not in telling and not has_yes:
        return "cancel"
    if is_first and not has_yes:
        return "no"
    is_known = not {Kind.UNKNOWN, Kind.DOUBT, Kind.QUESTION} & set(telling)
    return "no" if is_known and (not has_yes or (is_last and not is_first)) else "other"


def begins_with_question(kinds: list[Kind]) -> bool:
    """Return whether the first word of an answer that says something asks."""
    telling = [kind for kind in kinds if kind not in SMALL]
    return bool(telling) and telling[0] is Kind.QUESTION


def _numbers_fit(pieces: list[Piece], own: Own, pack: Pack) -> bool:
    """Return whether each number of an answer is one of the question, beside the same words as there."""
    said = [one for one in pieces if one.kind not in SMALL or one.number]
    for at, one in enumerate(said):
        if not one.number:
            continue
        if one.number not in own.numbers:
            return False
        near = [(said[place].own, place > at) for place in (at - 1, at + 1) if 0 <= place < len(said)]
        if at + 2 < len(said) and said[at + 2].number and _leads(said[at + 1].own, own, pack):
            near = near[:-1]
        known = [(word, is_behind) for word, is_behind in near if any(word == of.word for of in own.beside)]
        if known:
            if not any(_stood(own, word, one.number, is_behind) for word, is_behind in known):
                return False
        elif one.number in own.clock or _is_counted(pieces, one, own):
            continue
        elif _is_of_others(pieces, one) or (
            len(own.numbers) > 1 and len(one.number) < LONG_NUMBER and own.whole != {one.number}
        ):
            return False
    return True


def _leads(word: str, own: Own, pack: Pack) -> bool:
    """Return whether a word stands before the time of day of the question: "um" of "um 20 Uhr"."""
    before = {one.text for phrase in pack.at for one in plain_words(phrase, pack)}
    return word in before and {one.is_behind for one in own.beside if one.word == word} == {False}


def _stood(own: Own, word: str, number: str, is_behind: bool) -> bool:
    """Return whether a word stood beside a number in the question, or the number is of its time of day."""
    if number in own.clock:
        return True
    places = [one for one in own.beside if (one.word, one.number) == (word, number)]
    return any(not one.is_shared or one.is_behind == is_behind for one in places)


def _is_counted(pieces: list[Piece], one: Piece, own: Own) -> bool:
    """Return whether a number has the question's word of counting behind it, in a script without spaces: 2名."""
    at = next(place for place, piece in enumerate(pieces) if piece is one)
    behind = pieces[at + 1].text if at + 1 < len(pieces) else ""
    counters = [of.word for of in own.beside if of.number == one.number and of.is_behind]
    return bool(behind) and not is_spaced(behind) and any(of.startswith(behind) for of in counters)


def _is_of_others(pieces: list[Piece], one: Piece) -> bool:
    """Return whether a number has a word of counting behind it in a script without spaces: 三人."""
    at = next(place for place, piece in enumerate(pieces) if piece is one)
    behind = pieces[at + 1] if at + 1 < len(pieces) else None
    return (
        behind is not None and behind.kind is Kind.SMALL and all(0x4E00 <= ord(sign) <= 0x9FFF for sign in behind.text)
    )


def says_action(text: str, action: str, pack: Pack) -> bool:
    """Return whether a text says, as a wish of the user, that an action shall be done, and says nothing else.

    Before and behind the words of the action stand only wishes, courtesy and small words: a day, a thing or a second
    deed that the action does not name makes it something else, and the user is asked.
    """
    if len(text) > MAX_ANSWER_CHARS or any(sign in text for sign in (*QUESTION_SIGNS, *_UNFINISHED)):
        return False
    wanted = {one.text for one in plain_words(action, pack) if kind_of(one.text, pack) not in SMALL}
    pieces = pieces_of(text, pack, frozenset(wanted))
    if not wanted or len(pieces) > MAX_ANSWER_TOKENS or not wanted <= {one.own for one in pieces}:
        return False
    asked = Asked(action, (action,))
    if not all(one.kind in _CONSENTING or (one.own and one.kind is not Kind.NO) for one in pieces):
        return False
    if _is_done_before(pieces, text, asked, pack) or _does_oneself(pieces, text, asked, pack):
        return False
    if speaks_of_others(pieces, text, asked, pack) or _is_unfinished([one.kind for one in pieces]):
        return False
    return any(one.kind in (Kind.WISH, Kind.YES) for one in pieces)


def read_truth(text: str, pack: Pack, question: str) -> bool | None:
    """Return what an answer says to a field of type boolean; None where it does not say so clearly.

    More than a bare yes is taken here, for nothing runs on it: "yes, I have one", "I do not have one".
    """
    if words_only(text) in {words_only(one) for one in pack.agree}:
        return True
    label = read_answer(text, pack, Asked(question)).label
    if label in ("yes", "no"):
        return label == "yes"
    if label != "other" or len(text) > MAX_ANSWER_CHARS:
        return None
    kinds = [one.kind for one in pieces_of(text, pack, frozenset()) if one.kind not in SMALL]
    if {Kind.WAIT, Kind.DOUBT, Kind.QUESTION, Kind.CANCEL} & set(kinds):
        return None
    if Kind.NO in kinds:
        return None if Kind.YES in kinds else False
    first = plain_words(text, pack)[:1]
    is_clear = bool(first) and kind_of(first[0].text, pack) is Kind.YES and first == plain_words(pack.yes[0], pack)
    return True if is_clear else None
