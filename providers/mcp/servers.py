"""Which MCP servers there are: programs that the operator names, and addresses that operator or project name.

A program is started only when the operator's settings name it: no text of a project can start one. Decision: 0017.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256

import msgspec
from msgspec import Struct

from domain.errors import InvalidInput
from domain.secret_spellings import words_of

HTTP = ("http://", "https://")
_OF_SECRETS = re.compile("auth|key|token|secret|cookie|passw|credential", re.IGNORECASE)


class McpServer(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A server that the operator names: a program (`command`, `args`, `env`, `cwd`) or an address (`url`, `headers`).

    Attributes:
        env: Beside the few variables that every program is given (PATH, HOME, ...).
        log: File that the program's error output is put behind; empty drops it.
        projects: Ids of the only projects whose tools may use it; empty means all.
    """

    command: str = ""
    args: tuple[str, ...] = ()
    env: dict[str, str] = msgspec.field(default_factory=dict)
    cwd: str = ""
    log: str = ""
    url: str = ""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    projects: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A server as one connection reaches it; `headers` are filled in and hold secrets."""

    scope: str
    name: str
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    program: McpServer | None = None

    @property
    def key(self) -> str:
        """What tells this connection from all others; holds no secret."""
        shown = sha256(repr(sorted(self.headers.items())).encode()).hexdigest() if self.headers else ""
        return f"{self.scope}\0{self.name}\0{self.url}\0{shown}"


def secret_words(server: McpServer) -> list[str]:
    """Return what an operator's server is given that no tool may say back: by the names of headers and variables.

    >>> secret_words(McpServer(url="https://a", headers={"Authorization": "Bearer one-two", "Accept": "text/plain"}))
    ['Bearer one-two', 'one-two']
    """
    given = [value for name, value in (*server.headers.items(), *server.env.items()) if _OF_SECRETS.search(name)]
    return [word for value in given for word in dict.fromkeys(words_of(value))]


def read_servers(text: bytes) -> dict[str, McpServer]:
    """Return the servers of an operator's JSON file: name -> server, also under the usual key `mcpServers`.

    Raises:
        InvalidInput: It is not of that form.
    """
    try:
        given = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        inner = given.get("mcpServers")
        servers = msgspec.json.decode(inner if inner is not None else text, type=dict[str, McpServer])
    except msgspec.DecodeError as error:
        raise InvalidInput(f"The MCP servers cannot be read: {error}") from error
    for name, server in servers.items():
        if bool(server.command) == bool(server.url):
            raise InvalidInput(f"The MCP server {name!r} needs a command or a url, one of the two")
        if server.url and not server.url.startswith(HTTP):
            raise InvalidInput(f"The url of the MCP server {name!r} begins with http:// or https://")
    return servers
