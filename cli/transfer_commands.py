"""The commands `abl export`, `abl import` and `abl deploy` and their options."""

from __future__ import annotations

from typing import Annotated, Optional

import typer

from cli.plain import PlainCommand

Url = Annotated[str, typer.Option("--url", metavar="URL", help="The running server.")]
Key = Annotated[str, typer.Option("--key", metavar="KEY", help="API key of that server.")]
KeyFile = Annotated[str, typer.Option("--key-file", metavar="FILE", help="File with an API key, without --key.")]
Project = Annotated[
    str, typer.Option("--project", metavar="NAME", help="Id, slug or name of the project there; the only one without.")
]
LOCAL = "http://127.0.0.1:8400"
FIRST_KEY = "data/first_api_key"


def register_transfer(app: typer.Typer) -> None:
    """Add the commands to the console script."""
    app.command("export", cls=PlainCommand)(export)
    app.command("import", cls=PlainCommand)(import_)
    app.command("deploy", cls=PlainCommand)(deploy)


def export(
    target: Annotated[str, typer.Argument(metavar="TARGET", help="A folder, or a file that ends with .zip.")],
    url: Url = LOCAL,
    key: Key = "",
    key_file: KeyFile = FIRST_KEY,
    project: Project = "",
    deployments: Annotated[bool, typer.Option("--deployments", help="Write deployments.json as well.")] = False,
) -> None:
    """Write the drafts of a project on a running server to a folder or a zip file.

    Exit code 0: written, 2: it could not be.
    """
    from cli.transfer import export_project

    written = export_project(target, url=url, key=key, key_file=key_file, project=project, with_deployments=deployments)
    raise typer.Exit(written)


def import_(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A folder of texts, one file, or a .zip.")],
    url: Url = LOCAL,
    key: Key = "",
    key_file: KeyFile = FIRST_KEY,
    project: Project = "",
    replace: Annotated[bool, typer.Option("--replace", help="Delete agents and tools that are not in SOURCE.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be done, and do nothing.")] = False,
) -> None:
    """Put texts into a project on a running server as drafts, all of them or none.

    Exit code 0: done, 2: nothing was.
    """
    from cli.transfer import import_project

    done = import_project(
        source, url=url, key=key, key_file=key_file, project=project, replace=replace, dry_run=dry_run
    )
    raise typer.Exit(done)


def deploy(
    source: Annotated[
        Optional[str],  # noqa: UP045 - typer reads it
        typer.Argument(metavar="[SOURCE]", help="A folder, file or .zip to import first; the drafts without it."),
    ] = None,
    url: Url = LOCAL,
    key: Key = "",
    key_file: KeyFile = FIRST_KEY,
    project: Project = "",
    environment: Annotated[
        str, typer.Option("--environment", metavar="NAME", help="dev, staging, production.")
    ] = "dev",
    entry: Annotated[str, typer.Option("--entry", metavar="AGENT", help="The agent a conversation begins with.")] = "",
    label: Annotated[str, typer.Option("--label", metavar="TEXT", help="What the deployment is called.")] = "",
    agent: Annotated[
        Optional[list[str]],  # noqa: UP045 - typer reads it
        typer.Option("--agent", metavar="NAME[@VERSION]", help="May be given again; all drafts without it."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the deployment as JSON.")] = False,
) -> None:
    """Freeze drafts as versions and make them active in an environment of a running server.

    Exit code 0: deployed, 1: the agents do not compile or fit together, 2: it could not be begun.
    """
    from cli.deploy import deploy as run_deploy

    deployed = run_deploy(
        source or "",
        url=url,
        key=key,
        key_file=key_file,
        project=project,
        environment=environment,
        entry=entry,
        label=label,
        agents=agent or [],
        as_json=as_json,
    )
    raise typer.Exit(deployed)
