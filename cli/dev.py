"""`abl dev`: serves a project, and each turn runs what was saved last; what does not compile is shown and not used."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, suppress
from pathlib import Path

from watchfiles import Change, awatch

from actors.wiring import RunningRuntime
from cli.dev_mocks import MocksFile
from cli.dev_project import MS_PER_S, Workspace
from cli.dev_runtime import FreshRuntime
from cli.environment import settings_from
from cli.output import Screen, refuse
from cli.projects import is_served
from cli.serve import Offer, serve_brought
from cli.starting import check_servers_are_free
from domain.errors import AppError

SETTLE_MS = 50
"""How long no further file may change before the folder is looked at: editors write one save in several steps."""
STEP_MS = 25
LOOK_MS = 1_000
"""Between two looks without a change that was told of."""
POLL_MS = 100
"""Between two looks at the folder where the system tells of no changes, as on some network drives."""
LOCAL = "local"


def dev(
    project: str, *, host: str, port: int | None, data_dir: str, mocks: str = "", variables: Iterable[str] = ()
) -> int:
    """Serve a folder until a signal; return the exit status."""
    workspace = Workspace(project, _say, Screen.of_terminal(), variables, mocks=mocks)
    workspace.check_is_one()
    try:
        settings = settings_from(
            os.environ,
            runtime=LOCAL,
            host=host,
            port=port,
            data_dir=data_dir,
            mocks=mocks,
            variables=workspace.given(),
        )
        check_servers_are_free(settings)
    except AppError as error:
        refuse(error.message)

    async def bring(stack: AsyncExitStack, running: RunningRuntime) -> Offer:
        await _first(workspace, running)
        mocked = MocksFile(mocks, running.mocks, _say)
        watching = asyncio.get_running_loop().create_task(_watch(workspace, running, mocked))
        stack.push_async_callback(_ended, watching)
        if workspace.seeded is None:
            raise RuntimeError("a project that has compiled is in the store")
        print(f"watching {project}: the next turn uses what you save", flush=True)
        return Offer(workspace.seeded, FreshRuntime.over(running, workspace, mocked, _say))

    return serve_brought(bring, settings)


async def _first(workspace: Workspace, running: RunningRuntime) -> None:
    """Return once the files have compiled."""
    if await workspace.refresh(running.database):
        return
    async for _ in _looks(workspace):
        if await workspace.refresh(running.database):
            return


async def _watch(workspace: Workspace, running: RunningRuntime, mocks: MocksFile) -> None:
    """Put every change into the store as it is saved, until this is cancelled."""
    async for _ in _looks(workspace):
        await workspace.refresh(running.database)
        mocks.refresh()


async def _looks(workspace: Workspace) -> AsyncIterator[None]:
    """Yield whenever it is time to look at the files: at a change, and now and then without one."""
    is_file = workspace.root.is_file()
    changes = awatch(
        workspace.root.parent if is_file else workspace.root,
        watch_filter=_is_looked_at,
        debounce=SETTLE_MS,
        step=STEP_MS,
        rust_timeout=LOOK_MS,
        yield_on_timeout=True,
        recursive=not is_file,
    )
    try:
        async for _ in changes:
            yield
    except OSError as error:
        _say(f"abl: the system tells of no changes ({error}); looking at the files every {POLL_MS} ms instead")
    while True:
        await asyncio.sleep(POLL_MS / MS_PER_S)
        yield


def _is_looked_at(_change: Change, path: str) -> bool:
    return is_served(path) or is_served(Path(path).name)


async def _ended(watching: asyncio.Task[None]) -> None:
    """End the watching; what has ended it before is raised."""
    watching.cancel()
    with suppress(asyncio.CancelledError):
        await watching


def _say(text: str) -> None:
    print(text, flush=True)
