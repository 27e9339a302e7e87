"""The first moment of `abl serve`: what cannot be is refused before anything slow is loaded or brought up."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from abl.variables import VariablesFault
from actors.settings import Settings
from cli.environment import settings_from
from cli.output import refuse
from cli.variables import Given, folder_variables
from domain.errors import AppError
from storage.embedded import POSTGRES, REDIS, check_is_free


def start(
    project: str | None,
    *,
    runtime: str,
    hosts: int | None,
    address: str,
    host: str,
    port: int | None,
    data_dir: str,
    pull_model: bool = False,
    mocks: str = "",
    variables: Iterable[str] = (),
) -> int:
    """Serve a project until a signal; return the exit status."""
    try:
        given = Given.of(os.environ, variables, folder_variables(Path(project)) if project is not None else None)
        settings = settings_from(
            os.environ,
            runtime=runtime,
            hosts=hosts,
            address=address,
            host=host,
            port=port,
            data_dir=data_dir,
            pull_model=pull_model,
            mocks=mocks,
            variables=given,
        )
        check_servers_are_free(settings)
    except VariablesFault as error:
        refuse(str(error))
    except AppError as error:
        refuse(error.message)
    from cli.serve import serve  # the gateway and all behind it: twice as slow to load as all before it

    return serve(project, settings, given.config)


def check_servers_are_free(settings: Settings) -> None:
    """Do nothing when no other program has a server that these settings start in their data folder.

    Raises:
        DirectoryInUse: One has.
    """
    urls = {POSTGRES: settings.database_url, REDIS: settings.redis_url}
    check_is_free(Path(settings.data_dir), [name for name, url in urls.items() if not url])
