"""The forms of the API about feedback. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Literal, NotRequired, TypedDict


class FeedbackBody(TypedDict):
    """What somebody thinks of an answer: a word, or 1 to 5 stars."""

    sessionId: str
    messageId: str
    rating: Literal["positive", "negative", "neutral"] | int
    comment: NotRequired[str]


class FeedbackReply(TypedDict):
    """Under which id it is kept; it stays the same when the author says something else."""

    success: NotRequired[Literal[True]]
    feedbackId: str
