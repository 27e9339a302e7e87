"""What keeps a model from being asked what an answer is: it may be more than a way to say yes that no pack knows.

A model's yes runs a call, so what could name a value, put the deed off, doubt it, turn it away or speak of somebody is
asked again instead. Decision: 0074. Spec: abl-language 3.2 (confirm, consent), 5.7.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from functools import lru_cache

from abl.languages.folding import fold, is_spaced
from abl.languages.pack import Pack
from engine.answer_forms import is_of_oneself
from engine.answer_persons import names_somebody
from engine.answer_tables import Kind
from engine.answer_words import Piece, pieces_of
from engine.extraction.phrases import any_of

MIN_FOREIGN_CHARS = 4
"""Letters of a word of another language than the session's that counts: shorter ones are words of many languages."""
_TELLING = frozenset({Kind.WAIT, Kind.NO, Kind.CANCEL, Kind.DOUBT, Kind.QUESTION, Kind.NUMBER})
_OF_VALUES = frozenset("@#/\\_=+*%&€$£¥₹<>[]{}|:")
_NAME_WITHIN = re.compile(r"[^\s.!?…]\s+[^\W\d_]*[A-ZÀ-ÖØ-ÞΑ-ΩА-Я]")
"""A capital letter behind a word of the same sentence: a name, or a code."""


def may_name_something(text: str, packs: Iterable[Pack], own: Pack, *, takes_text: bool = False) -> bool:
    """Return whether an answer may be more than a yes, so that no model is asked.

    It has what could be a value, a person, a question, a negation, a doubt, a condition, a day or another time. Words
    of any language count, and so does what is written like a value: a figure, a sign that prose has not, a capital
    letter within a sentence.

    Args:
        text: The answer.
        packs: The languages whose words count.
        own: The session's language.
        takes_text: Whether what was asked about has a value that any text could be.
    """
    if any(one.isdigit() or one in _OF_VALUES for one in text) or _NAME_WITHIN.search(text):
        return True
    pieces = pieces_of(text, own, frozenset())
    if not any(one.kind is Kind.UNKNOWN for one in pieces):
        return True  # every word is known, and together they are no yes: "thanks", "hmm"
    if names_somebody(text, own) or _speaks_of_oneself(pieces, own) or _is_placed(pieces, own):
        return True
    if takes_text and all(one.kind in (Kind.UNKNOWN, Kind.POLITE, Kind.WISH) for one in pieces):
        return True  # nothing but words nobody knows: a name as well as anything
    return any(_tells(text, pack, is_own=pack.tag == own.tag) for pack in (own, *packs))


def _speaks_of_oneself(pieces: list[Piece], pack: Pack) -> bool:
    """Return whether an answer has a "my" or "me": "my lawyer agrees"."""
    return any(is_of_oneself(one.text, pack) for one in pieces)


def _is_placed(pieces: list[Piece], pack: Pack) -> bool:
    """Return whether a word nobody knows stands behind one of place, time or receiver: "to bob", "at lunch"."""
    before = {fold(one) for one in (*pack.destination, *pack.origin, *pack.at)}
    return any(one.text in before and behind.kind is Kind.UNKNOWN for one, behind in itertools.pairwise(pieces))


def _tells(text: str, pack: Pack, *, is_own: bool) -> bool:
    if any(one.kind in _TELLING for one in pieces_of(text, pack, frozenset())):
        return True
    pattern = _others(pack, is_own)
    return pattern is not None and pattern.search(fold(text)) is not None


@lru_cache(maxsize=64)
def _others(pack: Pack, is_own: bool) -> re.Pattern[str] | None:
    """Return what finds the words of a pack that say when, how much, what else, or that something is not right."""
    when = (*pack.days.values(), *pack.weekdays, *pack.months, *pack.units.values(), *pack.times.values())
    groups = (*when, pack.back, pack.change, pack.help, pack.human, pack.negative, pack.angry, pack.farewell)
    groups += (pack.refusal, pack.refusal_behind, pack.contrast, pack.either, pack.between, pack.last, pack.fractions)
    groups += (pack.relative, pack.wrong, pack.against)
    phrases = [one for group in groups for one in group]
    least = 1 if is_own else MIN_FOREIGN_CHARS
    return any_of(tuple(one for one in phrases if len(one) >= least or not is_spaced(one)))
