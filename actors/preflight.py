"""Before a promotion: which live sessions would have gone another way on the candidate, where, and why. Spec: 6.4.

The facts of a session's journal are folded with its own program and with the candidate side by side. As long as both
want the same of the world and say the same, the candidate would have lived the same life; the first event at which they
part is where the session diverges. No model and no tool is called, and nothing is written.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from time import monotonic
from typing import Final

import msgspec
from msgspec import Struct

from actors.programs import StoredPrograms
from actors.session.records import Record, UnknownSchema, decode_record
from actors.session.store import SessionPin
from actors.together import together
from domain.errors import NotFound
from domain.limits import PREFLIGHT_FACTS_MAX, PREFLIGHT_S, PREFLIGHT_SESSIONS_MAX
from engine import EndTurn, Program, SessionBegun, SessionState, Step, Trace, advance, begin
from engine.effects import AskModel, CallTool, Delegate, Effect, HandOff, Say
from storage.database import Database
from storage.journal import Journal
from storage.repositories.deployments import DeploymentRecord, Deployments
from storage.repositories.sessions import Sessions

AT_ONCE: Final = 4
"""Sessions that are folded at the same time."""
NOTHING: Final = "nothing"
TEXT_SHOWN_CHARS: Final = 80
_UNREADABLE = "its journal cannot be folded"
_LATE = "the time of the preflight is up"
_LONG = "its journal is too long to be folded"


class Divergence(Struct, frozen=True, kw_only=True):
    """Where a session and the candidate part.

    Attributes:
        seq: Of the event in the session's journal, from 1.
        event: Which kind of event, e.g. `UserSpoke`.
        at: When it happened, ISO 8601.
        reason: What is different, as a sentence.
    """

    session_id: str
    seq: int
    turn: int
    event: str
    at: str
    agent_name: str
    reason: str


class PreflightReport(Struct, frozen=True, kw_only=True):
    """What a preflight has found.

    Attributes:
        deployment_id: Whose live sessions were folded.
        checked: How many of them.
        unchecked: Sessions of which nothing is known: their journal cannot be folded any more, e.g. because its
            beginning is past its retention, or has more than `PREFLIGHT_FACTS_MAX` entries, or the time was up.
        is_truncated: There are more live sessions than are looked at.
    """

    deployment_id: str
    program_id: str
    candidate_id: str
    checked: int
    diverging: tuple[Divergence, ...]
    unchecked: tuple[str, ...]
    is_truncated: bool


class Unfoldable(Exception):
    """The session's own program does not lead through its journal, or not within the bounds."""


class Preflight:
    """Folds live sessions on candidates."""

    def __init__(
        self,
        database: Database,
        *,
        facts_max: int = PREFLIGHT_FACTS_MAX,
        deadline_s: float = PREFLIGHT_S,
        seconds: Callable[[], float] = monotonic,
    ) -> None:
        self._facts_max = facts_max
        self._deadline_s = deadline_s
        self._seconds = seconds
        self._deployments = Deployments(database)
        self._sessions = Sessions(database)
        self._journal = Journal(database)
        self._programs = StoredPrograms(database, {})

    async def run(
        self, tenant_id: str, project_id: str, running: DeploymentRecord, candidate_id: str
    ) -> PreflightReport:
        """Return which live sessions of a deployment would have gone another way on a program."""
        ends_s = self._seconds() + self._deadline_s
        candidate = await self._programs.get(tenant_id, project_id, candidate_id)
        found = await self._deployments.sessions(tenant_id, running.deployment_id, PREFLIGHT_SESSIONS_MAX + 1)
        looked_at = found[:PREFLIGHT_SESSIONS_MAX]
        room = asyncio.Semaphore(AT_ONCE)
        diverging: list[Divergence] = []
        unchecked: list[str] = []

        async def look(session_id: str) -> None:
            async with room:
                try:
                    where = await self._divergence(tenant_id, project_id, session_id, candidate, ends_s)
                except (Unfoldable, UnknownSchema):
                    unchecked.append(session_id)
                except NotFound:
                    return  # it was deleted meanwhile
                else:
                    diverging.extend([where] if where is not None else [])

        await together(*(look(session_id) for session_id in looked_at))
        return PreflightReport(
            deployment_id=running.deployment_id,
            program_id=running.program_id,
            candidate_id=candidate_id,
            checked=len(looked_at) - len(unchecked),
            diverging=tuple(sorted(diverging, key=lambda one: one.session_id)),
            unchecked=tuple(sorted(unchecked)),
            is_truncated=len(found) > PREFLIGHT_SESSIONS_MAX,
        )

    async def _divergence(
        self, tenant_id: str, project_id: str, session_id: str, candidate: Program, ends_s: float
    ) -> Divergence | None:
        def is_late() -> bool:
            return self._seconds() >= ends_s

        if is_late():
            raise Unfoldable(_LATE)
        record = await self._sessions.get(tenant_id, session_id)
        own_id = msgspec.convert(record.pin, SessionPin).program_id
        own = await self._programs.get(tenant_id, project_id, own_id)
        if own.hash == candidate.hash:
            return None
        head = await self._journal.head(tenant_id, session_id)
        if head is not None and head.last_seq > self._facts_max:
            raise Unfoldable(_LONG)
        raw = await self._journal.read(tenant_id, session_id)
        return await asyncio.to_thread(divergence, session_id, own, candidate, raw, is_late)


