"""Texts of a project as a program with the hash of its content as its name."""

import pytest

from actors.programs import UnreadableProject, compile_texts
from tests.support.sessions import LEDGER

OTHER = LEDGER.replace("AGENT: Ledger", "AGENT: Other")


def test_the_same_texts_give_the_same_program() -> None:
    assert compile_texts({"a.abl": LEDGER}) == compile_texts({"a.abl": LEDGER})
    assert compile_texts({"a.abl": LEDGER})[0].startswith("prog_")


def test_other_texts_give_another_program() -> None:
    assert compile_texts({"a.abl": LEDGER})[0] != compile_texts({"a.abl": OTHER})[0]


def test_texts_with_errors_are_refused_with_their_places() -> None:
    with pytest.raises(UnreadableProject, match=r"a\.abl:\d+"):
        compile_texts({"a.abl": LEDGER.replace("note_unkeyed(order", "note_keyed(order")})
