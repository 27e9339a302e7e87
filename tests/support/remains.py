"""Looks for a text in everything that a database holds, in whatever form it was written."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec

from domain.errors import AppError
from storage.blobs.port import piece_key
from storage.contents import SEALED
from storage.database import Database, Row
from storage.frames import expand
from storage.keys import session_key
from storage.repositories.memory import place_key
from storage.statements import Statement

TABLES = Statement("""
    SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1
""")


TENANTS = Statement("SELECT DISTINCT tenant_id FROM tenant_keys")


async def remains(database: Database, text: str) -> Counter[str]:
    """Return table -> how many of its rows hold a text, sealed values opened and squeezed ones unpacked."""
    wanted, found = text.encode(), Counter[str]()
    async for table, row in everything(database):
        found[table] += any(wanted in one for value in row for one in value)
    return +found


async def everything(database: Database) -> AsyncIterator[tuple[str, list[list[bytes]]]]:
    """Yield (table, values) of every row; a value as bytes: as it stands, and as it was before it was sealed or packed.

    Sealed values are opened with the keys that this database was opened with.
    """
    tenants = [row["tenant_id"] for row in await database.rows(TENANTS)]
    for table in await database.rows(TABLES):
        for row in await database.rows(Statement(f'SELECT * FROM "{table["name"]}"')):
            keys = [(tenant, scope) for tenant in tenants for scope in _scopes(tenant, row)]
            yield table["name"], [await _forms(database, keys, value) for value in row.values()]


def _scopes(tenant_id: str, row: Row) -> list[bytes]:
    """Return what a value of a row may have been sealed for."""
    has = set(row.keys()).__contains__
    scopes = [row[name] for name in ("session_key", "blob_hash") if has(name) and row[name] is not None]
    if has("session_id"):
        scopes.append(session_key(tenant_id, row["session_id"]))
    if has("path") and has("project_id"):
        scopes.append(place_key(row["project_id"], row["path"]))
    if has("blob_id"):
        scopes.append(piece_key(row["owner_id"], row["blob_id"], row["number"]))
    return scopes


async def _forms(database: Database, keys: Sequence[tuple[str, bytes]], value: Any) -> list[bytes]:
    if isinstance(value, str):
        return [value.encode()]
    if not isinstance(value, bytes):
        return [msgspec.json.encode(value, enc_hook=str)]
    forms = [value]
    for tenant_id, scope in keys if value.startswith(SEALED) else ():
        with suppress(AppError):
            forms.append(await database.contents.opened(tenant_id, scope, value))
    with suppress(AppError, zlib.error):
        forms.append(expand(forms[-1]))
    return forms
