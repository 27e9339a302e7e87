"""The words of an answer, each with what it counts for: the longest phrase of the language's pack is taken first.

Scripts without spaces are cut by the longest phrase as well. Spec: abl-language 5.7.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from abl.languages.folding import fold, is_spaced
from abl.languages.pack import Pack
from engine.extraction.numbers import read_numbers, spelled_numbers

MAX_ANSWER_TOKENS = 60
"""Words of an answer that are looked at; what is longer is no bare yes."""

_WORD = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_\u0900-\u0963][^\W\d_]*|[\u0900-\u0963]+")
ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th|er|eme|re|º|ª|o|a|e|te|ten|ter|de)(?![^\W\d_])")
"""The end of a number in figures that counts: 5th, 5º."""
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\u3005]")
_RUN = re.compile(r"[\u3400-\u9fff\u3005]+|[\u30a1-\u30ff]+|[\u3040-\u309f]+|\d+(?:[.,]\d+)*|[^\W\d_]+")
_REPEATED = re.compile(r"(\w)\1+", re.DOTALL)
_LONG_RUN = re.compile(r"(\w)\1\1|(\w)\2$|^(\w)\3", re.DOTALL)
_SAME_SIGNS = str.maketrans({"\u0901": "\u0902", "ー": "", "〜": "", "~": ""})
_YES_SIGNS = frozenset("👍👌✅✔✓☑🆗🫡")
_NO_SIGNS = frozenset("👎❌✖✗✘🚫⛔🛑✋🙅")
_KIND_SIGNS = frozenset(
    "🙂😊😀😃😄😁☺🙏❤♥🎉💪🤝😍🥰😘😇🤗🤩🥳😎😋😌🫶👏🙌🤞✌🤘🤙🎊✨⭐🌟💫🔥🚀💯💚💙💛💜🧡🤍🖤🤎💖💗💓💕💞💐🌹🌸🌺🌻🌷🌼☀🍀🎈🥂🍻🙇"
)
_DROPPED = frozenset("\ufe0f\u200d♀♂")
_COMPOUNDING = frozenset({"de", "nl"})
"""Languages that write nouns as one: the last names the thing (Stadtrad, Rad), one more makes it another (huurauto)."""
MAX_PLAIN_ENDING = 3
_NEGATED = {"tr": re.compile(r"m[ea](?:z|y[a-z]*|den|dan)?$")}
"""Languages that negate a verb by its ending -> the ending: sil, silme."""
MIN_TYPO_CHARS = 3
MIN_LOST_CHARS = 6
MIN_VOWEL_CHARS = 9
"""How long a word is in which a vowel may be another one: definately."""
_VOWELS = frozenset("aeiouy")
_ARABIC_PERSONS = frozenset("اتني")
"""Letters a verb begins with by person: ادفع, تدفع."""
_ARABIC = re.compile(r"[\u0600-\u06ff]")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_GROUPED = re.compile(r"\d{1,3}(?:[.,]\d{3})+")


class Kind(Enum):
    """What a word of an answer counts for; the first of two that fit the same words counts."""

    WAIT = "wait"
    NO = "no"
    CANCEL = "cancel"
    DOUBT = "doubt"
    QUESTION = "question"
    YES = "yes"
    WISH = "wish"
    POLITE = "polite"
    SMALL = "small"
    JOIN = "join"
    OWN = "own"
    NUMBER = "number"
    UNKNOWN = "unknown"


SMALL = frozenset({Kind.WISH, Kind.POLITE, Kind.SMALL})
"""Words that change nothing about an answer."""


class Piece(NamedTuple):
    """One word or phrase of an answer: what it counts for, its number, and the question's word it repeats."""

    kind: Kind
    text: str
    number: str = ""
    own: str = ""


class Word(NamedTuple):
    """A word as it is compared, and the number it says, if any."""

    text: str
    number: str = ""


class _Table(NamedTuple):
    kinds: Mapping[tuple[str, ...], Kind]
    numbers: Mapping[str, str]
    longest: int
    joined: Mapping[str, Kind]
    single: Mapping[str, Kind]


def compared(text: str) -> str:
    """Return a text as its words are compared."""
    return fold(text).translate(_SAME_SIGNS)


