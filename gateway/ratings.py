"""What is thought of an answer, as sockets say it, in the words of the desk that keeps it.

Spec: platform-api 5.10, 12.4. Thumbs are `positive` and `negative`. Stars out of ten become stars out of five, rounded
up. A text alone is `neutral` with the text as its comment. Decision: 0032.
"""

from __future__ import annotations

from actors.desks import GivenFeedback
from domain.errors import InvalidInput
from gateway import wire

THUMBS = {0: "negative", 1: "positive"}
STARS_MAX = 10
STARS_OF_ONE = 2
"""How many stars of ten are one of five."""
NEUTRAL = "neutral"


def feedback_of(frame: wire.FeedbackSubmit, author: str) -> GivenFeedback:
    """Return what a frame says, by `author`. Raises InvalidInput: the value is none of its type."""
    rating, stars, value = None, None, frame.rating_value
    match frame.rating_type:
        case "thumbs":
            rating = THUMBS.get(value) if value is not None else None
        case "star" if value is not None and 1 <= value <= STARS_MAX:
            stars = -(-value // STARS_OF_ONE)
        case "text" if frame.feedback_text:
            rating = NEUTRAL
    if rating is None and stars is None:
        wanted = {"thumbs": "0 or 1", "star": f"1 to {STARS_MAX}", "text": "a feedbackText"}[frame.rating_type]
        raise InvalidInput(f"A rating of the type {frame.rating_type} needs {wanted}")
    return GivenFeedback(
        message_id=frame.message_id, author=author, rating=rating, stars=stars, comment=frame.feedback_text
    )
