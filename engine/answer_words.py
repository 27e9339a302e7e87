"""The words of an answer, each with what it counts for: the longest phrase of the language's pack is taken first.

Scripts without spaces are cut by the longest phrase as well. Spec: abl-language 5.7.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

from abl.languages.pack import Pack
from engine.answer_own import own_in_any_form
from engine.answer_tables import (
    ORDINAL,
    UNSPACED,
    WORD,
    Kind,
    Table,
    compared,
    in_figures,
    kind_of_word,
    plain_number,
    table_of,
)

MAX_ANSWER_TOKENS = 60
"""Words of an answer that are looked at; what is longer is no bare yes."""

_YES_SIGNS = frozenset("👍👌✅✔✓☑🆗🫡")

_NO_SIGNS = frozenset("👎❌✖✗✘🚫⛔🛑✋🙅")

_KIND_SIGNS = frozenset(
    "🙂😊😀😃😄😁☺🙏❤♥🎉💪🤝😍🥰😘😇🤗🤩🥳😎😋😌🫶👏🙌🤞✌🤘🤙🎊✨⭐🌟💫🔥🚀💯💚💙💛💜🧡🤍🖤🤎💖💗💓💕💞💐🌹🌸🌺🌻🌷🌼☀🍀🎈🥂🍻🙇"
)

_DROPPED = frozenset("\ufe0f\u200d♀♂")

_NEGATED = {"tr": re.compile(r"m[ea](?:z|y[a-z]*|den|dan)?$")}
"""Languages that negate a verb by its ending -> the ending: sil, silme."""

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


class Piece(NamedTuple):
    """One word or phrase of an answer: what it counts for, its number, and the question's word it repeats."""

    kind: Kind
    text: str
    number: str = ""
    own: str = ""


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


def _of_text(text: str, pack: Pack, own: frozenset[str]) -> list[Piece]:
    said = in_figures(compared(text), pack)
    table = table_of(pack)
    words = WORD.findall(ORDINAL.sub("", said))[: MAX_ANSWER_TOKENS + 1]
    found: list[Piece] = []
    spaced: list[str] = []
    at = 0
    while at < len(words):
        if not UNSPACED.search(words[at]):
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
    table = table_of(pack)
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
    table = table_of(pack)
    for length in range(min(table.longest, len(words) - at), 1, -1):
        kind = table.kinds.get(tuple(words[at : at + length]))
        if kind is not None:
            return length, Piece(kind, " ".join(words[at : at + length]))
    return 1, _single(words[at], pack, own)


def _single(word: str, pack: Pack, own: frozenset[str]) -> Piece:
    table = table_of(pack)
    if word[0].isdigit():
        return Piece(Kind.NUMBER, word, plain_number(word))
    kind = kind_of_word(word, table)
    number = table.numbers.get(word, "")
    mine = own_in_any_form(word, own, pack)
    if kind is not None and kind is not Kind.JOIN:
        return Piece(kind, word, own=mine)
    if number:
        return Piece(Kind.NUMBER, word, number)
    if mine:
        is_negated = pack.tag in _NEGATED and _NEGATED[pack.tag].search(word) is not None and word != mine
        return Piece(Kind.NO if is_negated else Kind.OWN, word, own=mine)
    return Piece(kind or Kind.UNKNOWN, word)


_AGAINST = frozenset({Kind.WAIT, Kind.NO, Kind.CANCEL, Kind.DOUBT, Kind.QUESTION})


def _unspaced(run: str, table: Table, own: frozenset[str]) -> list[Piece]:
    """Cut a run of a script without spaces: by the longest phrase that is known, or so that the least is unknown.

    The second only where the first finds nothing that speaks against a yes.
    """
    longest = _cut(run, table, own, _longest_ends(run, table, own))
    kinds = {one.kind for one in longest}
    if Kind.UNKNOWN not in kinds or kinds & _AGAINST:
        return longest
    return _cut(run, table, own, _fewest_ends(run, table, own))


def _piece_at(run: str, at: int, end: int, table: Table, own: frozenset[str]) -> Piece | None:
    """Return what a part of a run is, None when it is not known."""
    part = run[at:end]
    digits = _DIGITS.match(run[at:])
    if digits is not None:
        return Piece(Kind.NUMBER, part, plain_number(part)) if part == digits[0] else None
    if (kind := table.joined.get(part)) is not None:
        return Piece(kind, part)
    if part in own:
        return Piece(Kind.OWN, part, own=part)
    number = table.numbers.get(part, "") if len(part) == 1 else ""
    return Piece(Kind.NUMBER, part, number) if number else None


def _cut(run: str, table: Table, own: frozenset[str], ends: Mapping[int, int]) -> list[Piece]:
    found: list[Piece] = []
    at = 0
    while at < len(run):
        end = ends[at]
        found.append(_piece_at(run, at, end, table, own) or Piece(Kind.UNKNOWN, run[at:end]))
        at = end
    return found


def _longest_ends(run: str, table: Table, own: frozenset[str]) -> dict[int, int]:
    """Return for each place where the longest known phrase from there ends."""
    places = range(len(run))
    return {
        at: next((end for end in range(len(run), at, -1) if _piece_at(run, at, end, table, own)), at + 1)
        for at in places
    }


def _fewest_ends(run: str, table: Table, own: frozenset[str]) -> dict[int, int]:
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
