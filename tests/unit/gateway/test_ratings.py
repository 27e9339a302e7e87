from __future__ import annotations

from typing import Any

import pytest

from domain.errors import InvalidInput
from gateway.ratings import feedback_of
from gateway.wire import FeedbackSubmit


def frame(**fields: Any) -> FeedbackSubmit:
    return FeedbackSubmit(message_id="msg_1", **fields)


@pytest.mark.parametrize(
    ("fields", "rating", "stars"),
    [
        ({"rating_type": "thumbs", "rating_value": 1}, "positive", None),
        ({"rating_type": "thumbs", "rating_value": 0}, "negative", None),
        ({"rating_type": "star", "rating_value": 1}, None, 1),
        ({"rating_type": "star", "rating_value": 7}, None, 4),
        ({"rating_type": "star", "rating_value": 10}, None, 5),
        ({"rating_type": "text", "feedback_text": "Fine"}, "neutral", None),
    ],
)
def test_a_rating_of_a_socket_is_one_of_the_desk(fields: dict[str, Any], rating: str | None, stars: int | None) -> None:
    given = feedback_of(frame(**fields), "somebody")
    assert (given.message_id, given.author, given.rating, given.stars) == ("msg_1", "somebody", rating, stars)
    assert given.comment == fields.get("feedback_text", "")


@pytest.mark.parametrize(
    "fields",
    [
        {"rating_type": "thumbs"},
        {"rating_type": "thumbs", "rating_value": 2},
        {"rating_type": "star", "rating_value": 0},
        {"rating_type": "star", "rating_value": 11},
        {"rating_type": "text"},
    ],
)
def test_a_value_that_is_none_of_its_type_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match="needs"):
        feedback_of(frame(**fields), "somebody")
