"""A conversation with a runtime of its own in this process: no server, a store that lives as long as it or its folder.

The event loop runs in a thread beside the terminal, so that a prompt and Ctrl-C work as everywhere.
"""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator, Set
from concurrent.futures import Future
from contextlib import AsyncExitStack, contextmanager
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

import msgspec

from actors.programs import WORKING_COPY, StoredPrograms
from actors.runtime import ChatTurn, Runtime, SessionRef, StreamEvent
from actors.settings import Settings
from actors.wiring import RunningRuntime, open_runtime
from cli.chat_link import TURN_ENDS, AgentLine, JsonObject, Told
from cli.dev_mocks import MocksFile
from cli.dev_project import Tell, Workspace
from cli.dev_runtime import FreshRuntime
from cli.environment import settings_from
from cli.output import command
from cli.variables import Given
from domain.errors import AppError, NotFound
from engine import Program

LOCAL = "local"
CHANNEL = "web_debug"
"""As of a session that is opened by hand; a channel that is not spoken gets all formats. Spec: platform-api 5.1."""
MODEL_WAIT_S = 60.0
"""How long the first turn waits for the embedded model to be loaded."""
MAX_SHOWN_MESSAGES = 1_000
TEXTS = ("input", "output")
"""Stages of guardrails that see every message."""
T = TypeVar("T")
_OVER = object()


class Reading(Iterator[Told]):
    """The output of a turn that runs in the thread of the loop."""

    def __init__(self) -> None:
        self._came: SimpleQueue[object] = SimpleQueue()

    def put(self, piece: object) -> None:
        """Hand over a piece, an error, or the end."""
        self._came.put(piece)

    def end(self) -> None:
        """There is no more."""
        self._came.put(_OVER)

    def __next__(self) -> Told:
        """Return the next piece; wait for it, unless Ctrl-C is pressed."""
        piece = self._came.get()
        if isinstance(piece, Told):
            return piece
        self._came.put(_OVER)
        if isinstance(piece, BaseException):
            raise piece
        raise StopIteration


@contextmanager
def _handed_to(reading: Reading) -> Iterator[None]:
    """End `reading` after the block, with the error that the block could not answer."""
    try:
        yield
    except AppError as error:
        reading.put(error)
    finally:
        reading.end()


