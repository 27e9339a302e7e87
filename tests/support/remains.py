"""Looks for a text in everything that a database holds, in whatever form it was written."""

from __future__ import annotations

import zlib
from collections import Counter
from contextlib import suppress
from typing import Any

import msgspec

from domain.errors import AppError
from storage.database import Database
from storage.frames import expand
from storage.statements import Statement

TABLES = Statement("""
    SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND NOT c.relispartition ORDER BY 1
""")


async def remains(database: Database, text: str) -> Counter[str]:
    """Return table -> how many of its rows hold a text, squeezed values unpacked."""
    wanted, found = text.encode(), Counter[str]()
    for table in await database.rows(TABLES):
        for row in await database.rows(Statement(f'SELECT * FROM "{table["name"]}"')):
            found[table["name"]] += any(wanted in one for value in row.values() for one in forms(value))
    return +found


def forms(value: Any) -> list[bytes]:
    """Return a value as bytes, as it stands and as it was before it was packed."""
    if isinstance(value, str):
        return [value.encode()]
    if isinstance(value, bytes):
        forms = [value]
        with suppress(AppError, zlib.error):
            forms.append(expand(value))
        return forms
    return [msgspec.json.encode(value, enc_hook=str)]
