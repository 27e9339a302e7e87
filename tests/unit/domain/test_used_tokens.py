from __future__ import annotations

from domain.budgets import IMAGE_TOKENS
from domain.model_calls import Image, Message, ModelDelta, ToolCallPart, Usage
from domain.used_tokens import UsedTokens

ASKED = (Message("user", "x" * 40, images=(Image("data:x", 0), Image("data:y", 0))),)


def used(*pieces: ModelDelta) -> UsedTokens:
    tokens = UsedTokens(ASKED)
    for piece in pieces:
        tokens.add(piece)
    return tokens


def test_what_a_model_has_told_is_what_was_used() -> None:
    tokens = used(ModelDelta(text="word"), ModelDelta(usage=Usage(3, 2)), ModelDelta(finish_reason="stop"))
    assert (tokens.usage(), tokens.is_estimated) == (Usage(3, 2), False)


def test_of_a_model_that_was_left_the_words_and_pictures_are_counted() -> None:
    tokens = used(ModelDelta(text="a word"), ModelDelta(text=" more"))
    assert (tokens.usage(), tokens.is_estimated) == (Usage(10 + 2 * IMAGE_TOKENS, 3), True)


def test_a_tool_call_is_counted_too() -> None:
    parts = ToolCallPart(0, id="c1", name="look_up"), ToolCallPart(0, arguments='{"a": 10}')
    assert used(*(ModelDelta(tool_call=part) for part in parts)).usage().output_tokens == 4


def test_a_server_that_tells_of_no_tokens_has_told_nothing() -> None:
    assert used(ModelDelta(text="word"), ModelDelta(usage=Usage())).usage().output_tokens == 1


def test_a_call_that_nothing_came_of_has_used_nothing() -> None:
    assert used(ModelDelta(model="m")).usage() == Usage()
