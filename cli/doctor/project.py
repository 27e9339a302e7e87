"""The project that is to be served: its folder is there and its agents compile."""

from __future__ import annotations

from collections.abc import Iterator

from cli.doctor.faults import Fault, Place
from cli.output import command


def look_at_project(place: Place) -> Iterator[Fault]:
    """The folder holds agents without errors."""
    from abl.variables import VariablesFault
    from actors.programs import compile_texts
    from actors.projects import separated, variables_in
    from cli.projects import project_texts
    from cli.variables import Given
    from domain.errors import AppError

    folder = place.project
    if folder is None:
        return
    if not folder.is_dir():
        yield Fault("NO_PROJECT", f"there is no folder {folder}", f"{command()} serve --project DIR")
        return
    try:
        texts = project_texts(folder)
        if texts:
            config = Given.of(place.environment).config
            compile_texts(separated(texts)[1], {**variables_in(texts).config, **config})
        else:
            mend = "name them *.agent.abl, or take another --project"
            yield Fault("EMPTY_PROJECT", f"{folder} has no ABL files", mend)
    except UnicodeDecodeError as error:
        yield Fault("NOT_TEXT", f"a file of {folder} is no UTF-8 text: {error.reason}", f"file {folder}/* says which")
    except VariablesFault as error:
        yield Fault("PROJECT_HAS_ERRORS", str(error), f"{command()} check {folder}")
    except AppError as error:
        yield Fault("PROJECT_HAS_ERRORS", error.message.splitlines()[0], f"{command()} check {folder}")
