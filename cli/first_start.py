"""What a start makes for somebody who tries the product out, and what it tells them. Spec: platform-api 14.1.

Keys and the owner are made once for an installation, which is its database: a second server on it, a pod that is put in
another's place or a new data folder makes none. In production none is made and none is shown.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from actors.clocks import RandomIds
from actors.first_keys import is_key, make_first_key, make_first_public_key
from actors.installation import data_folder
from actors.keys import local_origins
from actors.production import is_production
from actors.projects import TENANT_ID, Seeded
from actors.settings import Settings
from actors.users import OWNER_EMAIL, make_owner
from actors.wiring import RunningRuntime
from cli.output import command
from storage.database import Database

ANY_ADDRESS = frozenset({"", "0.0.0.0", "::"})
THIS_MACHINE = "127.0.0.1"
KEY_FILE = "first_api_key"
PUBLIC_KEY_FILE = "first_public_key_{}"
OWNER_FILE = "first_owner"
PRIVATE = 0o600
NO_MODEL = (
    "none (agents with FLOW and GATHER need none); set a key such as ANTHROPIC_API_KEY, or fetch the embedded one: "
    "{} models pull"
)
NO_KEY = (
    "not known here: the first start on this database made it, or it is revoked; another: {} keys create --scope '*'{}"
)
NO_PAGE_KEY = "not known here; another: {} keys create --public --project {}{}"
NO_KEY_SHOWN = "none is shown in production; make one: {} keys create --scope '*'{}"
ON_DATABASE = 'DATABASE_URL="${{DATABASE_URL:?export it as it is for the server, whose database is {}}}" {}'
"""Before a command that needs the server's database: a shell that does not know it says so, and runs nothing."""
_NOT_PLAIN = re.compile(r"[^\w.:/@-]")
NO_PAGE_KEY_SHOWN = (
    "none is shown in production; make one: {} keys create --public --project {} --origin https://your.page{}"
)


@dataclass(frozen=True, slots=True)
class Keys:
    """A key for programs, and one that a page may carry; "" where this server does not know it or does not tell."""

    secret: str = ""
    public: str = ""
    has_owner_file: bool = False


async def first_keys(running: RunningRuntime, project_id: str) -> Keys:
    """Return the keys that the first start on this database made and this data folder keeps; none in production."""
    if is_production(running.settings):
        return Keys()
    folder, database = data_folder(running.settings), running.database
    password = await make_owner(database, RandomIds(), TENANT_ID)
    if password:
        _keep(folder / OWNER_FILE, f"{OWNER_EMAIL} {password}")
    return Keys(
        secret=await _key(database, folder / KEY_FILE, lambda: make_first_key(database, RandomIds())),
        public=await _key(
            database,
            folder / PUBLIC_KEY_FILE.format(project_id),
            lambda: make_first_public_key(
                database, RandomIds(), project_id, origins=local_origins(running.settings.port)
            ),
        ),
        has_owner_file=(folder / OWNER_FILE).exists(),
    )


async def _key(database: Database, place: Path, make: Callable[[], Awaitable[str]]) -> str:
    known = _read(place)
    if known and await is_key(database, known):
        return known
    if made := await make():
        _keep(place, made)
    return made


def _read(place: Path) -> str:
    return place.read_text(encoding="ascii").strip() if place.exists() else ""


def _keep(place: Path, text: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.touch(mode=PRIVATE, exist_ok=True)
    place.write_text(text + "\n", encoding="ascii")


def greeting(settings: Settings, seeded: Seeded, keys: Keys, message: str, *, database_url: str = "") -> str:
    """Return what `abl serve` prints when it serves: addresses, keys where they may be shown, a line to paste.

    `database_url` is that of a database which the server was given: commands need to be given it too.
    """
    url, socket_url = (f"{scheme}://{settings.host}:{settings.port}" for scheme in ("http", "ws"))
    body = f'{{"projectId": "{seeded.project_id}", "message": "{message}"}}'
    count = settings.hosts or os.cpu_count() or 1
    hosts = f"{count} host{'s' if count != 1 else ''}" if settings.runtime != "local" else "in process"
    kept = "" if settings.data_dir == Settings().data_dir else f" --data-dir {shlex.quote(settings.data_dir)}"
    mocked = dict.fromkeys(one["toolName"] for one in settings.tool_mocks)
    no_key, no_page_key = (NO_KEY_SHOWN, NO_PAGE_KEY_SHOWN) if is_production(settings) else (NO_KEY, NO_PAGE_KEY)
    page = f"{keys.public} (for pages on this machine: POST {url}/api/v1/sdk/init, then {socket_url}/ws/sdk)"
    owner = f"{OWNER_EMAIL} (the password stands in {data_folder(settings) / OWNER_FILE})"
    keys_command = ON_DATABASE.format(_place(database_url), command()) if database_url else command()
    lines = [
        *([f"Talk to it in a browser: {_page_url(settings)}", ""] if keys.public else []),
        f"ABL Runtime serves {seeded.name} ({', '.join(seeded.agents)})",
        f"  url      {url}",
        f"  project  {seeded.project_id}",
        f"  api key  {keys.secret or no_key.format(keys_command, kept)}",
        *([f"  owner    {owner}"] if keys.has_owner_file else []),
        f"  page key {page if keys.public else no_page_key.format(keys_command, seeded.project_id, kept)}",
        f"  model    {settings.default_model or NO_MODEL.format(command())}",
        f"  runtime  {settings.runtime}, {hosts}; data in {data_folder(settings)}",
        *([f"  mocks    {', '.join(mocked)}: answered from a file, not called"] if mocked else []),
        "",
        "Try:",
        f"  curl -s {url}/api/v1/chat/agent -H 'X-API-Key: {keys.secret or 'YOUR_KEY'}' \\",
        f"    -H 'Content-Type: application/json' -d '{body}'",
    ]
    return "\n".join(lines)


def _page_url(settings: Settings) -> str:
    """Return where a browser on this machine finds the page at `/`."""
    host = THIS_MACHINE if settings.host in ANY_ADDRESS else settings.host
    return f"http://{host}:{settings.port}/"


def _place(database_url: str) -> str:
    """Return host and name of a database: no password, and nothing that means something to a shell."""
    parts = urlsplit(database_url)
    host = parts.hostname or parse_qs(parts.query).get("host", ["this machine"])[0]
    return _NOT_PLAIN.sub(" ", f"{parts.path.lstrip('/')} at {host}")
