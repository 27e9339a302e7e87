"""`abl chat`: a conversation in the terminal, with a project on this machine or with a server that runs."""

from __future__ import annotations

import logging
import os
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType
from typing import NoReturn

from cli.chat_conversation import Conversation
from cli.chat_link import Link
from cli.output import FAULTY, MAX_WIDTH, PIPED_WIDTH, Screen, command, refuse
from cli.terminal.console import Console
from domain.errors import AppError

INTERRUPTED = 130
"""The exit status of a program that was ended by Ctrl-C."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks for."""

    project: str | None = None
    agent: str = ""
    session: str = ""
    with_traces: bool = False
    data_dir: str = ""
    mocks: str = ""
    url: str = ""
    key: str = ""
    project_id: str = ""
    no_color: bool = False
    variables: tuple[str, ...] = ()


def chat(wanted: Wanted) -> int:
    """Talk until there is no more to say; return the exit status."""
    logging.basicConfig(level=logging.ERROR, format="%(levelname)s %(name)s %(message)s")
    console = Console.of_process(no_color=wanted.no_color)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _leave)
    try:
        if wanted.url:
            if wanted.variables:
                refuse("--set gives values to a project on this machine; a server has its own: PUT .../variables")
            return _talk(_remote(wanted), console, wanted)
        if wanted.session and not wanted.data_dir:
            refuse("--session goes on with a session that was kept: give the --data-dir it is in")
        if wanted.project is not None:
            return _local(wanted.project, console, wanted)
        with TemporaryDirectory(prefix="abl-demo-") as folder:
            return _local(_demo(folder), console, wanted)
    except KeyboardInterrupt:
        return INTERRUPTED
    except AppError as error:
        refuse(error.message)


def _local(project: str, console: Console, wanted: Wanted) -> int:
    from cli.chat_local import LocalLink  # the runtime and all behind it, not needed to talk to a server
    from cli.dev_project import Workspace

    width = min(os.get_terminal_size().columns, MAX_WIDTH) if console.is_live else PIPED_WIDTH
    tell = console.aside if console.is_live else console.fault
    workspace = Workspace(project, tell, Screen(color=console.color, width=width), wanted.variables, mocks=wanted.mocks)
    workspace.check_is_one()
    link = LocalLink.open(
        workspace,
        agent=wanted.agent,
        session=wanted.session,
        data_dir=wanted.data_dir,
        mocks=wanted.mocks,
        tell=tell,
    )
    if link is None:
        return FAULTY
    try:
        status = _talk(link, console, wanted)
        if wanted.data_dir and link.session_id:
            where = f"{project} --data-dir {wanted.data_dir} --session {link.session_id}"
            console.hint(f"go on with: {command()} chat {where}")
        return status
    finally:
        link.close()


def _remote(wanted: Wanted) -> Link:
    from cli.chat_remote import RemoteLink

    if not wanted.key or not wanted.project_id:
        refuse("--url needs --key and --project: `abl serve` prints both")
    return RemoteLink(wanted.url, wanted.key, wanted.project_id, agent=wanted.agent, session=wanted.session)


def _talk(link: Link, console: Console, wanted: Wanted) -> int:
    return Conversation(link, console, with_traces=wanted.with_traces).run()


def _demo(folder: str) -> str:
    """Write the demo project into a folder and return it."""
    from cli import demo

    root = Path(folder) / demo.NAME
    for name, text in demo.FILES.items():
        place = root / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    return str(root)


def _leave(number: int, _frame: FrameType | None) -> NoReturn:
    """End in good order: the stores of the conversation are stopped on the way out."""
    sys.exit(128 + number)
