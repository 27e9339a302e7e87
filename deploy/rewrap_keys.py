"""Puts the data keys of all tenants under the first of `ABL_MASTER_KEYS`; afterwards the others are not needed.

    DATABASE_URL=postgresql://... ABL_MASTER_KEYS=NEW,OLD python deploy/rewrap_keys.py

Prints how many there were. Sealed values stay as they are; the product may run meanwhile if it has both keys.
"""

from __future__ import annotations

import asyncio
import os
import sys

from storage.crypto import MasterKeys
from storage.database import Database
from storage.vault import Vault


async def rewrap(database_url: str, master_keys: str) -> int:
    """Return how many data keys were put under the first master key.

    Raises:
        AppError: The database is not to be reached, or a key lies under a master key that is not among these.
    """
    database = await Database.open(database_url)
    try:
        return await Vault(database, MasterKeys.parse(master_keys)).rewrap()
    finally:
        await database.close()


if __name__ == "__main__":
    sys.stdout.write(f"{asyncio.run(rewrap(os.environ['DATABASE_URL'], os.environ['ABL_MASTER_KEYS']))}\n")
