"""`abl check`: findings of files and folders, each folder a project."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from abl.compiler import CompileOptions
from abl.diagnostics.model import Diagnostic
from abl.diagnostics.render import summary
from abl.folders import LAYOUT, group_projects, is_project_path
from abl.project import Project, check_project, compile_project
from abl.variables import Variables, VariablesFault
from cli import files
from cli.output import CLEAN, FAULTY, USAGE, Screen, complain, print_findings, refuse
from cli.variables import Given, folder_variables

ADVICE = frozenset({"MISSING_PARAM_DESCRIPTION", "MISSING_TOOL_DESCRIPTION", "AGENT_NAME_STYLE"})
"""Findings that are a matter of style: told in one line a file unless they are asked for."""


@dataclass(slots=True)
class Loaded:
    """One project of the command line.

    Attributes:
        root: Folder it was found in, or the name of its only file.
        texts: Path as shown -> text.
        is_whole: Nothing outside belongs to it, so what it does not hold is missing.
        config: Values of `{{config.KEY}}`.
    """

    root: str
    texts: dict[str, str] = field(default_factory=dict)
    is_whole: bool = True
    config: Mapping[str, str] = field(default_factory=dict)

    @property
    def options(self) -> CompileOptions:
        """How it is compiled."""
        return CompileOptions(single_agent=not self.is_whole, config_variables=self.config)


def load(paths: Iterable[str], options: Iterable[str] = ()) -> tuple[list[Loaded], list[files.Unreadable]]:
    """Return the projects that paths mean, and what could not be read; `options` are variables of the command line.

    Raises:
        VariablesFault: A variable, or the file of variables of a project, has the wrong form.
    """
    given = Given.of(os.environ, options)
    found = files.find(paths, is_project_path)
    unreadable = found.unreadable
    projects = []
    for folder, below in found.folders.items():
        for group in group_projects(below):
            shown = [(PurePath(folder) / path).as_posix() for path in group]
            projects.append(_read(root_of(shown), shown, unreadable, is_whole=True))
    named = [path for path in found.files if path != files.STDIN]
    if named:
        projects.append(_read(", ".join(named), named, unreadable, is_whole=False))
    if files.STDIN in found.files:
        projects.append(_read(files.STDIN_NAME, [files.STDIN], unreadable, is_whole=False))
    for project in projects:
        at = project.root if project.is_whole else next(iter(project.texts), files.STDIN_NAME)
        file = folder_variables(Path(at)) if at != files.STDIN_NAME else Variables()
        project.config = {**file.config, **given.config}
    return [project for project in projects if project.texts], unreadable


def _read(root: str, paths: list[str], unreadable: list[files.Unreadable], *, is_whole: bool) -> Loaded:
    project = Loaded(root, is_whole=is_whole)
    for path in paths:
        text = files.read(path)
        if isinstance(text, str):
            project.texts[files.STDIN_NAME if path == files.STDIN else path] = text
        else:
            unreadable.append(text)
    return project


def root_of(paths: list[str]) -> str:
    """Return the folder of a project: where all its paths lie, above `agents` and its like."""
    parts = [PurePath(path).parent.parts for path in paths]
    common = 0
    while all(len(one) > common for one in parts) and len({one[common] for one in parts}) == 1:
        common += 1
    folder = PurePath(*parts[0][:common])
    return (folder.parent if folder.name in LAYOUT else folder).as_posix()


def check(
    paths: list[str],
    *,
    as_json: bool,
    strict: bool,
    effects: bool,
    quiet: bool,
    no_color: bool,
    advice: bool = False,
    variables: Iterable[str] = (),
) -> int:
    """Check the files of `paths`, print what was found and return the exit code."""
    try:
        loaded, unreadable = load(paths, variables)
    except VariablesFault as error:
        refuse(str(error))
    if not loaded and not unreadable:
        refuse(f"nothing to check in {', '.join(paths)}: no file ends in .abl or .agent.yaml")
    found: list[Diagnostic] = []
    reach: dict[str, Any] = {}
    for one in loaded:
        project = Project.from_files(one.texts, strict=strict)
        found.extend(check_project(project, one.options))
        if effects:
            from abl.effects import effects as effects_of

            reach[one.root] = effects_of(compile_project(project, one.options))
    if as_json:
        _print_json(loaded, found, unreadable, reach if effects else None)
    else:
        told, folded = (found, {}) if advice or quiet else _folded(found)
        _print_text(loaded, told, reach, folded, quiet=quiet, screen=Screen.of_terminal(no_color=no_color))
    if not as_json or not loaded:
        for fault in unreadable:
            complain(fault)
    if unreadable:
        return USAGE
    return FAULTY if any(one.is_error for one in found) else CLEAN


def _folded(found: list[Diagnostic]) -> tuple[list[Diagnostic], dict[str, Counter[str]]]:
    """Return the findings without advice on style, and file -> how often each piece of advice was left out there."""
    left: dict[str, Counter[str]] = {}
    told = []
    for one in found:
        if one.code in ADVICE and not one.is_error:
            left.setdefault(one.file or "", Counter())[one.code] += 1
        else:
            told.append(one)
    return told, left


def _print_text(
    loaded: list[Loaded],
    found: list[Diagnostic],
    reach: dict[str, Any],
    folded: dict[str, Counter[str]],
    *,
    quiet: bool,
    screen: Screen,
) -> None:
    shown = [one for one in found if one.is_error or not quiet]
    print_findings(shown, {path: text for one in loaded for path, text in one.texts.items()}, screen)
    for path, codes in folded.items():
        named = ", ".join(f"{number} x {code}" for code, number in codes.most_common())
        print(f"{path or 'the project'}: advice on style ({named}); --advice shows it")
    if reach:
        from abl.effects import render_effects

        for root, one in reach.items():
            print(f"What {root} can reach\n\n{render_effects(one)}\n")
    number = sum(len(one.texts) for one in loaded)
    if loaded and not (quiet and not shown):
        print(f"{summary(found)}; {number} {'file' if number == 1 else 'files'} checked")


def _print_json(
    loaded: list[Loaded], found: list[Diagnostic], unreadable: list[files.Unreadable], reach: dict[str, Any] | None
) -> None:
    import json

    counts = {
        name: sum(1 for one in found if one.severity == severity)
        for name, severity in (("errors", "error"), ("warnings", "warning"), ("notes", "info"))
    }
    paths = [path for one in loaded for path in one.texts]
    report: dict[str, Any] = {
        "files": paths,
        "projects": [{"root": one.root, "files": list(one.texts)} for one in loaded],
        "diagnostics": [one.to_dict() for one in found],
        "unreadable": [{"file": one.path, "reason": one.reason} for one in unreadable],
        "summary": {
            "files": len(paths),
            "projects": len(loaded),
            **counts,
            "ok": not counts["errors"] and not unreadable,
        },
    }
    if reach is not None:
        report["effects"] = reach
    print(json.dumps(report, indent=2, ensure_ascii=False))
