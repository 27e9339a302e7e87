"""What people think of answers: one word of each author on each message. Spec: platform-api 5.10."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import asdict

from storage.database import Connection
from storage.statements import Statement

PUT = Statement(
    """
    INSERT INTO feedback AS f (
        tenant_id, session_id, message_id, author, feedback_id, project_id, rating, stars, comment
    ) VALUES (
        :tenant_id, :session_id, :message_id, :author, :feedback_id, :project_id, :rating, :stars, :comment
    )
    ON CONFLICT (tenant_id, session_id, message_id, author) DO UPDATE SET
        rating = excluded.rating, stars = excluded.stars, comment = excluded.comment, updated_at = clock_timestamp()
    RETURNING feedback_id
    """
)


class NewFeedback(Struct, frozen=True, kw_only=True):
    """What somebody thinks of a message: a word or stars, and perhaps why."""

    feedback_id: str
    project_id: str
    session_id: str
    message_id: str
    author: str
    rating: str | None = None
    stars: int | None = None
    comment: str = ""


class Feedback:
    """The feedback of all sessions."""

    async def put(self, connection: Connection, tenant_id: str, given: NewFeedback) -> str:
        """Keep it in the place of what the author said before; return its id, which is the first one's."""
        values = asdict(given)
        return str(await connection.value(PUT, tenant_id=tenant_id, **values))