def divergence(
    session_id: str,
    own: Program,
    candidate: Program,
    journal: Iterable[tuple[int, bytes]],
    is_late: Callable[[], bool] = lambda: False,
) -> Divergence | None:
    """Return where a session's journal leads a candidate elsewhere than its own program, None where it nowhere does.

    Raises:
        Unfoldable: Its own program does not lead through it, or `is_late` says before its end that time is up.
        UnknownSchema: A record is of another version.
    """
    mine: SessionState | None = None
    theirs: SessionState | None = None
    for seq, raw in journal:
        if is_late():
            raise Unfoldable(_LATE)
        record = decode_record(raw)
        if record.reset:
            mine = theirs = None
        if record.fact is None:
            continue
        lived = _own_step(own, mine, record)
        mine = lived.state
        try:
            other = _step(candidate, theirs, record)
        except Exception as error:  # noqa: BLE001 - whatever stops the candidate here would have stopped it then
            reason = f"the candidate cannot take this event: {type(error).__name__}: {error}"
        else:
            theirs = other.state
            reason = difference(_wanted(lived), _wanted(other))
        if reason:
            return Divergence(
                session_id=session_id,
                seq=seq,
                turn=lived.state.turn_number,
                event=type(record.fact).__name__,
                at=record.fact.at,
                agent_name=lived.state.active,
                reason=reason,
            )
    return None


def difference(lived: Sequence[Effect], other: Sequence[Effect]) -> str:
    """Return what is different in what two programs want after the same event, empty when nothing is."""
    if list(lived) == list(other):
        return ""
    for mine, theirs in zip(lived, other, strict=False):
        if mine != theirs:
            return _told(mine, theirs)
    more = len(lived) - len(other)
    first = lived[len(other)] if more > 0 else other[len(lived)]
    return (
        f"it {_told_one(first)}, and the candidate does not" if more > 0 else f"the candidate also {_told_one(first)}"
    )


def _told(mine: Effect, theirs: Effect) -> str:
    if type(mine) is type(theirs) and _told_one(mine) == _told_one(theirs):
        names = [one for one in mine.__struct_fields__ if getattr(mine, one) != getattr(theirs, one)]
        named = ", ".join(name for name in names if name != "request_hash")
        return f"it {_told_one(mine)}, and the candidate does with other {named or 'contents'}"
    return f"it {_told_one(mine)}, and the candidate {_told_one(theirs)}"


def _told_one(effect: Effect) -> str:
    """Return what an effect does, as the verb of a sentence."""
    match effect:
        case AskModel():
            return f"asks a model ({effect.operation}, {effect.agent})"
        case CallTool():
            return f"calls the tool {effect.tool}"
        case Delegate():
            return f"delegates to {effect.target}"
        case HandOff():
            return f"hands over to {effect.target}"
        case Say():
            return f"says {_shown(effect.text)}"
        case EndTurn():
            return f"ends the turn with {effect.action.get('type', NOTHING)} and answers {_shown(effect.reply)}"
        case _:
            return f"wants {type(effect).__name__}"


def _shown(text: str) -> str:
    return repr(text if len(text) <= TEXT_SHOWN_CHARS else text[:TEXT_SHOWN_CHARS] + "\N{HORIZONTAL ELLIPSIS}")


def _wanted(step: Step) -> list[Effect]:
    return [one for one in step.effects if not isinstance(one, Trace)]


def _own_step(program: Program, state: SessionState | None, record: Record) -> Step:
    try:
        return _step(program, state, record)
    except Exception as error:  # of which bug ever: nothing can be said of this session
        raise Unfoldable(_UNREADABLE) from error


def _step(program: Program, state: SessionState | None, record: Record) -> Step:
    fact = record.fact
    assert fact is not None, "notes are passed over"
    if isinstance(fact, SessionBegun):
        return begin(program, fact)
    if state is None:
        raise Unfoldable("there is no SessionBegun before it")
    return advance(program, state, fact)
