"""`project.json` of an export: what a project says beside its texts. Pure. Spec: platform-api 6, 9; decision 0040.

It stands in an export only when there is something to say: which agent was set to be the first one, and which domains
and descriptions agents have.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, Literal, NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from domain.errors import InvalidInput
from domain.limits import DESCRIPTION_MAX_CHARS

PROJECT_FILE: Final = "project.json"
FORMAT_VERSION: Final = 1
AGENT_NAME: Final = r"^[A-Za-z][A-Za-z0-9_-]{0,127}$"
AGENT_DOMAIN: Final = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$"
NAME_RULE: Final = "a letter, then letters, digits, _ or -, at most 128 in all"
SHOWN_CHARS: Final = 128
FAULT_MAX_CHARS: Final = 500
_NAME: Final = re.compile(AGENT_NAME)
_DOMAIN: Final = re.compile(AGENT_DOMAIN)


class Details(NamedTuple):
    """What is said of an agent beside its text; with an empty domain it is in that of its project."""

    domain: str = ""
    description: str | None = None


NO_DETAILS: Final = Details()


class AgentEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """What a file says of an agent: null is none, and what is not there is not said."""

    domain: str | UnsetType | None = UNSET
    description: str | UnsetType | None = UNSET

    def over(self, before: Details) -> Details:
        """Return what is said of the agent when this is added to what was said before."""
        return Details(
            before.domain if self.domain is UNSET else self.domain or "",
            before.description if self.description is UNSET else self.description,
        )


class ProjectFile(Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """What a file says of a project: a null entry agent is none, and what is not there is not said."""

    format_version: Literal[1]
    entry_agent: str | UnsetType | None = UNSET
    agents: dict[str, AgentEntry] = {}


def project_file_of(entry_agent: str | None, agents: Mapping[str, Details]) -> str | None:
    """Return the text of the file, None when there is nothing to say.

    >>> project_file_of(None, {"Desk": NO_DETAILS}) is None
    True
    """
    told = {
        name: {"domain": one.domain or None, "description": one.description}
        for name, one in agents.items()
        if one != NO_DETAILS
    }
    if entry_agent is None and not told:
        return None
    said: dict[str, object] = {"formatVersion": FORMAT_VERSION}
    if entry_agent is not None:
        said["entryAgent"] = entry_agent
    if told:
        said["agents"] = told
    return msgspec.json.format(msgspec.json.encode(said), indent=2).decode() + "\n"


def read_project_file(text: str) -> ProjectFile:
    """Return what a file says.

    Raises:
        InvalidInput: It is no JSON, or says something that cannot be so; message and `details.fields` name what.
    """
    try:
        found = msgspec.json.decode(text, type=ProjectFile)
    except msgspec.DecodeError as error:
        raise refused(str(error)) from error
    for fault in _faults(found):
        raise refused(fault)
    return found


def is_name(text: str) -> bool:
    """Return whether an agent, or what is kept beside agents, may be called so. Spec: platform-api 6.2."""
    return _NAME.fullmatch(text) is not None


def refused(fault: str) -> InvalidInput:
    """Return the error that says what is wrong with the file."""
    fault = fault[:FAULT_MAX_CHARS]
    fields = [{"path": f"/files/{PROJECT_FILE}", "message": fault}]
    return InvalidInput(f"{PROJECT_FILE}: {fault}", details={"fields": fields})


def _faults(found: ProjectFile) -> Iterator[str]:
    if isinstance(found.entry_agent, str) and not is_name(found.entry_agent):
        yield f"entryAgent is no name of an agent ({NAME_RULE})"
    for name, one in found.agents.items():
        shown = name[:SHOWN_CHARS]
        if not is_name(name):
            yield f"agents names {shown!r}, which is no name of an agent ({NAME_RULE})"
        if isinstance(one.domain, str) and _DOMAIN.fullmatch(one.domain) is None:
            yield f"the domain of {shown} must match {AGENT_DOMAIN}"
        if isinstance(one.description, str) and len(one.description) > DESCRIPTION_MAX_CHARS:
            yield f"the description of {shown} must be at most {DESCRIPTION_MAX_CHARS} characters"
        if isinstance(one.description, str) and "\0" in one.description:
            yield f"the description of {shown} must not contain U+0000"
