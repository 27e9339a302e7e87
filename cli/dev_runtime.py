"""A runtime whose every turn runs what was saved last."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, cast

import msgspec

from actors.runtime import ChatTurn, NewSession, Runtime, SessionRef, SessionView, StreamEvent, TurnReply
from actors.wiring import RunningRuntime
from cli.dev_mocks import MocksFile
from cli.dev_moving import Mover
from cli.dev_project import Tell, Workspace
from domain.errors import NotFound


class FreshRuntime:
    """Looks at the files before each turn and each new session; everything else is the runtime's own."""

    def __init__(self, running: RunningRuntime, workspace: Workspace, mocks: MocksFile, tell: Tell) -> None:
        self._running = running
        self._workspace = workspace
        self._mocks = mocks
        self._mover = Mover(running, tell)
        self._turns: Counter[str] = Counter()
        self._moving = asyncio.Lock()

    @classmethod
    def over(cls, running: RunningRuntime, workspace: Workspace, mocks: MocksFile, tell: Tell) -> Runtime:
        """Return a runtime over that of `running`."""
        return cast("Runtime", cls(running, workspace, mocks, tell))

    def __getattr__(self, name: str) -> Any:
        """Return what the runtime itself has under this name."""
        return getattr(self._running.runtime, name)

    async def chat(self, turn: ChatTurn) -> TurnReply:
        """Run one turn; see `actors.runtime.Runtime.chat`."""
        async with self._fresh(turn) as prepared:
            return await self._running.runtime.chat(prepared)

    async def stream(self, turn: ChatTurn) -> AsyncIterator[StreamEvent]:
        """Run one turn and yield its output; see `actors.runtime.Runtime.stream`."""
        async with self._fresh(turn) as prepared:
            async for event in self._running.runtime.stream(prepared):
                yield event

    async def create_session(self, wanted: NewSession) -> SessionView:
        """Open a session; see `actors.runtime.Runtime.create_session`."""
        await self._refresh()
        return await self._running.runtime.create_session(wanted)

    async def _refresh(self) -> None:
        await self._workspace.refresh(self._running.database)
        self._mocks.refresh()

    @asynccontextmanager
    async def _fresh(self, turn: ChatTurn) -> AsyncIterator[ChatTurn]:
        """Hold a session at the saved program for one turn; while one runs in it, the next one keeps its program."""
        async with self._moving:
            await self._refresh()
            session = await self._found(turn)
            if session is not None and not self._turns[session.session_id]:
                await self._mover.bring(session, self._workspace.version + self._mocks.version)
            name = session.session_id if session is not None else ""
            self._turns[name] += 1
        try:
            yield msgspec.structs.replace(turn, session_id=name) if name else turn
        finally:
            self._turns[name] -= 1
            if not self._turns[name]:
                del self._turns[name]

    async def _found(self, turn: ChatTurn) -> SessionRef | None:
        """Return the session of a turn, None of one that is not there: the runtime itself says so."""
        if not turn.session_id:
            return None
        try:
            return await self._running.archive.resolve(SessionRef(turn.tenant_id, turn.project_id, turn.session_id))
        except NotFound:
            return None
