"""What a question about a call says, and what the user's answer to it comes to. Decision: 0044.

The question is worded by the tool (`confirm_message`), by MESSAGES (`confirm_call`), or by the language's pack; names
are shown as words, and what is sensitive is masked. Spec: abl-language 3.2, 3.14, 8.
"""

from __future__ import annotations

import re
from collections.abc import Set

from abl.languages.folding import fold, words_only
from abl.languages.pack import Pack
from domain.json_values import JsonObject, JsonValue
from engine import gather
from engine.answer_own import is_form_of
from engine.answer_question import Asked, flat_text, own_words, sentences_of
from engine.answer_tables import Kind
from engine.answer_words import Piece, pieces_of
from engine.answers import Answer, read_answer
from engine.corrections import Correction, read_correction
from engine.extraction.corrections import corrected as corrected_part
from engine.extraction.phrases import any_of
from engine.extraction.vocabulary import vocabulary
from engine.limits import MAX_SHOWN_CHARS
from engine.run import Run
from engine.sensitive import shown

_CLAUSE = re.compile(r"[.,;:()!?。、،\n-]")
_QUESTION = re.compile(r"([^.!?。？！؟\n]+(?:\.(?=\d)[^.!?。？！؟\n]+)*)[?？؟]")
_SAYS_NOTHING = frozenset({Kind.WISH, Kind.POLITE, Kind.SMALL, Kind.JOIN, Kind.OWN, Kind.YES})
MAX_CLAUSE_CHARS = 80
"""Characters of the beginning of a description whose words the user may use."""
SECOND_LANGUAGE = "en"
"""A language whose answers count beside those of the session's."""


def question(run: Run, tool: JsonObject, arguments: JsonObject) -> str:
    """Return what would be done, with its arguments, as a question; words of an author with a hole are not asked."""
    values: JsonObject = {name: shown_value(run, name, value) for name, value in arguments.items()}
    names = {**values, "call": shown_call(run, tool, arguments), "action": action_of(tool)}
    scope = run.local(names)
    written = str((tool.get("confirmation") or {}).get("confirm_message") or "")
    for words in (written, run.wording("confirm_call")):
        if asked := run.render_whole(words, scope):
            return asked
    return run.render(run.words.sentences["confirm_call"], scope)


def shown_call(run: Run, tool: JsonObject, arguments: JsonObject) -> str:
    """Return what a call would do in words: its action, its arguments without those that are not for the user."""
    parts = [
        f"{as_words(name)}: {text}"
        for name, value in arguments.items()
        if not name.startswith("_") and (text := shown_value(run, name, value))
    ]
    action = as_words(str(tool["name"]))
    told = f" ({', '.join(parts)[:MAX_SHOWN_CHARS]})" if parts else ""
    return f"{action[:1].upper()}{action[1:]}{told}."


def names_of(tool: JsonObject) -> tuple[str, ...]:
    """Return what the user may call a call: the tool's name, its action, and how its description begins."""
    begins = _CLAUSE.split(str(tool.get("description") or "").strip(), maxsplit=1)[0]
    return (as_words(str(tool["name"])), action_of(tool), begins if len(begins) <= MAX_CLAUSE_CHARS else "")


def action_of(tool: JsonObject) -> str:
    """Return what a tool does in words: its `consent_action`, else its name."""
    confirmation = tool.get("confirmation") or {}
    return str(confirmation.get("consent_action") or as_words(str(tool["name"]))).rstrip(".?! ")


def as_words(name: str) -> str:
    """Return a name of a program as words.

    >>> as_words("block_card"), as_words("cardId")
    ('block card', 'card id')
    """
    spaced = "".join(f" {sign.lower()}" if sign.isupper() and name[at - 1 : at].islower() else sign
                     for at, sign in enumerate(name))  # fmt: skip
    return " ".join(spaced.replace("_", " ").replace(".", " ").split())


