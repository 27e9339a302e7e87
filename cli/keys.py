"""`abl keys`: the keys of an installation, and `abl token`: what a page would hold, for trying a socket by hand."""

from __future__ import annotations

import os
import shlex
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime, timedelta

from actors.clocks import RandomIds, SystemClock
from actors.first_keys import key_desk
from actors.installation import master_keys, token_secrets
from actors.keys import local_origins
from actors.projects import TENANT_ID
from cli.database import with_database
from cli.environment import settings_from
from cli.output import CLEAN, command, refuse
from domain.audit import Actor, Initiator
from domain.errors import InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.keys import KeyKind, NewApiKey, NewPublicKey
from domain.limits import KEY_GRACE_MAX_S, SDK_TOKEN_S
from domain.permissions import DEFAULT_KEY_SCOPES, EVERYTHING, GRANTABLE
from gateway.auth.sdk_tokens import SdkClaims, SdkTokens
from gateway.settings import GatewaySettings
from storage.database import Database
from storage.repositories.api_keys import ApiKeys, KeyRecord
from storage.repositories.projects import ProjectRecord, Projects
from storage.vault import Vault

NO_KEYS = "no keys"
BY = Initiator(Actor("system", "cli", "abl keys"))
"""Whoever has the files of the installation."""


def list_keys(*, project: str, data_dir: str) -> int:
    """Print the keys, newest last; return the exit status."""

    async def act(database: Database) -> int:
        project_id = (await _project(database, project)).project_id if project else None
        keys = await ApiKeys(database).list(TENANT_ID, project_id)
        for one in keys:
            print(_line(one))
        if not keys:
            print(NO_KEYS)
        return CLEAN

    return _with_database(data_dir, act)


def create_key(
    *, name: str, project: str, scopes: list[str], public: bool, origins: list[str], days: int | None, data_dir: str
) -> int:
    """Make a key and print it once: only its hash is kept; return the exit status."""
    unknown = sorted(set(scopes) - GRANTABLE - {EVERYTHING})
    if unknown:
        refuse(f"unknown scope {unknown[0]}; the scopes are {', '.join(sorted(GRANTABLE))}, and * for all of them")
    if public and not project:
        refuse("a public key is good for one project; name it with --project")
    if public and scopes:
        refuse("what a page may do is fixed; leave --scope out")
    if origins and not public:
        refuse("--origin is for public keys; add --public")
    if days is not None and days < 1:
        refuse("--days is 1 or more")

    allowed = origins or local_origins(settings_from(os.environ, data_dir=data_dir).port)

    async def act(database: Database) -> int:
        found = await _project(database, project) if project else None
        ends = datetime.now(UTC) + timedelta(days=days) if days is not None else None
        key_id, plaintext = await _made(database, found, name, scopes, allowed, ends, public)
        print(_line(await _listed(database, key_id)))
        print(f"{plaintext}\nIt is shown this once; keep it.")
        return CLEAN

    return _with_database(data_dir, act)


def revoke_key(key_id: str, *, data_dir: str) -> int:
    """End a key for ever; return the exit status."""

    async def act(database: Database) -> int:
        key = await _listed(database, key_id)
        desk = key_desk(database, RandomIds())
        if key.kind == KeyKind.PUBLIC:
            await desk.revoke_public(TENANT_ID, key.project_id or "", key_id, BY)
        else:
            await desk.revoke(TENANT_ID, key_id, BY)
        print(f"{key_id} is revoked")
        return CLEAN

    return _with_database(data_dir, act)


def rotate_key(key_id: str, *, grace_s: int, data_dir: str) -> int:
    """Give an API key another secret and print it once; return the exit status."""
    if not 0 <= grace_s <= KEY_GRACE_MAX_S:
        refuse(f"--grace is 0 to {KEY_GRACE_MAX_S} seconds")

    async def act(database: Database) -> int:
        await _listed(database, key_id)
        granted = frozenset({EVERYTHING})
        desk = key_desk(database, RandomIds())
        made = await desk.rotate(TENANT_ID, key_id, grace_s=grace_s, granted=granted, by=BY)
        print(_line(await _listed(database, key_id)))
        print(f"{made.secret}\nIt is shown this once; keep it. The last one works for {grace_s} more seconds.")
        return CLEAN

    return _with_database(data_dir, act)


