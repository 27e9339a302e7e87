"""`abl keys`: the keys of an installation, and `abl token`: what a page would hold, for trying a socket by hand."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import msgspec

from actors.clocks import RandomIds, SystemClock
from actors.installation import data_folder, master_keys
from actors.projects import LOOPBACK_ORIGINS, PUBLIC, TENANT_ID, new_key, new_public_key
from actors.settings import Settings
from cli.database import opened
from cli.environment import settings_from
from cli.output import CLEAN, refuse
from cli.serve import token_secret
from domain.errors import AppError, InvalidInput, NotFound
from domain.ids import PREFIXES
from domain.limits import SDK_TOKEN_S
from domain.permissions import DEFAULT_KEY_SCOPES, EVERYTHING, GRANTABLE
from gateway.auth.sdk_tokens import SdkClaims, SdkTokens
from gateway.settings import GatewaySettings
from storage.database import Database
from storage.migrate import migrate
from storage.repositories.api_keys import ApiKeys, KeyRecord
from storage.repositories.projects import ProjectRecord, Projects
from storage.vault import Vault

NO_KEYS = "no keys"


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

    async def act(database: Database) -> int:
        found = await _project(database, project) if project else None
        if public and found is not None:
            key = new_public_key(RandomIds(), found.project_id, name=name, origins=origins or LOOPBACK_ORIGINS)
        else:
            project_id = found.project_id if found is not None else None
            key = new_key(RandomIds(), name=name, scopes=scopes or DEFAULT_KEY_SCOPES, project_id=project_id)
        ends = datetime.now(UTC) + timedelta(days=days) if days is not None else None
        key = msgspec.structs.replace(key, expires_at=ends)
        print(_line(await ApiKeys(database).create(TENANT_ID, key)))
        print(f"{key.plaintext}\nIt is shown this once; keep it.")
        return CLEAN

    return _with_database(data_dir, act)


def revoke_key(key_id: str, *, data_dir: str) -> int:
    """End a key for ever; return the exit status."""

    async def act(database: Database) -> int:
        if not await ApiKeys(database).revoke(TENANT_ID, key_id):
            raise NotFound(f"there is no key {key_id} to revoke; abl keys list shows them")
        print(f"{key_id} is revoked")
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
        public = next((one for one in keys if one.kind == PUBLIC and not _is_over(one)), None)
        if public is None:
            raise NotFound(f"{found.name} has no public key; make one: abl keys create --public --project {found.slug}")
        ids = RandomIds()
        gateway = GatewaySettings(token_secret=token_secret(data_folder(settings)))
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


def _with_database(data_dir: str, act: Callable[[Database], Awaitable[int]]) -> int:
    async def run(settings: Settings) -> int:
        async with opened(settings) as database:
            await migrate(database)
            await Projects(database).ensure_tenant(TENANT_ID, TENANT_ID.removeprefix(PREFIXES["tenant"] + "_"))
            return await act(database)

    try:
        return asyncio.run(run(settings_from(os.environ, data_dir=data_dir)))
    except AppError as error:
        refuse(error.message)


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
    may = " ".join(key.details.get("allowedOrigins", ())) if key.kind == PUBLIC else " ".join(key.scopes)
    return (
        f"{key.key_id}  {key.kind:6}  {key.prefix}...  {key.project_id or 'all projects'}  {may}  {state}  {key.name}"
    )
