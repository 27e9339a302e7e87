"""A session's next turn under the program that was saved last: its state carried over where it fits, else begun anew.

A session is pinned to its program (platform-api 3.1). While an agent is being written that would show yesterday's text
for as long as the conversation lasts, so `abl dev` and `abl chat` move the pin between two turns. Decision: 0021.
"""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from actors.messages import ForgetSession
from actors.programs import WORKING_COPY, StoredPrograms
from actors.runtime import SessionRef
from actors.session.opening import with_mocks
from actors.session.snapshot import decode_snapshot
from actors.session.store import SessionPin
from actors.wiring import RunningRuntime
from engine import Program, SessionState
from engine.facts import ToolMock
from engine.program import AgentProgram
from engine.state import Thread
from storage.journal import Journal
from storage.repositories.sessions import SessionRecord, Sessions

OTHER_MOCKS = "the mocks were changed"
PROCESSING = "processing"
MAX_KNOWN = 10_000
"""Sessions of which it is remembered that they need no look; with more all are looked at again."""


class Mover:
    """Brings sessions to the program of their project's working copy."""

    def __init__(self, running: RunningRuntime, tell: Callable[[str], None]) -> None:
        self._running = running
        self._tell = tell
        self._sessions = Sessions(running.database)
        self._journal = Journal(running.database)
        self._programs = StoredPrograms(running.database, running.settings.environment)
        self._known: dict[str, int] = {}

    async def bring(self, session: SessionRef, version: int) -> None:
        """Pin a session to the present program; nothing happens to one that is pinned to it already.

        Args:
            session: A session in which no turn runs.
            version: Of the project; a session that was brought to it is not looked at again.

        Raises:
            NotFound: There is no such session.
        """
        if self._known.get(session.session_id) == version:
            return
        record = await self._sessions.get(session.tenant_id, session.session_id)
        pin = msgspec.convert(record.pin, SessionPin)
        is_ours = pin.environment == WORKING_COPY and not pin.deployment_id and record.status == "active"
        if is_ours and not await self._brought(record, pin):
            return
        if len(self._known) >= MAX_KNOWN:
            self._known.clear()
        self._known[session.session_id] = version

    async def _brought(self, record: SessionRecord, pin: SessionPin) -> bool:
        """Return whether the session is where it should be; False when it waits and has to be looked at again."""
        chosen = await self._programs.choose(
            pin.tenant_id, pin.project_id, deployment_id="", environment=WORKING_COPY, agent=""
        )
        mocks_changed = await self._has_other_mocks(pin)
        if chosen.program_id == pin.program_id and not mocks_changed:
            return True
        old = await self._programs.get(pin.tenant_id, pin.project_id, pin.program_id)
        new = await self._programs.get(pin.tenant_id, pin.project_id, chosen.program_id)
        session = SessionRef(pin.tenant_id, pin.project_id, pin.session_id)
        view = await self._running.runtime.session(session)  # a turn that was broken off is brought to its end by this
        if view.execution_state == PROCESSING:
            return False
        state = await self._state(pin)
        if state is not None and state.suspensions:
            waits = ", ".join(one.subject or one.kind for one in state.suspensions.values())
            self._tell(f"session {pin.session_id} waits for {waits}: it keeps the version it began with until then")
            return False
        why = "" if state is None else (OTHER_MOCKS if mocks_changed else why_not(old, new, state))
        if why:
            await self._running.runtime.reset_session(session)
            record = await self._sessions.get(pin.tenant_id, pin.session_id)
            self._tell(f"session {pin.session_id} starts anew with the saved version: {why}")
        elif state is not None:
            self._tell(f"session {pin.session_id} goes on with the saved version{_place(state)}")
        entry = pin.entry_agent if new.find(pin.entry_agent) is not None else chosen.entry_agent
        moved = {**record.pin, "program_id": chosen.program_id, "entry_agent": entry}
        await self._sessions.pin(pin.tenant_id, pin.session_id, moved)
        await self._running.runtime.ask(ForgetSession(tenant_id=pin.tenant_id, session_id=pin.session_id))
        return True

    async def _has_other_mocks(self, pin: SessionPin) -> bool:
        """Return whether a session began with other mocks of the installation than would be given to it now."""
        state = await self._state(pin)
        if state is None:
            return False
        context = state.begun.test_context
        began = [] if context is None else list(context.tool_mocks)
        given = with_mocks(pin.test_context, pin.environment, self._running.mocks.tool_mocks) or {}
        return began != msgspec.convert(given.get("toolMocks") or [], list[ToolMock])

    async def _state(self, pin: SessionPin) -> SessionState | None:
        """Return the state as the last turn has left it; None when nobody has spoken yet."""
        head = await self._journal.head(pin.tenant_id, pin.session_id)
        if head is None or head.snapshot is None:
            return None
        return decode_snapshot(head.snapshot.state).state


def why_not(old: Program, new: Program, state: SessionState) -> str:
    """Return why a state of one program cannot go on in another; "" when it can.

    A state names agents, steps and fields of its program, and counts HANDOFF and remember rules: what it names has to
    be there, and what it counts has to stand where it stood.
    """
    named = {state.begun.agent, state.active} - {""}
    for name in sorted(named):
        if new.find(name) is None:
            return f"the agent {name} is no more"
    for name, thread in state.threads.items():
        if thread.remote:
            continue
        before, after = old.find(name), new.find(name)
        if before is None or after is None:
            return f"the agent {name} is no more"
        why = _why_not_here(before, after, thread)
        if why:
            return f"{why} (of {name})"
        parent = thread.parent
        if parent and _handoffs(old, parent) != _handoffs(new, parent):
            return f"{parent} waits for {name}, and its HANDOFF was changed"
    if state.queued and any(_ir(old, name) != _ir(new, name) for name in state.threads):
        return "messages wait for other agents"
    return ""


def _why_not_here(before: AgentProgram, after: AgentProgram, thread: Thread) -> str:
    if thread.step and thread.step not in after.all_steps:
        return f"the conversation stands at the step {thread.step}, which is no more there"
    gone = [name for name in (*thread.asked, *thread.gathered) if name in before.fields and name not in after.fields]
    if gone:
        return f"the field {gone[0]} is no more there"
    changed = [
        name
        for name in thread.gathered
        if name in before.fields and before.fields[name].get("type") != after.fields[name].get("type")
    ]
    if changed:
        return f"the field {changed[0]} has another type now"
    if thread.held and before.ir["memory"].get("remember") != after.ir["memory"].get("remember"):
        return "the remember rules were changed"
    if thread.confirmation and before.ir != after.ir:
        return "a question for consent is open, and the agent was changed"
    return ""


def _handoffs(program: Program, name: str) -> object:
    found = program.find(name)
    return found.handoffs if found is not None else None


def _ir(program: Program, name: str) -> object:
    found = program.find(name)
    return found.ir if found is not None else None


def _place(state: SessionState) -> str:
    thread = state.threads.get(state.active)
    return f", at {state.active}{f' / {thread.step}' if thread is not None and thread.step else ''}"
