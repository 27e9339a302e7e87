"""The commands `abl tenants`, `abl audit verify` and `abl scrub`: what an operator does beside the server."""

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
    tenants = typer.Typer(
        cls=PlainGroup, no_args_is_help=True, rich_markup_mode=None, help="Who shares the installation."
    )
    tenants.command("list", cls=PlainCommand)(tenants_list)
    tenants.command("create", cls=PlainCommand)(tenants_create)
    tenants.command("limit", cls=PlainCommand)(tenants_limit)
    app.add_typer(tenants, name="tenants")


def tenants_list(data_dir: DataDir = "") -> None:
    """List the tenants: id, name, owner, limits of their own."""
    from cli.tenants import list_tenants

    raise typer.Exit(list_tenants(data_dir=data_dir))


def tenants_create(
    name: Annotated[str, typer.Argument(metavar="NAME", help="How it is called.")],
    owner: Annotated[str, typer.Option("--owner", metavar="EMAIL", help="What its owner logs in with.")] = "",
    data_dir: DataDir = "",
) -> None:
    """Make a tenant with its owner, and print the owner's password, this once."""
    from cli.tenants import create_tenant

    raise typer.Exit(create_tenant(name=name, owner=owner, data_dir=data_dir))


def tenants_limit(
    tenant: Annotated[str, typer.Argument(metavar="TENANT", help="Its id or name.")],
    limits: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME=NUMBER]...", help="A limit; NAME= takes it away again.")
    ] = None,
    data_dir: DataDir = "",
) -> None:
    """Give a tenant limits of its own, which hold within ten seconds; without any show what it has."""
    from cli.tenants import limit_tenant

    raise typer.Exit(limit_tenant(tenant, limits or [], data_dir=data_dir))


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