def rewrap_keys(*, data_dir: str) -> int:
    """Put the data keys of all tenants under the first master key; return the exit status."""
    settings = settings_from(os.environ, data_dir=data_dir)

    async def act(database: Database) -> int:
        done = await Vault(database, master_keys(settings)).rewrap()
        print(f"{done} data keys wrapped anew; the other master keys are not needed any more")
        return CLEAN

    return _with_database(data_dir, act)


def make_token(*, project: str, user: str, data_dir: str) -> int:
    """Print a token as `POST /api/v1/sdk/init` gives it to a page, without a page; return the exit status."""
    settings = settings_from(os.environ, data_dir=data_dir)

    async def act(database: Database) -> int:
        found = await _project(database, project)
        keys = await ApiKeys(database).list(TENANT_ID, found.project_id)
        public = next((one for one in keys if one.kind == KeyKind.PUBLIC and not _is_over(one)), None)
        if public is None:
            kept = f" --data-dir {shlex.quote(data_dir)}" if data_dir else ""
            make = f"{command()} keys create --public --project {found.slug}{kept}"
            raise NotFound(f"{found.name} has no public key; make one: {make}")
        ids = RandomIds()
        gateway = GatewaySettings(token_secret=token_secrets(settings)[0])
        tokens = SdkTokens(gateway.token_secret, gateway.instance, SystemClock(), ids)
        claims = SdkClaims(
            tenant_id=TENANT_ID,
            project_id=found.project_id,
            key_id=public.key_id,
            family=ids.new("fam"),
            subject=user,
        )
        print(tokens.make(claims))
        print(f"good for {SDK_TOKEN_S // 60} minutes: X-SDK-Token, or a socket's sub-protocol after `sdk-auth`")
        return CLEAN

    return _with_database(data_dir, act)


async def _made(
    database: Database,
    project: ProjectRecord | None,
    name: str,
    scopes: list[str],
    origins: Sequence[str],
    ends: datetime | None,
    public: bool,
) -> tuple[str, str]:
    """Make a key; return its id and its secret."""
    desk, project_id = key_desk(database, RandomIds()), project.project_id if project is not None else None
    if public and project_id is not None:
        page = NewPublicKey(name=name, allowed_origins=tuple(origins), expires_at=ends)
        made_page = await desk.make_public(TENANT_ID, project_id, page, BY)
        return made_page.key.id, made_page.secret
    may = tuple(scopes or DEFAULT_KEY_SCOPES)
    made = await desk.make(TENANT_ID, NewApiKey(name=name, scopes=may, project_id=project_id, expires_at=ends), BY)
    return made.key.id, made.secret


async def _listed(database: Database, key_id: str) -> KeyRecord:
    """Return a key as it is kept. Raises NotFound."""
    for key in await ApiKeys(database).list(TENANT_ID):
        if key.key_id == key_id:
            return key
    raise NotFound(f"there is no key {key_id}; {command()} keys list shows them")


def _with_database(data_dir: str, act: Callable[[Database], Awaitable[int]]) -> int:
    async def with_tenant(database: Database) -> int:
        await Projects(database).ensure_tenant(TENANT_ID, TENANT_ID.removeprefix(PREFIXES["tenant"] + "_"))
        return await act(database)

    return with_database(data_dir, with_tenant)


async def _project(database: Database, wanted: str) -> ProjectRecord:
    """Return the project with this id or slug; the only one when nothing is said."""
    projects = Projects(database)
    if wanted:
        found = await projects.find_by_slug(TENANT_ID, wanted)
        return found if found is not None else await projects.get(TENANT_ID, wanted)
    known = await projects.list(TENANT_ID)
    if len(known) != 1:
        raise InvalidInput(f"say which project: {', '.join(one.slug for one in known) or 'there is none yet'}")
    return known[0]


def _is_over(key: KeyRecord) -> bool:
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= datetime.now(UTC))


def _line(key: KeyRecord) -> str:
    if key.revoked_at is not None:
        state = f"revoked {key.revoked_at:%Y-%m-%d}"
    elif key.expires_at is not None:
        state = f"{'expired' if _is_over(key) else 'until'} {key.expires_at:%Y-%m-%d}"
    else:
        state = "valid"
    may = " ".join(key.details.get("allowedOrigins", ())) if key.kind == KeyKind.PUBLIC else " ".join(key.scopes)
    return (
        f"{key.key_id}  {key.kind:6}  {key.prefix}...  {key.project_id or 'all projects'}  {may}  {state}  {key.name}"
    )
