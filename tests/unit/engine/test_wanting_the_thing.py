"""Who wants the thing, does it himself, or tells of another number or of somebody else has not agreed to the deed."""

from __future__ import annotations

import pytest

from abl.languages import load_pack
from engine.answer_question import Asked
from engine.answers import read_answer

ORDER = Asked("Cancel order (amount: 100). Shall I go ahead?", ("cancel order",), {"amount": 100})
STAY = Asked("Cancel stay (code: A1). Shall I go ahead?", ("cancel stay",), {"code": "A1"})
BILL = Asked("Pay bill (amount: 100). Shall I go ahead?", ("pay bill",), {"amount": 100})
ORDERED = Asked("¿Cancelo su pedido?", ("cancel order",), {})


@pytest.mark.parametrize(
    ("tag", "asked", "text"),
    [
        *(
            ("en", ORDER, text)
            for text in ("I do want my order", "yes I do want my order", "I want to order", "order it")
        ),
        *(("en", STAY, text) for text in ("yes, I want to stay", "yes, stay", "I do stay")),
        ("es", ORDERED, "sí, quiero mi pedido"),
        *(("en", BILL, text) for text in ("I will do it", "I do it", "I will pay it", "I agreed", "my boss agreed")),
        *(("en", BILL, text) for text in ("yes 100k", "yes 100 k", "yes 100 100", "yes ~100", "yes 100th", "yes :(")),
        ("de", BILL, "ich mach das"),
        ("de", BILL, "Chef ist einverstanden"),
        ("nl", BILL, "ik doe het"),
        ("pl", BILL, "ja zrobię"),
        ("es", BILL, "lo hago yo"),
        ("hi", BILL, "हाँ कर दिया"),
        ("ja", BILL, "構わないでください"),
    ],
)
def test_it_is_no_yes(tag: str, asked: Asked, text: str) -> None:
    assert read_answer(text, load_pack(tag), asked).label != "yes"


@pytest.mark.parametrize(
    ("tag", "asked", "text"),
    [
        *(
            ("en", ORDER, text)
            for text in ("yes my order", "yes cancel my order", "I do", "yes 100", "agreed", "I agree")
        ),
        ("en", BILL, "yes I want to pay the bill"),
        ("en", BILL, "pay the bill please"),
        ("es", ORDERED, "sí, cancele mi pedido"),
    ],
)
def test_the_deed_with_its_thing_is_one(tag: str, asked: Asked, text: str) -> None:
    assert read_answer(text, load_pack(tag), asked).label == "yes"
