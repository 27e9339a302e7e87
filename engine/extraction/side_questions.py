"""Whether an answer asks something itself: "how much is one kilo?" is no weight.

Decision: 0083. Spec: abl-language 5.6.
"""

from __future__ import annotations

from abl.languages import Pack, fold, words_only
from engine.answer_tables import Kind
from engine.answer_words import pieces_of
from engine.answers import QUESTION_SIGNS, begins_with_question
from engine.extraction.phrases import any_of

MAX_CHARS = 4_000


def is_question(text: str, words: Pack) -> bool:
    """Return whether a text asks something, by its mark or its first word; a wish put as a question is none.

    >>> from abl.languages import load_pack
    >>> is_question("are you open on monday?", load_pack("en")), is_question("how about monday?", load_pack("en"))
    (True, False)
    """
    said = fold(text[:MAX_CHARS])
    wish = any_of(words.request)
    if wish is not None and wish.search(said) is not None:
        return False
    if any(sign in text for sign in QUESTION_SIGNS):
        return bool(words_only(text).strip())
    kinds = [one.kind for one in pieces_of(text[:MAX_CHARS], words, frozenset())]
    return Kind.QUESTION in kinds and begins_with_question(kinds)
