"""`abl ir`, `abl tokens`, `abl explain`, `abl convert`: one thing in, its other form out."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import Any

from abl.variables import VariablesFault
from cli import files
from cli.output import CLEAN, FAULTY, USAGE, Screen, complain, print_findings, refuse


def ir(path: str, *, agent: str | None, strict: bool, variables: Iterable[str] = ()) -> int:
    """Print the compiled form of a file or a project as JSON; its errors go to standard error."""
    from abl.project import Project, compile_project
    from cli.check import load

    try:
        loaded, unreadable = load([path], variables)
    except VariablesFault as error:
        refuse(str(error))
    for fault in unreadable:
        complain(fault)
    if unreadable:
        return USAGE
    if len(loaded) != 1:
        what = "several projects: " + ", ".join(one.root for one in loaded) if loaded else "no file to compile"
        refuse(f"{path} holds {what}")
    compilation = compile_project(Project.from_files(loaded[0].texts, strict=strict), loaded[0].options)
    output: dict[str, Any] = compilation.output
    faults = output.get("compilation_errors", ())
    for one in faults:
        place = ":".join(str(one[key]) for key in ("file", "line") if key in one)
        complain(f"{place + ': ' if place else ''}{one['message']} [{one['code']}]")
    if agent is not None:
        output = _agent(output["agents"], agent)
    print(json.dumps(output, indent=2, ensure_ascii=False))
    return FAULTY if faults else CLEAN


def _agent(agents: dict[str, Any], name: str) -> dict[str, Any]:
    from abl.diagnostics.reporter import did_you_mean
    from abl.diagnostics.suggest import closest

    if name not in agents:
        refuse(f"there is no agent {name}. {did_you_mean(closest(name, agents))}The agents are: {', '.join(agents)}")
    found: dict[str, Any] = agents[name]
    return found


def tokens(path: str, *, as_json: bool) -> int:
    """Print the tokens of a text of the numbered grammar."""
    from abl.tokens import tokenize

    result = tokenize(_text(path))
    if as_json:
        print(json.dumps(result.to_dict(), indent=2, ensure_ascii=False))
    else:
        for token in result.tokens:
            place = f"{token.line}:{token.column}"
            print(f"{place:<9} {token.type:<22} {token.image!r}")
        for fault in result.errors:
            complain(fault.message)
    return FAULTY if result.errors else CLEAN


def explain(code: str | None) -> int:
    """Print what a code means, or all codes."""
    from abl.diagnostics.catalogue import RULES
    from abl.diagnostics.reporter import explain as explanation

    if code is None:
        width = max(map(len, RULES))
        for rule in sorted(RULES.values(), key=lambda one: one.code):
            print(f"{rule.code:<{width}}  {rule.severity:<7}  {rule.title}")
        return CLEAN
    if code.strip().upper() not in RULES:
        complain(explanation(code).strip())
        return USAGE
    print(explanation(code), end="")
    return CLEAN


def convert(path: str, *, to: str, output: str | None, tools: str | None = None) -> int:
    """Print a text in another form, or write it to `output`; its tool bindings go to the file `tools`.

    What was left out, made up or still has to be done is said on standard error.
    """
    from abl.conversion import TARGETS
    from abl.conversion import convert as converted

    target = next((one for one in TARGETS if one == to.lower()), None)
    if target is None:
        refuse(f"there is no form {to}; --to takes {', '.join(TARGETS)}")
    if tools is not None and target != "modern":
        refuse("--tools takes the bindings out of modern agents; use it with --to modern")
    text = _text(path)
    result = converted(text, target, split_tools=tools is not None)
    if result.text is None:
        name = files.STDIN_NAME if path == files.STDIN else path
        errors = [one.in_file(name) for one in result.findings if one.is_error]
        print_findings(errors, {name: text}, Screen.of_terminal())
        complain(f"{name} is not converted: {result.reason}")
        return FAULTY
    if tools is not None:
        _write_library(tools, result.library)
    if output is None or output == files.STDIN:
        print(result.text, end="")
    else:
        _write(output, result.text)
    for note in result.notes:
        print(f"note: {note}", file=sys.stderr)
    if tools is None and any("E720" in note for note in result.notes):
        print("note: --tools FILE.tools.abl puts the bindings of tools into a library", file=sys.stderr)
    return CLEAN


def _write_library(path: str, library: str | None) -> None:
    if library is None:
        print(f"note: no tool has a binding, so {path} is not written", file=sys.stderr)
    else:
        _write(path, library)


def _write(path: str, text: str) -> None:
    fault = files.write(path, text)
    if fault is not None:
        refuse(fault)
    print(f"wrote {path}", file=sys.stderr)


def _text(path: str) -> str:
    text = files.read(path)
    if not isinstance(text, str):
        refuse(text)
    return text