class LocalLink:
    """Satisfies `cli.chat_link.Link`."""

    def __init__(
        self, workspace: Workspace, *, agent: str, session: str, data_dir: str, tell: Tell, mocks: str = ""
    ) -> None:
        self._workspace = workspace
        self._agent = agent
        self._session_id = session
        self._tell = tell
        self._last_seq = 0
        self._mocks = mocks
        self._temporary = None if data_dir else TemporaryDirectory(prefix="abl-chat-", ignore_cleanup_errors=True)
        self._data_dir = data_dir or (self._temporary.name if self._temporary is not None else "")
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="runtime", daemon=True)
        self._stack = AsyncExitStack()
        self._running: RunningRuntime | None = None
        self._runtime: Runtime | None = None

    @classmethod
    def open(
        cls, workspace: Workspace, *, agent: str, session: str, data_dir: str, tell: Tell, mocks: str = ""
    ) -> LocalLink | None:
        """Start a runtime and return the link; None when the project does not compile, which was told.

        Raises:
            AppError: A setting is wrong, the store cannot be started, or there is no such agent or session.
        """
        link = cls(workspace, agent=agent, session=session, data_dir=data_dir, tell=tell, mocks=mocks)
        link._thread.start()
        try:
            if link._run(link._open()):
                return link
        except BaseException:
            link.close()
            raise
        link.close()
        return None

    async def _open(self) -> bool:
        settings = _settings(self._data_dir, self._mocks, self._workspace.given())
        self._running = await self._stack.enter_async_context(open_runtime(settings))
        if not await self._workspace.refresh(self._running.database):
            return False
        mocks = MocksFile(self._mocks, self._running.mocks, self._tell)
        self._runtime = FreshRuntime.over(self._running, self._workspace, mocks, self._tell)
        if self._session_id:
            found = await self._running.archive.resolve(self._ref())
            self._session_id = found.session_id
            self._last_seq = int((await self._runtime.session(found)).detail.get("lastSeq") or 0)
        elif self._agent:
            await self._check_agent()
        await self._wait_for_model(self._running)
        await self._tell_what_is_blocked(self._running)
        return True

    async def _tell_what_is_blocked(self, running: RunningRuntime) -> None:
        """Say which agents refuse every message, as nothing can judge it: a model is wanted, and there is none."""
        if running.settings.default_model or running.embedded is not None:
            return
        program, _ = await self._program()
        for name, agent in program.agents.items():
            judged = [str(one["name"]) for stage in TEXTS for one in agent.stages.get((stage, False), [])]
            if judged:
                self._tell(
                    f"{name} keeps back what is said: only a model can judge {', '.join(dict.fromkeys(judged))}, and "
                    f"there is none. Set a provider's key, or fetch a small one: `{command()} models pull`"
                )

    async def _check_agent(self) -> None:
        names = [one.name for one in await self._agents()]
        if self._agent not in names:
            raise NotFound(f"There is no agent {self._agent}; the project has {', '.join(names)}")

    async def _wait_for_model(self, running: RunningRuntime) -> None:
        if running.embedded is None:
            return
        self._tell(f"loading {running.embedded.model} ...")
        try:
            await asyncio.wait_for(running.embedded.ready(), MODEL_WAIT_S)
        except TimeoutError:
            self._tell(f"it is not ready after {MODEL_WAIT_S:.0f} s; agents that need no model answer already")

    @property
    def title(self) -> str:
        """The project, the agent that begins and the others there are, and the model they run on."""
        settings, agents = self._needed().settings, self.agents()
        speaks = self._agent or next((one.name for one in agents if one.is_entry), "none")
        others = ", ".join(one.name for one in agents if one.name != speaks)
        named = f"{speaks} (--agent for another: {others})" if others and not self._session_id else speaks
        return f"{self._workspace.name}, agent: {named}, model: {settings.default_model or 'none'}"

    @property
    def session_id(self) -> str:
        """The session."""
        return self._session_id

    def say(self, text: str, action: JsonObject | None = None) -> Reading:
        """Run one turn."""
        seeded = self._workspace.seeded
        turn = ChatTurn(
            tenant_id=seeded.tenant_id if seeded is not None else "",
            project_id=seeded.project_id if seeded is not None else "",
            message=text,
            session_id=self._session_id,
            agent="" if self._session_id else self._agent,
            environment="" if self._session_id else WORKING_COPY,
            channel=CHANNEL,
            transport="http",
            action=action,
        )
        reading = Reading()
        self._begin(self._read_turn(turn, reading))
        return reading

    def missed(self) -> Reading:
        """Return what came since the last turn."""
        reading = Reading()
        self._begin(self._read_missed(reading))
        return reading

    def wait(self, within_s: float) -> Reading:
        """Return the output of the next turn that begins from outside."""
        reading = Reading()
        self._begin(self._read_next(within_s, reading))
        return reading

    def cancel(self) -> bool:
        """Have the running turn given up."""
        return bool(self._session_id) and self._run(self._api().cancel_turn(self._ref()))

    def reset(self) -> None:
        """Put the session back to its start."""
        if self._session_id:
            self._run(self._api().reset_session(self._ref()))

    def view(self) -> JsonObject:
        """Return what is known of the session."""
        if not self._session_id:
            return {}
        view = self._run(self._api().session(self._ref(), messages=MAX_SHOWN_MESSAGES))
        return {
            **view.detail,
            "agentName": view.agent_name,
            "executionState": view.execution_state,
            "status": view.status,
        }

    def waits(self) -> JsonObject | None:
        """Return what the session waits for."""
        if not self._session_id:
            return None
        found: JsonObject | None = self._run(self._needed().archive.outside(self._ref()))["suspension"]
        return found

    def agents(self) -> list[AgentLine]:
        """Return the agents of the program that was saved last."""
        return self._run(self._agents())

    async def _agents(self) -> list[AgentLine]:
        if self._workspace.seeded is None:
            return []
        program, entry_agent = await self._program()
        return [
            AgentLine(name, str((one.ir.get("identity") or {}).get("goal") or ""), name == entry_agent)
            for name, one in program.agents.items()
        ]

    async def _program(self) -> tuple[Program, str]:
        """Return the program that was saved last, and the agent that begins."""
        running, seeded = self._needed(), self._workspace.seeded
        if seeded is None:
            raise NotFound("The project has not compiled yet")
        programs = StoredPrograms(running.database, running.settings.environment)
        chosen = await programs.choose(
            seeded.tenant_id, seeded.project_id, deployment_id="", environment=WORKING_COPY, agent=""
        )
        return await programs.get(seeded.tenant_id, seeded.project_id, chosen.program_id), chosen.entry_agent

    def close(self) -> None:
        """Stop the runtime and its servers, and remove a temporary folder."""
        self._run(self._stack.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        if self._temporary is not None:
            self._temporary.cleanup()

    # -- in the thread of the loop --------------------------------------------------------------------------------

    async def _read_turn(self, turn: ChatTurn, reading: Reading) -> None:
        with _handed_to(reading):
            await self._hand_on(self._api().stream(turn), reading)

    async def _read_missed(self, reading: Reading) -> None:
        with _handed_to(reading):
            if self._session_id:
                await self._hand_on(self._api().resume(self._ref(), self._last_seq), reading)

    async def _read_next(self, within_s: float, reading: Reading) -> None:
        with _handed_to(reading):
            try:
                async with asyncio.timeout(within_s):
                    await self._hand_on(self._api().follow(self._ref(), self._last_seq), reading, until=TURN_ENDS)
            except TimeoutError:
                self._tell(f"nothing came within {within_s:g} s")

    async def _hand_on(
        self, events: AsyncIterator[StreamEvent], reading: Reading, until: Set[str] = frozenset()
    ) -> None:
        """Hand on what a session tells, up to the end or to an event of one of these kinds."""
        async for event in events:
            if event.kind == "session_start":
                self._session_id = str(event.data["sessionId"])
            self._last_seq = event.seq
            reading.put(Told(event.kind, event.data))
            if event.kind in until:
                return

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return what some work in the thread of the loop brings."""
        return self._begin(work).result()

    def _begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def _ref(self) -> SessionRef:
        seeded = self._workspace.seeded
        if seeded is None:
            raise NotFound("The project has not compiled yet")
        return SessionRef(seeded.tenant_id, seeded.project_id, self._session_id)

    def _api(self) -> Runtime:
        if self._runtime is None:
            raise NotFound("The project has not compiled yet")
        return self._runtime

    def _needed(self) -> RunningRuntime:
        if self._running is None:
            raise NotFound("The runtime has not started")
        return self._running


def _settings(data_dir: str, mocks: str, variables: Given) -> Settings:
    """Return the settings of the environment, with stores of the conversation's own: none that others use."""
    settings = settings_from(os.environ, runtime=LOCAL, data_dir=data_dir, mocks=mocks, variables=variables)
    return msgspec.structs.replace(settings, database_url="", redis_url="", ray_address="")