def shown_value(run: Run, name: str, value: JsonValue) -> str:
    """Return a value as the user may read it; empty for none, and for one that is hidden altogether."""
    found = shown(run.agent, name, value)
    if found != value and str(found).startswith("["):
        return ""
    if isinstance(found, bool):
        return str(found).lower()
    return ", ".join(map(str, found)) if isinstance(found, list) else flat_text(found)


def pack_of(run: Run) -> Pack:
    """Return the words of the session's language."""
    return run.words


def read(run: Run, asked: Asked) -> Answer:
    """Return what the message of this turn is in answer to a question; one sent before it was asked is no yes to it."""
    found = read_answer(run.state.turn.text, pack_of(run), asked, vocabulary(SECOND_LANGUAGE))
    return Answer("other") if found.label == "yes" and run.state.turn.is_unread else found


def corrected(run: Run, asked: Asked, parameters: list[JsonObject]) -> Correction:
    """Return the new values the message of this turn gives to arguments that were asked about."""

    def read_as(field: JsonObject, text: str) -> JsonValue:
        return gather.read_value(run, field, text)

    return read_correction(run.state.turn.text, pack_of(run), asked, parameters, read_as)


def is_correction(run: Run) -> bool:
    """Return whether the message of this turn sounds like a correction, whatever it is that it corrects."""
    tail = corrected_part(run.state.turn.text, pack_of(run))
    return bool(tail) and read_answer(tail, pack_of(run), Asked()).label != "question"


def last_said(run: Run) -> str:
    """Return what was said to the user before the message of this turn."""
    found: list[str] = []
    for line in reversed(run.state.transcript):
        if line.turn == run.state.turn.number:
            continue
        if line.role != "assistant":
            break
        found.append(line.content)
    return "\n".join(reversed(found))


def is_yes(run: Run, names: tuple[str, ...] = (), arguments: JsonObject | None = None) -> bool:
    """Return whether the message of this turn is a yes to what was said last, and nothing else."""
    return read(run, Asked(last_said(run), names, arguments or {})).label == "yes"


def asks_about(text: str, tool: JsonObject, arguments: JsonObject, pack: Pack) -> bool:
    """Return whether a text asks whether this very call shall be made.

    It says the whole action or names every argument, and its last question offers that and says nothing else: a
    question about the past, of what to keep, or about something else with the same words in it is none.
    """
    said = words_only(text)
    words = said.split()
    values = [words_only(flat_text(value)) for value in arguments.values() if value is not None]
    says_all = any(
        all(any(word == one or is_form_of(word, one) for word in words) for one in words_only(action).split())
        for action in (as_words(str(tool["name"])), action_of(tool))
    )
    is_named = says_all or (bool(values) and all(value in said for value in values))
    return is_named and _offers(_last_question(text), tool, arguments, pack)


def _last_question(text: str) -> str:
    """Return the last sentence with a question mark, else the last one with a word."""
    asked = _QUESTION.findall(text)
    if asked:
        return str(asked[-1])
    return next((one for one in reversed(sentences_of(text)) if words_only(one).strip()), "")


def _offers(sentence: str, tool: JsonObject, arguments: JsonObject, pack: Pack) -> bool:
    """Return whether a sentence asks whether to do what a tool does, with its words and small ones only."""
    own = own_words(Asked("", names_of(tool), arguments), pack)
    offers = any_of(pack.offers)
    found = offers.search(fold(sentence)) if offers is not None else None
    rest = fold(sentence)
    if found is not None:
        rest = f"{rest[: found.start()]} {rest[found.end() :]}"
    pieces = pieces_of(rest, pack, own.words)
    if any(not _may_stand(one, own.numbers) for one in pieces):
        return False
    asks = found is not None or any(one.kind is Kind.YES for one in pieces)
    return asks or (bool(pieces) and bool(pieces[0].own) and pieces[0].text == pieces[0].own)


def _may_stand(piece: Piece, numbers: Set[str]) -> bool:
    """Return whether a word may stand in a question about a call: its own, its numbers, and those that say nothing."""
    if piece.own:
        return True
    return piece.number in numbers if piece.kind is Kind.NUMBER else piece.kind in _SAYS_NOTHING
