"""The language of a session: said by a variable, the caller or the agent, else heard in what is spoken.

Spec: abl-language 3.1 (LANGUAGE), 5.7. Decision: 0042.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from abl.languages import DEFAULT_TAG, Pack, load_pack
from engine import spoken
from engine.program import Program
from engine.state import SessionState, Thread

NAME = "language"
"""The variable, the key of a message's metadata and of the caller's context that says it."""
_SENTENCE_END = re.compile(r"[.!?。！？؟।\n]+")


def said(program: Program, state: SessionState, thread: Thread) -> str:
    """Return the language as whoever decides it wrote it, empty when nobody has and none was heard.

    The message's metadata come first, then the caller, then LANGUAGE of the agent, then what is spoken.
    """
    for value in _sayings(program, state, thread):
        if value:
            return value
    return ""


def _sayings(program: Program, state: SessionState, thread: Thread) -> Iterator[str]:
    begun = state.begun
    for value in (state.turn.metadata.get(NAME), begun.language, begun.caller.get(NAME), begun.locale):
        if isinstance(value, str) and program.pack(value) is not None:
            yield value
    yield str(program.of(thread).ir["identity"].get(NAME) or "")
    yield state.spoken


def words_of(program: Program, state: SessionState, thread: Thread) -> Pack:
    """Return the words and sentences of the session's language; English where it has none."""
    for value in (thread.variables.get(NAME), *_sayings(program, state, thread)):
        pack = program.pack(value) if isinstance(value, str) and value else None
        if pack is not None:
            return pack
    return program.pack(DEFAULT_TAG) or load_pack(DEFAULT_TAG)


def readings_of(program: Program, state: SessionState, thread: Thread) -> tuple[Pack, ...]:
    """Return the languages a value is looked for in: the session's, the ones that are spoken, English."""
    first = words_of(program, state, thread)
    heard = spoken.language_of(state.turn.text, program.packs)
    others = (program.pack(tag) for tag in (state.spoken, heard, DEFAULT_TAG) if tag)
    return tuple(dict.fromkeys((first, *(one for one in others if one is not None))))


def listen(program: Program, state: SessionState) -> None:
    """Note the language of the message where it is clear; one that is not leaves what was heard before.

    A session that has a language changes it when two sentences after one another are in another: of this message, or
    of this one and the last.
    """
    text = state.turn.text
    heard = spoken.language_of(text, program.packs) if text else ""
    if not heard or heard == state.spoken:
        return
    if not state.spoken or _goes_on(program, state, heard, text):
        state.spoken = heard


def _goes_on(program: Program, state: SessionState, heard: str, text: str) -> bool:
    """Return whether two sentences after one another are in the language that was heard."""
    sentences = [one for one in _SENTENCE_END.split(text) if one.strip()]
    if sum(spoken.language_of(one, program.packs) == heard for one in sentences) > 1:
        return True
    before = [one.content for one in state.transcript if one.role == "user" and one.turn != state.turn.number][-1:]
    return bool(before) and spoken.language_of(before[0], program.packs) == heard