@lru_cache(maxsize=256)
def _compared_all(phrases: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(compared(one) for one in phrases)


@lru_cache(maxsize=64)
def _table(pack: Pack) -> _Table:
    """Return the phrases of a pack by their words, and joined for scripts without spaces."""
    groups: tuple[tuple[Kind, Iterable[str]], ...] = (
        (Kind.WAIT, pack.wait),
        (Kind.NO, (*pack.no, *pack.disagree)),
        (Kind.CANCEL, pack.cancel),
        (Kind.DOUBT, (*_without_yes(pack), *pack.farewell)),
        (Kind.QUESTION, pack.question),
        (Kind.YES, pack.yes),
        (Kind.WISH, pack.wish),
        (Kind.POLITE, (*pack.politeness, *pack.closings)),
        (Kind.JOIN, pack.conjunctions),
        (Kind.SMALL, pack.filler),
    )
    kinds: dict[tuple[str, ...], Kind] = {}
    for kind, phrases in groups:
        for phrase in phrases:
            words = tuple(_WORD.findall(compared(phrase)))
            if words:
                kinds.setdefault(words, kind)
            if len(words) > 1 and "'" in fold(phrase):
                kinds.setdefault(tuple(_WORD.findall(compared(phrase).replace("'", ""))), kind)
    numbers: dict[str, str] = {}
    for counted in (pack.numbers, pack.ordinals):
        for value, phrases in counted.items():
            for phrase in phrases:
                numbers.setdefault(compared(phrase), _plain_number(f"{value:g}"))
    joined = {"".join(words): kind for words, kind in kinds.items()}
    single = {words[0]: kind for words, kind in kinds.items() if len(words) == 1}
    return _Table(kinds, numbers, max(map(len, kinds)), joined, single)


def _without_yes(pack: Pack) -> list[str]:
    """Return the words of doubt but those that only an accent keeps from a yes, as si from sí: all leave it out."""
    accented = {compared(phrase) for phrase in pack.yes if fold(phrase) != phrase.lower()}
    return [one for one in pack.doubt if compared(one) not in accented]


def _plain_number(text: str) -> str:
    return text.lstrip("0") or "0" if text.isdigit() and len(text) < MIN_LOST_CHARS else text


def _in_figures(said: str, pack: Pack) -> str:
    """Return a text as it is compared with its numbers of several words and those with signs in them in figures.

    "tres mil" and "3.000" are 3000; a number of one word that the pack has stands as it is.
    """
    if not is_spaced(said):
        return said
    known, pattern = _number_words(pack)
    found: list[tuple[float, int, int]] = []
    if _GROUPED.search(said):
        found += [one for one in read_numbers(said, pack) if _GROUPED.fullmatch(said[one[1] : one[2]])]
    if pattern.search(said):
        found += [one for one in spelled_numbers(said, pack) if said[one[1] : one[2]] not in known]
    for value, begun, end in sorted(found, key=lambda one: -one[1]):
        if float(value).is_integer():
            said = f"{said[:begun]}{int(value)}{said[end:]}"
    return said


@lru_cache(maxsize=64)
def _number_words(pack: Pack) -> tuple[frozenset[str], re.Pattern[str]]:
    """Return the words that are a number by themselves, and what finds one of them in a text."""
    scales = {compared(one) for names in pack.scales.values() for one in names}
    known = frozenset({*_table(pack).numbers, *scales})
    return known, re.compile("|".join(re.escape(one) for one in sorted(known, key=len, reverse=True)))


def plain_words(text: str, pack: Pack) -> list[Word]:
    """Return the words of a text as they are compared, numbers in figures or words as numbers."""
    table = _table(pack)
    found: list[Word] = []
    for word in _split(_in_figures(compared(text), pack)):
        number = _plain_number(word) if word[0].isdigit() else table.numbers.get(word, "")
        found.append(Word(word, number))
    return found


def _split(said: str) -> Iterator[str]:
    for word in _WORD.findall(ORDINAL.sub("", said)):
        if _UNSPACED.search(word):
            yield from (run for run in _RUN.findall(word))
        else:
            yield word


def pieces_of(text: str, pack: Pack, own: frozenset[str]) -> list[Piece]:
    """Return the words and phrases of an answer in order, pictures too."""
    found: list[Piece] = []
    begun = 0
    for at, sign in enumerate(text):
        kind = Kind.SMALL if sign in own and not sign.isalnum() else _kind_of_sign(sign)
        if kind is None:
            continue
        found += _of_text(text[begun:at], pack, own)
        if kind is not Kind.SMALL:
            found.append(Piece(kind, sign))
        begun = at + 1
    return found + _of_text(text[begun:], pack, own)


def _kind_of_sign(sign: str) -> Kind | None:
    """Return what a picture or sign counts for, None for letters, digits and marks between words."""
    if sign in _YES_SIGNS:
        return Kind.YES
    if sign in _NO_SIGNS:
        return Kind.NO
    if sign in _KIND_SIGNS or sign in _DROPPED:
        return Kind.SMALL
    category = unicodedata.category(sign)
    if category == "Sk" and ord(sign) >= 0x1F3FB:
        return Kind.SMALL  # the colour of a hand
    if category in ("So", "Sm", "Sc") and sign not in "~|":
        return Kind.UNKNOWN
    return Kind.UNKNOWN if sign in "%‰" else None


def kind_of(word: str, pack: Pack) -> Kind | None:
    """Return what a single word counts for in a language, None when it is no word of answers."""
    return _table(pack).single.get(word)


def _of_text(text: str, pack: Pack, own: frozenset[str]) -> list[Piece]:
    said = _in_figures(compared(text), pack)
    table = _table(pack)
    words = _WORD.findall(ORDINAL.sub("", said))[: MAX_ANSWER_TOKENS + 1]
    found: list[Piece] = []
    spaced: list[str] = []
    at = 0
    while at < len(words):
        if not _UNSPACED.search(words[at]):
            spaced.append(words[at])
            at += 1
            continue
        run = words[at]
        while at + 1 < len(words) and _is_glued(said, words[at], words[at + 1]):
            at += 1
            run += words[at]
        found += [*_spaced(spaced, pack, own), *_unspaced(run, table, own)]
        spaced = []
        at += 1
    return found + _spaced(spaced, pack, own)


def _spaced(words: list[str], pack: Pack, own: frozenset[str]) -> list[Piece]:
    """Cut words by the longest phrase that is known, or so that the least is unknown where nothing is against a yes."""
    found: list[Piece] = []
    at = 0
    while at < len(words):
        length, piece = _longest(words, at, pack, own)
        found.append(piece)
        at += length
    kinds = {one.kind for one in found}
    return found if Kind.UNKNOWN not in kinds or kinds & _AGAINST else _fewest(words, pack, own)


def _fewest(words: list[str], pack: Pack, own: frozenset[str]) -> list[Piece]:
    """Cut words so that the fewest are unknown, then in the fewest pieces: "sì, grazie mille"."""
    table = _table(pack)
    best: list[tuple[int, list[Piece]]] = [(0, [])]
    for at in range(len(words) - 1, -1, -1):
        choices = []
        for length in range(1, min(table.longest, len(words) - at) + 1):
            kind = table.kinds.get(tuple(words[at : at + length])) if length > 1 else None
            if length > 1 and kind is None:
                continue
            piece = Piece(kind, " ".join(words[at : at + length])) if kind else _single(words[at], pack, own)
            unknown, behind = best[-length]
            choices.append((unknown + (piece.kind is Kind.UNKNOWN), [piece, *behind]))
        best.append(min(choices, key=lambda one: (one[0], len(one[1]))))
    return best[-1][1]


def _is_glued(said: str, first: str, second: str) -> bool:
    return f"{first}{second}" in said


def _longest(words: list[str], at: int, pack: Pack, own: frozenset[str]) -> tuple[int, Piece]:
    """Return the longest phrase that begins at a word, and how many words it has."""
    table = _table(pack)
    for length in range(min(table.longest, len(words) - at), 1, -1):
        kind = table.kinds.get(tuple(words[at : at + length]))
        if kind is not None:
            return length, Piece(kind, " ".join(words[at : at + length]))
    return 1, _single(words[at], pack, own)


def _single(word: str, pack: Pack, own: frozenset[str]) -> Piece:
    table = _table(pack)
    if word[0].isdigit():
        return Piece(Kind.NUMBER, word, _plain_number(word))
    kind = _kind_of_word(word, table)
    number = table.numbers.get(word, "")
    mine = _mine(word, own, pack)
    if kind is not None and kind is not Kind.JOIN:
        return Piece(kind, word, own=mine)
    if number:
        return Piece(Kind.NUMBER, word, number)
    if mine:
        is_negated = pack.tag in _NEGATED and _NEGATED[pack.tag].search(word) is not None and word != mine
        return Piece(Kind.NO if is_negated else Kind.OWN, word, own=mine)
    return Piece(kind or Kind.UNKNOWN, word)


def _mine(word: str, own: frozenset[str], pack: Pack) -> str:
    """Return the question's word that a word repeats: that word, it in another form, or another form of its verb."""
    if word in own:
        return word
    if any(f"{one}{end}" == word for one in own for end in ("s", "es")):
        return ""
    stems = own - _small_words(pack)
    if pack.tag in _COMPOUNDING:
        ends = {*_compared_all(pack.conjugation), *_compared_all(pack.nouns), *_compared_all(pack.endings)}
        if head := next((one for one in sorted(own) if one.endswith(word) and _is_head(word, one)), ""):
            return head
        stems = frozenset(
            one for one in stems if len(word) - len(one) <= MAX_PLAIN_ENDING or word.removeprefix(one) in ends
        )
    return own_word(word, stems) or own_word(_without_ending(word, pack), stems) or own_verb(word, stems, pack)


def _is_head(word: str, one: str) -> bool:
    return len(word) >= MIN_TYPO_CHARS and len(one) - len(word) >= MIN_TYPO_CHARS


@lru_cache(maxsize=64)
def _small_words(pack: Pack) -> frozenset[str]:
    """Return the small words of a language: no word is another form of one."""
    return frozenset(word for word, kind in _table(pack).single.items() if kind in SMALL)


def _kind_of_word(word: str, table: _Table) -> Kind | None:
    """Return what a word counts for: as it stands, with its letters drawn out, or with two of them changed over."""
    known = table.single.get(word)
    if known is not None:
        return known
    if _LONG_RUN.search(word):
        short = _REPEATED.sub(r"\1", word)
        for one, kind in table.single.items():
            if one[0] == word[0] and _REPEATED.sub(r"\1", one) == short:
                return kind
    if len(word) >= MIN_TYPO_CHARS:
        for one, kind in table.single.items():
            if kind in (Kind.YES, Kind.NO, Kind.POLITE, Kind.WAIT) and _is_typo(word, one):
                return kind
    return None


def _is_typo(word: str, meant: str) -> bool:
    """Return whether a word is another with two letters changed over, or a long one with a slip of one letter."""
    if word[0] != meant[0] or len(meant) < MIN_TYPO_CHARS or abs(len(word) - len(meant)) > 1:
        return False
    if len(word) == len(meant):
        wrong = [at for at in range(len(word)) if word[at] != meant[at]]
        if len(wrong) == 1:
            return len(meant) >= MIN_VOWEL_CHARS and {word[wrong[0]], meant[wrong[0]]} <= _VOWELS
        return (
            len(wrong) == 2
            and wrong[1] == wrong[0] + 1
            and word[wrong[0]] == meant[wrong[1]]
            and word[wrong[1]] == meant[wrong[0]]
        )
    long, short = (word, meant) if len(word) > len(meant) else (meant, word)
    if len(meant) < MIN_LOST_CHARS:
        return False
    return any(long[:at] + long[at + 1 :] == short for at in range(1, len(long)))


def own_word(word: str, own: frozenset[str]) -> str:
    """Return the question's word that a word of the answer repeats, in whatever form; empty when there is none."""
    if word in own:
        return word
    for one in sorted(own):
        if is_form_of(word, one):
            return one
    return ""


def is_form_of(word: str, one: str) -> bool:
    """Return whether a word is another with another ending."""
    if _ARABIC.search(word):
        return _arabic_stem(word) == _arabic_stem(one)
    if word[0] != one[0] or word[0].isdigit() or word in (f"{one}s", f"{one}es"):
        return False
    short = min(len(word), len(one))
    same = next((at for at in range(short) if word[at] != one[at]), short)
    if same < MIN_TYPO_CHARS or len(word) - same > MAX_ENDING or len(one) - same > MAX_ENDING_OF_QUESTION:
        return False
    return same == short or (same >= 4 and same >= 0.66 * short)


@lru_cache(maxsize=4_096)
def _without_ending(word: str, pack: Pack) -> str:
    """Return a word without one of the longer ends that verbs have in its language."""
    ends = _compared_all(pack.endings)
    found = [one for one in ends if word.endswith(one) and len(word) - len(one) >= MIN_TYPO_CHARS]
    return word.removesuffix(max(found, key=len)) if found else word


def own_verb(word: str, own: frozenset[str], pack: Pack) -> str:
    """Return the question's verb that a word repeats with another of the verb's ends: "súbemelo" of "subo"."""
    if not pack.conjugation or _is_of_answers(word, pack):
        return ""
    stems = _stems(word, pack) | _stems(_without_ending(word, pack), pack)
    return next((one for one in sorted(own) if word not in (f"{one}s", f"{one}es") and stems & _stems(one, pack)), "")


def _is_of_answers(word: str, pack: Pack) -> bool:
    return _table(pack).single.get(word) is not None


def is_known(word: str, pack: Pack) -> bool:
    """Return whether a word, as it is compared, has a meaning of its own in a language: an answer, a number, a day."""
    return word in _known(pack) or any(_is_typo(word, one) for one in _table(pack).single)


@lru_cache(maxsize=64)
def _known(pack: Pack) -> frozenset[str]:
    groups: list[Iterable[str]] = [
        pack.back,
        pack.change,
        pack.help,
        pack.human,
        pack.negative,
        pack.angry,
        pack.common,
    ]
    groups += [*pack.units.values(), *pack.currencies.values(), *pack.days.values(), *pack.times.values()]
    groups += [*pack.months, *pack.weekdays, *pack.numbers.values(), *pack.ordinals.values(), *pack.scales.values()]
    groups += [pack.origin, pack.destination, pack.at, pack.oclock, pack.am, pack.pm, pack.articles, pack.conjunctions]
    words = {word for group in groups for phrase in group for word in _WORD.findall(compared(phrase))}
    return frozenset(words | {word for phrase in _table(pack).kinds for word in phrase})


@lru_cache(maxsize=8_192)
def _stems(word: str, pack: Pack) -> frozenset[str]:
    """Return what a verb may be without its end."""
    ends = _compared_all(pack.conjugation)
    return frozenset(
        word.removesuffix(end) for end in ends if word.endswith(end) and len(word) - len(end) >= MIN_TYPO_CHARS
    )


MAX_ENDING = 4
"""Letters an answer's form of a word may end in that the question's does not have: bloquear, bloquéala."""
MAX_ENDING_OF_QUESTION = 8
"""The other way round: sil, silecegim."""


@lru_cache(maxsize=2_048)
def _arabic_stem(word: str) -> str:
    """Return an Arabic word without article, future and pronoun."""
    for start in ("ال", "س", "و"):
        if word.startswith(start) and len(word) - len(start) >= MIN_TYPO_CHARS:
            word = word[len(start) :]
            break
    for end in ("ها", "ه", "ك"):
        if word.endswith(end) and len(word) - len(end) >= MIN_TYPO_CHARS:
            word = word[: -len(end)]
            break
    if word[0] in _ARABIC_PERSONS and len(word) > MIN_TYPO_CHARS:
        word = word[1:]
    return word


_AGAINST = frozenset({Kind.WAIT, Kind.NO, Kind.CANCEL, Kind.DOUBT, Kind.QUESTION})


def _unspaced(run: str, table: _Table, own: frozenset[str]) -> list[Piece]:
    """Cut a run of a script without spaces: by the longest phrase that is known, or so that the least is unknown.

    The second only where the first finds nothing that speaks against a yes.
    """
    longest = _cut(run, table, own, _longest_ends(run, table, own))
    kinds = {one.kind for one in longest}
    if Kind.UNKNOWN not in kinds or kinds & _AGAINST:
        return longest
    return _cut(run, table, own, _fewest_ends(run, table, own))


def _piece_at(run: str, at: int, end: int, table: _Table, own: frozenset[str]) -> Piece | None:
    """Return what a part of a run is, None when it is not known."""
    part = run[at:end]
    digits = _DIGITS.match(run[at:])
    if digits is not None:
        return Piece(Kind.NUMBER, part, _plain_number(part)) if part == digits[0] else None
    if (kind := table.joined.get(part)) is not None:
        return Piece(kind, part)
    if part in own:
        return Piece(Kind.OWN, part, own=part)
    number = table.numbers.get(part, "") if len(part) == 1 else ""
    return Piece(Kind.NUMBER, part, number) if number else None


def _cut(run: str, table: _Table, own: frozenset[str], ends: Mapping[int, int]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    while at < len(run):
        end = ends[at]
        found.append(_piece_at(run, at, end, table, own) or Piece(Kind.UNKNOWN, run[at:end]))
        at = end
    return found


def _longest_ends(run: str, table: _Table, own: frozenset[str]) -> dict[int, int]:
    """Return for each place where the longest known phrase from there ends."""
    places = range(len(run))
    return {
        at: next((end for end in range(len(run), at, -1) if _piece_at(run, at, end, table, own)), at + 1)
        for at in places
    }


def _fewest_ends(run: str, table: _Table, own: frozenset[str]) -> dict[int, int]:
    """Return for each place where the phrase from there ends that leaves the fewest unknown signs, then phrases."""
    costs: dict[int, tuple[int, int]] = {len(run): (0, 0)}
    ends: dict[int, int] = {}
    for at in range(len(run) - 1, -1, -1):
        choices = [
            ((costs[end][0] + (0 if known else 1), costs[end][1] + 1), -end)
            for end in range(at + 1, len(run) + 1)
            if (known := _piece_at(run, at, end, table, own) is not None) or end == at + 1
        ]
        costs[at], best = min(choices)
        ends[at] = -best
    return ends
