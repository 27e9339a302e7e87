"""The commands `abl dev` and `abl chat` and their options."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from cli.plain import PlainCommand

Mocks = Annotated[
    str, typer.Option("--mocks", metavar="FILE", help="Answers of tools that are not there: YAML, tool: answer.")
]

Sets = Annotated[
    Optional[list[str]],  # noqa: UP045 - typer reads it
    typer.Option("--set", metavar="KEY=VALUE", help="A value of config.KEY; env.KEY=VALUE for one of env.KEY."),
]


def register_chat(app: typer.Typer) -> None:
    """Add both commands to the console script."""
    app.command()(dev)
    app.command(cls=PlainCommand)(chat)


def dev(
    project: Annotated[str, typer.Argument(metavar="DIR", help="Folder of the project, or one file.")],
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "",
    port: Annotated[int | None, typer.Option("--port", metavar="PORT", help="Port to listen on.")] = None,
    data_dir: Annotated[str, typer.Option("--data-dir", metavar="DIR", help="Where everything is kept.")] = "",
    mocks: Mocks = "",
    variables: Sets = None,
) -> None:
    """Serve a project while it is being written: each turn runs what was saved last.

    What does not compile is shown and not used: the last good version is served on.
    """
    from cli.dev import dev as run_dev

    raise typer.Exit(run_dev(project, host=host, port=port, data_dir=data_dir, mocks=mocks, variables=variables or ()))


def chat(
    project: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it
        typer.Argument(metavar="DIR", help="Folder of the project, or one file; a small demo without it."),
    ] = None,
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="The agent to begin with.")] = "",
    session: Annotated[str, typer.Option("--session", metavar="ID", help="A session to go on with.")] = "",
    trace: Annotated[bool, typer.Option("--trace", help="Show after each turn what was done in it.")] = False,
    data_dir: Annotated[
        str, typer.Option("--data-dir", metavar="DIR", help="Where the session is kept; nowhere without it.")
    ] = "",
    mocks: Mocks = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="A running server, in place of DIR.")] = "",
    key: Annotated[str, typer.Option("--key", metavar="KEY", help="API key of that server.")] = "",
    project_id: Annotated[str, typer.Option("--project", metavar="ID", help="Id of its project there.")] = "",
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
    variables: Sets = None,
) -> None:
    """Talk to an agent in the terminal; needs no server. Lines that are piped in are messages, one after the other.

    Exit code 0: every turn was answered, 1: one was not, 2: the conversation could not begin.
    """
    from cli.chat import Wanted
    from cli.chat import chat as run_chat

    wanted = Wanted(
        project=project,
        agent=agent,
        session=session,
        with_traces=trace,
        data_dir=data_dir,
        mocks=mocks,
        url=url,
        key=key,
        project_id=project_id,
        no_color=no_color,
        variables=tuple(variables or ()),
    )
    raise typer.Exit(run_chat(wanted))
