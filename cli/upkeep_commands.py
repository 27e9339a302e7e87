"""The commands `abl audit verify` and `abl scrub` and their options: what an operator does beside the server."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.plain import PlainCommand, PlainGroup

DataDir = Annotated[str, typer.Option("--data-dir", metavar="DIR", help="Where everything is kept.")]


def register_upkeep(app: typer.Typer) -> None:
    """Add the commands to the console script."""
    audit = typer.Typer(cls=PlainGroup, no_args_is_help=True, rich_markup_mode=None, help="The audit log.")
    audit.command("verify", cls=PlainCommand)(audit_verify)
    app.add_typer(audit, name="audit")
    app.command("scrub", cls=PlainCommand)(scrub)


def audit_verify(
    tenant: Annotated[str, typer.Option("--tenant", metavar="ID", help="Of this tenant only.")] = "",
    data_dir: DataDir = "",
) -> None:
    """Find out whether every entry is the one that was written.

    Exit code 0: all are, 1: one is not, its number is printed, 2: it could not be read.
    """
    from cli.audit import verify_audit

    raise typer.Exit(verify_audit(tenant=tenant, data_dir=data_dir))


def scrub(data_dir: DataDir = "") -> None:
    """Write the database anew, so that nothing of what was deleted is left in its files.

    Beside a running server too; each table is locked while it is written. Exit code 0: done, 2: it could not be.
    """
    from cli.scrub import scrub_database

    raise typer.Exit(scrub_database(data_dir=data_dir))
