"""What people think of answers. Spec: platform-api 5.10."""

from __future__ import annotations

from typing import Final

from actors.desks import GivenFeedback, KeptFeedback
from actors.runtime import SessionRef
from actors.webhooks import emit
from domain.analytics import EventCategory, NewEvent, rating_of
from domain.clock import Clock, IdSource
from domain.errors import NotFound
from domain.ids import PREFIXES
from domain.json_values import JsonObject
from domain.webhooks import WebhookEvent
from storage.database import Database
from storage.repositories.events import Events
from storage.repositories.feedback import Feedback, NewFeedback
from storage.repositories.sessions import SessionRecord, Sessions
from storage.repositories.transcripts import ASSISTANT, Transcripts

KIND: Final = "feedback"


class StoredFeedback:
    """Satisfies `actors.desks.FeedbackDesk`."""

    def __init__(self, database: Database, clock: Clock, ids: IdSource) -> None:
        self._database = database
        self._sessions = Sessions(database)
        self._transcripts = Transcripts(database)
        self._feedback = Feedback()
        self._events = Events(database)
        self._clock = clock
        self._ids = ids

    async def give(self, session: SessionRef, given: GivenFeedback) -> KeptFeedback:
        """Keep feedback in the place of what the author said of this answer before."""
        record = await self._sessions.find(session.tenant_id, session.session_id)
        if record is None or session.project_id not in ("", record.project_id):
            raise NotFound("Session not found")
        line = await self._transcripts.find(session.tenant_id, record.session_id, given.message_id)
        if line is None or line.role != ASSISTANT:
            raise NotFound("Message not found")
        wanted = NewFeedback(
            feedback_id=self._ids.new(PREFIXES[KIND]),
            project_id=record.project_id,
            session_id=record.session_id,
            message_id=given.message_id,
            author=given.author,
            rating=given.rating,
            stars=given.stars,
            comment=given.comment,
        )
        async with self._database.transaction() as connection:
            kept_id = await self._feedback.put(connection, session.tenant_id, wanted)
            is_new = kept_id == wanted.feedback_id
            if is_new:
                await emit(
                    connection, session.tenant_id, record.project_id, WebhookEvent.FEEDBACK_CREATED, _told(wanted)
                )
            event = self._event(record, wanted, line.agent_name, kept_id)
            await self._events.append(connection, session.tenant_id, event)
        return KeptFeedback(kept_id, is_new=is_new)

    def _event(self, record: SessionRecord, given: NewFeedback, agent: str, kept_id: str) -> NewEvent:
        """Return what analytics count; a second word of an author has the id of the first."""
        return NewEvent(
            category=EventCategory.FEEDBACK,
            event_type="feedback_submitted",
            project_id=record.project_id,
            at=self._clock.now(),
            agent_name=agent,
            session_id=record.session_id,
            channel=record.channel,
            environment=record.environment,
            metadata={
                "feedback_id": kept_id,
                "rating": rating_of(given.rating, given.stars),
                **({} if given.stars is None else {"stars": given.stars}),
            },
        )


def _told(given: NewFeedback) -> JsonObject:
    """Return what webhooks are told; the comment stays with the feedback."""
    return {
        "feedbackId": given.feedback_id,
        "sessionId": given.session_id,
        "messageId": given.message_id,
        "rating": given.rating,
        "stars": given.stars,
    }
