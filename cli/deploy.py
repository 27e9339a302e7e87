"""`abl deploy`: freezes the drafts of a project of a running server and makes them active in an environment."""

from __future__ import annotations

import json
from collections.abc import Sequence

from cli.chat_link import JsonObject
from cli.output import CLEAN, FAULTY, USAGE, complain
from cli.server import Server, project_path, server_of
from cli.transfer import files_in, put, show_applied
from domain.errors import AppError, InvalidInput

ENVIRONMENTS = ("dev", "staging", "production")
AUTO = "auto"


def deploy(
    source: str,
    *,
    url: str,
    key: str,
    key_file: str,
    project: str,
    environment: str,
    entry: str,
    label: str,
    agents: Sequence[str],
    as_json: bool,
) -> int:
    """Deploy a project, its drafts taken from `source` first if that is given; return the exit status.

    Args:
        source: A folder or zip file to import, empty for the drafts that are there.
        entry: The agent to begin with; empty takes the project's own, or the only one that it can be.
        agents: `NAME` or `NAME@VERSION`; all agents at their drafts without any.
    """
    try:
        server = server_of(url, key, key_file)
        if environment not in ENVIRONMENTS:
            raise InvalidInput(f"{environment!r} is no environment; there is {', '.join(ENVIRONMENTS)}")
        project_id = server.project(project)
        files = files_in(source) if source else {}
        if files:
            show_applied(put(server, project_id, files, replace=False))
        body = _wanted(server, project_id, environment, entry, label, agents)
    except (AppError, OSError) as error:
        complain(getattr(error, "message", error))
        return USAGE
    try:
        made = server.call("POST", f"{project_path(project_id)}/deployments", body)["deployment"]
    except AppError as error:
        complain(error.message)
        for one in error.details.get("diagnostics", ()):
            complain(f"{one.get('agent', '')}:{one.get('line', '')}: {one['message']}")
        return FAULTY
    _show(made, as_json=as_json)
    return CLEAN


def _wanted(
    server: Server, project_id: str, environment: str, entry: str, label: str, agents: Sequence[str]
) -> JsonObject:
    known = server.call("GET", f"{project_path(project_id)}/agents")["agents"]
    manifest = {name: version or AUTO for name, _, version in (one.partition("@") for one in agents)}
    manifest = manifest or {one["name"]: AUTO for one in known}
    if not manifest:
        raise InvalidInput("The project has no agents; give a folder with some")
    body: JsonObject = {
        "environment": environment,
        "agentVersionManifest": manifest,
        "entryAgentName": entry or _entry(server, project_id, known, manifest),
    }
    return {**body, "label": label} if label else body


def _entry(server: Server, project_id: str, known: Sequence[JsonObject], manifest: JsonObject) -> str:
    """Return the agent that a conversation begins with: the project's own, else the only one that it can be."""
    set_for_project = server.call("GET", project_path(project_id))["project"]["entryAgentName"]
    deployed = [one for one in known if one["name"] in manifest]
    supervisors = [one for one in deployed if one.get("type") == "supervisor"]
    for fitting in ([set_for_project] if set_for_project in manifest else [], supervisors, deployed):
        if len(fitting) == 1:
            only = fitting[0]
            return str(only["name"] if isinstance(only, dict) else only)
    raise InvalidInput(f"Say with --entry which agent a conversation begins with: {', '.join(sorted(manifest))}")


def _show(made: JsonObject, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(made, indent=2))
        return
    for warning in made.get("warnings") or ():
        complain(f"warning: {warning}")
    print(f"{made['id']} is active in {made['environment']} as {made['endpointSlug']}")
    for name, version in sorted(made["agentVersionManifest"].items()):
        mark = " (entry)" if name == made["entryAgentName"] else ""
        print(f"  {name} {version}{mark}")
