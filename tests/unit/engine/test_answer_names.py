"""Names in answers: they are taken out where something says that they are names, and nowhere else."""

from __future__ import annotations

import pytest

from abl.languages import load_pack
from engine.answer_names import without_names
from engine.answers import Asked, own_words, read_answer

ASKED = Asked("I will send 250 dollars to Maria. Shall I?", ("transfer money",), {"to": "Maria", "amount": 250})


def left(tag: str, text: str) -> str:
    pack = load_pack(tag)
    return " ".join(without_names(text, pack, own_words(ASKED, pack).words).split())


@pytest.mark.parametrize(
    ("tag", "text", "rest"),
    [
        ("en", "yes thanks Peter", "yes thanks"),
        ("en", "Yes. Thanks, Peter", "Yes. Thanks,"),
        ("de", "Ja gern. Viele Grüße, Thomas Berger", "Ja gern. Viele Grüße,"),
        ("nl", "Ja. Mvg, Peter de Vries", "Ja. Mvg,"),
        ("fr", "oui merci Monsieur Dupont", "oui merci Monsieur"),
        ("tr", "Evet Ahmet Bey", "Evet"),
        ("de", "ja lg sabine", "ja lg"),
    ],
)
def test_names_are_taken_out_where_something_says_they_are(tag: str, text: str, rest: str) -> None:
    assert left(tag, text) == rest


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("en", "yes please Peter"),
        ("en", "yes thanks, Peter"),
        ("en", "yes thanks Mario"),
        ("en", "yes thanks Monday"),
        ("en", "yes Peter"),
        ("en", "regards, wait"),
        ("es", "sí, la tarjeta de la señora Pérez"),
        ("pl", "tak, kartę pani Kowalskiej"),
        ("de", "lg nur Berlin, Köln"),
    ],
)
def test_what_may_be_a_value_is_no_name(tag: str, text: str) -> None:
    assert left(tag, text) == text


def test_an_answer_with_a_name_is_a_yes_and_one_with_another_value_is_none() -> None:
    assert read_answer("yes thanks Peter", load_pack("en"), ASKED).label == "yes"
    assert read_answer("yes thanks Mario", load_pack("en"), ASKED).label == "other"
