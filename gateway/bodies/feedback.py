"""Bodies of `POST /api/v1/feedback`. Spec: platform-api 5.10."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints

from domain import limits
from gateway.bodies.texts import Id, TolerantBody, without_nul
from gateway.envelope import Success

Rating = Literal["positive", "negative", "neutral"]
Stars = Annotated[int, Field(ge=1, le=5)]


class FeedbackBody(TolerantBody):
    """What somebody thinks of an answer: a word, or 1 to 5 stars."""

    session_id: Id
    message_id: Id
    rating: Rating | Stars
    comment: Annotated[
        str,
        StringConstraints(max_length=limits.FEEDBACK_COMMENT_MAX_CHARS),
        AfterValidator(without_nul),
    ] = ""


class FeedbackReply(Success):
    """Under which id it is kept; it stays the same when the author says something else."""

    feedback_id: str
