"""The console script `abl`: its commands and their options. Each is a thin call; what it needs it loads itself."""

from __future__ import annotations

import gc
import os
import sys
from typing import Annotated, Optional

import typer

from cli.chat_commands import Mocks, Sets, register_chat
from cli.model_commands import register_models
from cli.plain import PlainCommand, PlainGroup
from cli.transfer_commands import register_transfer
from cli.upkeep_commands import DataDir, register_upkeep

OBJECTS_BETWEEN_COLLECTIONS = 1_000_000
"""Loading and parsing make many objects that all stay; looking for garbage among them is a tenth of a short run."""
OBJECTS_WHILE_RUNNING = 100_000
"""The same for commands that go on and leave garbage behind."""
SHORT = ("check", "ir", "convert")
WITHOUT_GARBAGE = ("fmt", "tokens", "explain")
"""Commands that only read and lay out: what they make has no cycles, and nobody looks for any."""

app = typer.Typer(
    name="abl",
    cls=PlainGroup,
    help="ABL, the Agent Blueprint Language: check, format, compile and serve agents.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

Paths = Annotated[list[str], typer.Argument(metavar="PATH...", help="Files or folders; - is standard input.")]
OneFile = Annotated[str, typer.Argument(metavar="FILE", help="A file; - is standard input.")]
Strict = Annotated[bool, typer.Option("--strict", help="Older forms of the language are errors.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


def _version(wanted: bool) -> None:
    if wanted:
        from abl.ir import COMPILER_VERSION

        print(f"abl {COMPILER_VERSION}")
        raise typer.Exit


@app.callback()
def abl(
    _version_wanted: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """ABL, the Agent Blueprint Language: check, format, compile and serve agents."""


@app.command(cls=PlainCommand)
def check(
    paths: Paths,
    as_json: AsJson = False,
    strict: Strict = False,
    effects: Annotated[bool, typer.Option("--effects", help="Also list what each agent can reach.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
    no_color: Annotated[bool, typer.Option("--no-color", help="Print without colours.")] = False,
    advice: Annotated[bool, typer.Option("--advice", help="Show each piece of advice on style, too.")] = False,
    variables: Sets = None,
) -> None:
    """Find mistakes in agents, tool libraries and profiles.

    A folder is one project: what its files name in each other has to exist. A folder without files of its own is
    a folder of projects. Exit code 0: no errors, 1: errors, 2: something could not be read.
    """
    from cli.check import check as run_check

    how = {"as_json": as_json, "strict": strict, "effects": effects, "quiet": quiet, "advice": advice}
    raise typer.Exit(run_check(paths, no_color=no_color, variables=variables or (), **how))


@app.command(cls=PlainCommand)
def fmt(
    paths: Annotated[
        Optional[list[str]], typer.Argument(metavar="[PATH...]", help="Files or folders; this folder by default.")  # noqa: UP045 - typer reads it
    ] = None,
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit with 1 if a file would change.")] = False,
    diff: Annotated[bool, typer.Option("--diff", help="Write nothing; print what would change.")] = False,
) -> None:
    """Lay files out in the one common way; what they say does not change."""
    from cli.fmt import fmt as run_fmt

    raise typer.Exit(run_fmt(paths or ["."], check=check, diff=diff))


@app.command(cls=PlainCommand)
def ir(
    path: Annotated[str, typer.Argument(metavar="PATH", help="A file, or the folder of one project.")],
    agent: Annotated[str | None, typer.Option("--agent", metavar="NAME", help="Print this agent only.")] = None,
    strict: Strict = False,
    variables: Sets = None,
) -> None:
    """Print the compiled form as JSON."""
    from cli.show import ir as run_ir

    raise typer.Exit(run_ir(path, agent=agent, strict=strict, variables=variables or ()))


@app.command(cls=PlainCommand)
def tokens(file: OneFile, as_json: AsJson = False) -> None:
    """Print the tokens of a text of the older, numbered grammar."""
    from cli.show import tokens as run_tokens

    raise typer.Exit(run_tokens(file, as_json=as_json))


@app.command(cls=PlainCommand)
def explain(
    code: Annotated[str | None, typer.Argument(metavar="[CODE]", help="A code such as UNKNOWN_SECTION.")] = None,
) -> None:
    """Explain a finding with a wrong and a right example; without a code, list all."""
    from cli.show import explain as run_explain

    raise typer.Exit(run_explain(code))


@app.command(cls=PlainCommand)
def convert(
    file: OneFile,
    to: Annotated[str, typer.Option("--to", metavar="FORM", help="yaml, abl or modern.")] = "modern",
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="OUT", help="File to write; standard output by default.")
    ] = None,
    tools: Annotated[
        str | None, typer.Option("--tools", metavar="OUT", help="Library to write the tool bindings of agents to.")
    ] = None,
) -> None:
    """Write a file in another form: the YAML form, the text form, or the modern form of an older file.

    Comments are not carried over. What else is left out, made up, or still to be done is said on standard error.
    """
    from cli.show import convert as run_convert

    raise typer.Exit(run_convert(file, to=to, output=output, tools=tools))


@app.command(cls=PlainCommand)
def lsp() -> None:
    """Serve an editor over standard input and output."""
    from cli.output import refuse

    try:
        from cli.lsp import main as serve_editor
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] not in ("pygls", "lsprotocol"):
            raise
        refuse("the language server needs pygls; install it with: pip install 'abl-runtime[lsp]'")
    serve_editor()


@app.command()
def serve(
    project: Annotated[
        str | None, typer.Option("--project", metavar="DIR", help="Folder of the project; a small demo without it.")
    ] = None,
    runtime: Annotated[str, typer.Option("--runtime", metavar="KIND", help="ray (default), process or local.")] = "",
    hosts: Annotated[int | None, typer.Option("--hosts", metavar="N", help="Session hosts; 0: one per core.")] = None,
    address: Annotated[
        str, typer.Option("--address", metavar="HOST:PORT", help="A Ray cluster that runs already; needs DATABASE_URL.")
    ] = "",
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "",
    port: Annotated[int | None, typer.Option("--port", metavar="PORT", help="Port to listen on.")] = None,
    data_dir: Annotated[str, typer.Option("--data-dir", metavar="DIR", help="Where everything is kept.")] = "",
    pull_model: Annotated[
        bool, typer.Option("--pull-model", help="Fetch the embedded model in the background if no other is set.")
    ] = False,
    mocks: Mocks = "",
    variables: Sets = None,
) -> None:
    """Serve a project over HTTP; ends in good order on SIGTERM."""
    from cli.starting import start

    raise typer.Exit(
        start(
            project,
            runtime=runtime,
            hosts=hosts,
            address=address,
            host=host,
            port=port,
            data_dir=data_dir,
            pull_model=pull_model,
            mocks=mocks,
            variables=variables or (),
        )
    )


@app.command(cls=PlainCommand)
def mcp(
    project: Annotated[
        str, typer.Option("--project", metavar="ID", help="Whose agents; not needed for its own key.")
    ] = "",
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The running server.")] = "http://127.0.0.1:8400",
    key_file: Annotated[
        str, typer.Option("--key-file", metavar="FILE", help="File with an API key.")
    ] = "data/first_api_key",
) -> None:
    """Offer the agents of a running server to an MCP client, over standard input and output."""
    from cli.mcp_stdio import mcp as run_mcp

    raise typer.Exit(run_mcp(url, key_file, project))


@app.command(cls=PlainCommand)
def openapi() -> None:
    """Print the OpenAPI 3.1 document of the HTTP interface; starts nothing."""
    from cli.openapi import print_openapi

    raise typer.Exit(print_openapi())


register_chat(app)
register_transfer(app)
register_upkeep(app)

register_models(app)


@app.command(cls=PlainCommand)
def replay(
    session: Annotated[str, typer.Argument(metavar="SESSION", help="Id of a session; `all` takes every one.")],
    data_dir: Annotated[str, typer.Option("--data-dir", metavar="DIR", help="Where everything is kept.")] = "",
) -> None:
    """Fold a session's journal again and compare with what was stored, byte by byte.

    Exit code 0: the same, 1: not the same, 2: it could not be read.
    """
    from cli.replay import replay as run_replay

    raise typer.Exit(run_replay(session, data_dir=data_dir))


keys = typer.Typer(cls=PlainGroup, no_args_is_help=True, rich_markup_mode=None, help="List, make and revoke API keys.")
app.add_typer(keys, name="keys")
OfProject = Annotated[str, typer.Option("--project", metavar="NAME", help="Name or id of the project.")]


@keys.command("list", cls=PlainCommand)
def keys_list(project: OfProject = "", data_dir: DataDir = "") -> None:
    """List the keys, with what they open; the keys themselves are not kept."""
    from cli.keys import list_keys

    raise typer.Exit(list_keys(project=project, data_dir=data_dir))


@keys.command("create")
def keys_create(
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="What it is for.")] = "",
    project: OfProject = "",
    scope: Annotated[
        list[str] | None, typer.Option("--scope", metavar="SCOPE", help="What it may do; may be given again; * is all.")
    ] = None,
    public: Annotated[bool, typer.Option("--public", help="A key that a page may carry, for one project.")] = False,
    origin: Annotated[
        list[str] | None, typer.Option("--origin", metavar="URL", help="From where a page may use it.")
    ] = None,
    days: Annotated[
        int | None, typer.Option("--days", metavar="N", help="Days until it ends; never without it.")
    ] = None,
    data_dir: DataDir = "",
) -> None:
    """Make a key and print it, this once."""
    from cli.keys import create_key

    created = create_key(
        name=name,
        project=project,
        scopes=scope or [],
        public=public,
        origins=origin or [],
        days=days,
        data_dir=data_dir,
    )
    raise typer.Exit(created)


@keys.command("revoke", cls=PlainCommand)
def keys_revoke(
    key: Annotated[str, typer.Argument(metavar="KEY_ID", help="As `abl keys list` shows it.")], data_dir: DataDir = ""
) -> None:
    """End a key for ever."""
    from cli.keys import revoke_key

    raise typer.Exit(revoke_key(key, data_dir=data_dir))


@keys.command("rotate")
def keys_rotate(
    key: Annotated[str, typer.Argument(metavar="KEY_ID", help="As `abl keys list` shows it.")],
    grace: Annotated[int, typer.Option("--grace", metavar="SECONDS", help="How long the last secret still works.")] = 0,
    data_dir: DataDir = "",
) -> None:
    """Give an API key another secret and print it, this once."""
    from cli.keys import rotate_key

    raise typer.Exit(rotate_key(key, grace_s=grace, data_dir=data_dir))


@keys.command("rewrap", cls=PlainCommand)
def keys_rewrap(data_dir: DataDir = "") -> None:
    """Put what seals secrets under the first of the master keys, so that the others can go."""
    from cli.keys import rewrap_keys

    raise typer.Exit(rewrap_keys(data_dir=data_dir))


@app.command()
def doctor(
    project: Annotated[str, typer.Option("--project", metavar="DIR", help="Folder of the project to serve.")] = "",
    data_dir: DataDir = "",
    host: Annotated[str, typer.Option("--host", metavar="ADDRESS", help="Address to listen on.")] = "",
    port: Annotated[int | None, typer.Option("--port", metavar="PORT", help="Port to listen on.")] = None,
    runtime: Annotated[str, typer.Option("--runtime", metavar="KIND", help="ray (default), process or local.")] = "",
    as_json: AsJson = False,
) -> None:
    """Find what keeps `abl serve` from working here, and say what mends it.

    Exit code 0: nothing does, 1: something does.
    """
    from cli.doctor.report import doctor as examine

    raise typer.Exit(
        examine(project_dir=project, data_dir=data_dir, host=host, port=port, runtime=runtime, as_json=as_json)
    )


@app.command(cls=PlainCommand)
def token(
    project: OfProject = "",
    user: Annotated[str, typer.Option("--user", metavar="ID", help="Whom the token speaks for.")] = "anonymous",
    data_dir: DataDir = "",
) -> None:
    """Print a token as a page gets it, to try a socket or an SDK route by hand."""
    from cli.keys import make_token

    raise typer.Exit(make_token(project=project, user=user, data_dir=data_dir))


def run() -> None:
    """Run the command line."""
    command = sys.argv[1] if len(sys.argv) > 1 else ""
    if command in WITHOUT_GARBAGE:
        gc.disable()
    else:
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS if command in SHORT else OBJECTS_WHILE_RUNNING)
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    code: object = 0
    try:
        app(prog_name="abl")
    except SystemExit as end:
        code = end.code
    finally:
        _flush()
    _leave(code)


def _leave(code: object) -> None:
    """End the process; a short run does not take its objects apart first, which is a tenth of its time.

    What ran an event loop (`serve`, `lsp`) may have things to close, and ends in the ordinary way.
    """
    if "asyncio" in sys.modules or not isinstance(code, int | None):
        sys.exit(code)  # type: ignore[arg-type]
    sys.stderr.flush()
    os._exit(code or 0)


def _flush() -> None:
    """Write out what was printed; a reader that has gone, as in `abl explain | head -1`, is no fault."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    run()
