"""Desks in memory for tests of the gateway: they know the sessions of a `FakeRuntime`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, fields
from datetime import datetime
from hashlib import sha256
from typing import Any

import msgspec
from msgspec.structs import replace

from actors.desks import (
    Completion,
    CompletionEvent,
    CompletionRequest,
    Desks,
    ExportFilter,
    FilePage,
    FileView,
    GenerationFilter,
    GivenFeedback,
    History,
    KeptFeedback,
    Upload,
    UsageFigures,
)
from actors.refusals import Refusal
from actors.runtime import ChatTurn, Page, SessionRef
from domain.analytics import NewEvent
from domain.audit import Initiator
from domain.clock import FixedClock, iso_ms
from domain.errors import AppError, Conflict, InvalidInput, NotFound
from domain.files import HEAD_BYTES, cleaned_filename, kind_of
from domain.session_analysis import session_analysis
from domain.session_findings import SessionAnalysis
from domain.session_metrics import SessionMetrics, session_metrics
from domain.trace_export import COLUMNS, csv_lines
from domain.users import UserView
from tests.support.fake_runtime import FakeRuntime

NOTHING = UsageFigures(total_tokens=0, total_cost=0.0, request_count=0, avg_latency_ms=None)
PASSWORD = "correct horse battery"


@dataclass
class FakeCompletions:
    """Says its pieces.

    Attributes:
        refuse: Raised before the first event.
        fail: Raised behind the last piece.
        gate: When set, each piece waits until it is set.
        asked: Every call that was asked for.
        left: How many calls were left before their end.
    """

    pieces: tuple[str, ...] = ("Hel", "lo")
    refuse: AppError | None = None
    fail: AppError | None = None
    gate: asyncio.Event | None = None
    asked: list[CompletionRequest] = field(default_factory=list)
    left: int = 0

    async def stream(self, request: CompletionRequest) -> AsyncGenerator[CompletionEvent]:
        if self.refuse is not None:
            raise self.refuse
        self.asked.append(request)
        return self._events()

    async def _events(self) -> AsyncGenerator[CompletionEvent]:
        is_over = False
        try:
            yield CompletionEvent("metadata", {"modelId": "stub/talker", "provider": "stub", "source": "tenant"})
            for piece in self.pieces:
                if self.gate is not None:
                    await self.gate.wait()
                yield CompletionEvent("text_delta", {"delta": piece})
            if self.fail is not None:
                raise self.fail
            usage = {"inputTokens": 3, "outputTokens": 2}
            yield CompletionEvent("usage", usage)
            told = {"totalTokens": 5, "estimatedCost": None, "latencyMs": 7, "finishReason": "end_turn"}
            is_over = True
            yield CompletionEvent("complete", {**usage, **told})
        finally:
            self.left += not is_over

    async def complete(self, request: CompletionRequest) -> Completion:
        async with aclosing(await self.stream(request)) as events:
            said = [event.data["delta"] async for event in events if event.name == "text_delta"]
        return Completion(
            content="".join(said),
            tool_calls=(),
            model="stub/talker",
            finish_reason="end_turn",
            input_tokens=3,
            output_tokens=2,
            estimated_cost=None,
            latency_ms=7,
        )


@dataclass
class FakeInsight:
    """Knows the traces of the runtime's sessions.

    Attributes:
        used: What usage tells.
        rows: What generations tell.
        lines: What an export tells behind its head.
        wanted: Every filter that was asked with.
    """

    runtime: FakeRuntime
    used: UsageFigures = NOTHING
    models: tuple[UsageFigures, ...] = ()
    rows: tuple[dict[str, Any], ...] = ()
    lines: tuple[str, ...] = ()
    wanted: list[Any] = field(default_factory=list)

    async def resolve(self, session: SessionRef) -> SessionRef:
        found = self.runtime._found(session)
        return SessionRef(found.tenant_id, found.project_id, found.id)

    async def children(self, session: SessionRef, span_id: str) -> list[dict[str, Any]]:
        await self.resolve(session)
        raise NotFound("Span not found")

    async def metrics(self, session: SessionRef) -> SessionMetrics:
        return session_metrics((await self.resolve(session)).session_id, [])

    async def analysis(self, session: SessionRef) -> SessionAnalysis:
        found = await self.resolve(session)
        return session_analysis(found.session_id, "2026-03-02T09:00:00.000Z", [])

    async def history(self, session: SessionRef, *, limit: int, cursor: str, descending: bool) -> History:
        rows = self.runtime._found(session).messages
        return History(tuple((rows[::-1] if descending else rows)[:limit]), None)

    async def generations(self, tenant_id: str, project_id: str, wanted: GenerationFilter) -> Page:
        self.wanted.append(wanted)
        return Page(rows=self.rows, total=len(self.rows))

    async def export(self, tenant_id: str, project_id: str, wanted: ExportFilter) -> AsyncGenerator[str]:
        self.wanted.append(wanted)
        yield csv_lines([list(COLUMNS)])
        for line in self.lines:
            yield line

    async def usage(self, tenant_id: str, project_id: str, since: datetime, until: datetime) -> UsageFigures:
        self.wanted.append((since, until))
        return self.used

    async def usage_by_model(
        self, tenant_id: str, project_id: str, since: datetime, until: datetime
    ) -> tuple[UsageFigures, ...]:
        return self.models


@dataclass
class FakeFiles:
    """Keeps files in memory, by their place."""

    runtime: FakeRuntime
    clock: FixedClock
    kept: dict[tuple[str, str], tuple[FileView, bytes]] = field(default_factory=dict)
    readable: dict[str, str] = field(default_factory=dict)

    async def keep(self, session: SessionRef, upload: Upload) -> FileView:
        found = self.runtime._found(session)
        upload.content.seek(0)
        content = upload.content.read()
        filename = cleaned_filename(upload.filename)
        kind = kind_of(filename, content[:HEAD_BYTES])
        if kind is None:
            raise InvalidInput("Unsupported file type")
        name = upload.key or str(len(self.kept))
        view = FileView(
            id=f"att_{sha256(name.encode()).hexdigest()[:8]}",
            filename=filename,
            mime_type=kind.mime_type,
            size_bytes=len(content),
            category=kind.category,
            created_at=iso_ms(self.clock.now()),
        )
        known = self.kept.get((found.id, view.id))
        if known is not None:
            if known != (view, content):
                details = {"reason": "IDEMPOTENCY_KEY_REUSED"}
                raise Conflict("This Idempotency-Key was used for another request", details=details)
            return msgspec.structs.replace(known[0], repeated=True)
        self.kept[found.id, view.id] = (view, content)
        return view

    async def find(self, session: SessionRef, attachment_id: str) -> FileView:
        found = self.runtime._found(session)
        if (found.id, attachment_id) not in self.kept:
            raise NotFound("Attachment not found")
        return self.kept[found.id, attachment_id][0]

    async def list(self, session: SessionRef, *, limit: int, offset: int) -> FilePage:
        found = self.runtime._found(session)
        rows = tuple(view for (owner, _), (view, _) in self.kept.items() if owner == found.id)
        return FilePage(rows[offset : offset + limit], len(rows))

    async def content(self, session: SessionRef, attachment_id: str) -> AsyncGenerator[bytes]:
        view = await self.find(session, attachment_id)
        yield self.kept[self.runtime._found(session).id, view.id][1]

    async def texts(self, tenant_id: str, project_id: str, attachment_ids: tuple[str, ...]) -> Mapping[str, str]:
        if unknown := [one for one in attachment_ids if one not in self.readable]:
            raise NotFound(f"Attachment not found: {unknown}")
        return {one: self.readable[one] for one in attachment_ids}


@dataclass
class FakeFeedback:
    """Keeps the last word of each author on each message."""

    runtime: FakeRuntime
    kept: dict[tuple[str, str, str], GivenFeedback] = field(default_factory=dict)

    async def give(self, session: SessionRef, given: GivenFeedback) -> KeptFeedback:
        found = self.runtime._found(session)
        said = [one["id"] for one in found.messages if one["role"] == "assistant"]
        if given.message_id not in said:
            raise NotFound("Message not found")
        name = (found.id, given.message_id, given.author)
        is_new = name not in self.kept
        self.kept[name] = given
        return KeptFeedback(f"fb_{list(self.kept).index(name)}", is_new)


@dataclass
class FakeUsers:
    """People, all with one password until they change it."""

    people: dict[str, UserView] = field(default_factory=dict)
    passwords: dict[str, str] = field(default_factory=dict)
    families: dict[tuple[str, str], str] = field(default_factory=dict)
    owners: dict[tuple[str, str], str] = field(default_factory=dict)

    async def with_password(self, email: str, password: str, **_: Any) -> UserView | None:
        user = self.people.get(email)
        return user if user is not None and self.passwords.get(email, PASSWORD) == password else None

    async def find(self, tenant_id: str, user_id: str) -> UserView | None:
        return next((user for user in self.people.values() if (user.tenant_id, user.id) == (tenant_id, user_id)), None)

    async def change_password(self, user: UserView, current: str, new: str, *, family_id: str, by: Any) -> bool:
        if await self.with_password(user.email, current) is None:
            return False
        self.passwords[user.email] = new
        ended = {name for name, owner in self.owners.items() if owner == user.id and name[1] != family_id}
        self.families = {name: token for name, token in self.families.items() if name not in ended}
        return True

    async def open_family(self, user: UserView, family_id: str, token_id: str, **_: Any) -> None:
        self.families[user.tenant_id, family_id] = token_id
        self.owners[user.tenant_id, family_id] = user.id

    async def rotate(self, user: UserView, family_id: str, token_id: str, next_id: str, **_: Any) -> bool:
        name = (user.tenant_id, family_id)
        if self.families.get(name) != token_id:
            self.families.pop(name, None)
            return False
        self.families[name] = next_id
        return True

    async def has_family(self, tenant_id: str, family_id: str) -> bool:
        return (tenant_id, family_id) in self.families

    async def close_family(self, user: UserView, family_id: str, by: Any) -> None:
        self.families.pop((user.tenant_id, family_id), None)

    def give_role(self, email: str, role: str, **projects: str) -> None:
        """Let somebody be something else from now on."""
        self.people[email] = replace(self.people[email], role=role, projects=projects)


class NothingThere:
    """A desk of which nothing is known: whatever is asked for is not found. What it does is tested over the store."""

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        async def absent(*_: Any, **__: Any) -> Any:
            raise NotFound("Not found")

        return absent


@dataclass
class FakeAnalytics(NothingThere):
    """Takes events."""

    noted: list[tuple[str, NewEvent]] = field(default_factory=list)

    async def note(self, tenant_id: str, event: NewEvent) -> None:
        self.noted.append((tenant_id, event))


@dataclass
class FakeAudit(NothingThere):
    """Takes entries of sessions."""

    noted: list[tuple[str, str]] = field(default_factory=list)

    async def note_session(self, session: SessionRef, verb: str, by: Initiator) -> None:
        self.noted.append((session.session_id, verb))


@dataclass
class FakeRefusals(NothingThere):
    """Nothing was refused."""

    async def of_session(self, session: SessionRef) -> Sequence[Refusal]:
        return ()

    async def waiting(self, session: SessionRef) -> int:
        return 0

    async def told(self, turn: ChatTurn) -> None: ...


@dataclass
class FakeDesks:
    """All of them, under their own types."""

    completions: FakeCompletions
    insight: FakeInsight
    files: FakeFiles
    feedback: FakeFeedback
    users: FakeUsers
    analytics: FakeAnalytics = field(default_factory=FakeAnalytics)
    refusals: FakeRefusals = field(default_factory=FakeRefusals)
    audit: FakeAudit = field(default_factory=FakeAudit)

    def as_desks(self) -> Desks:
        known = {one.name: getattr(self, one.name) for one in fields(self)}
        return Desks(**{one.name: known.get(one.name, NothingThere()) for one in fields(Desks)})


def fake_desks(runtime: FakeRuntime, clock: FixedClock) -> FakeDesks:
    return FakeDesks(
        FakeCompletions(), FakeInsight(runtime), FakeFiles(runtime, clock), FakeFeedback(runtime), FakeUsers()
    )
