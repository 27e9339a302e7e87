"""`abl audit verify`: whether every entry of the audit log is the one that was written. Spec: platform-api 14.7."""

from __future__ import annotations

import asyncio
import os

from actors.clocks import RandomIds, SystemClock
from cli.database import opened
from cli.environment import settings_from
from cli.output import CLEAN, refuse
from domain.errors import AppError
from storage.migrate import migrate
from storage.repositories.audit import AuditLog

BROKEN = 1


def verify_audit(*, tenant: str, data_dir: str) -> int:
    """Follow the chain of hashes of one tenant or of all; return the exit status, 1 when an entry is not as it was."""

    async def run() -> int:
        async with opened(settings_from(os.environ, data_dir=data_dir)) as database:
            await migrate(database)
            log = AuditLog(database, SystemClock(), RandomIds())
            return await _verified(log, tenant)

    try:
        return asyncio.run(run())
    except AppError as error:
        refuse(error.message)


async def _verified(log: AuditLog, tenant: str) -> int:
    heads = await log.heads()
    if tenant and tenant not in heads:
        refuse(f"{tenant} has no audit log")
    broken = 0
    for tenant_id in [tenant] if tenant else heads:
        number = await log.broken_at(tenant_id)
        if number is None:
            print(f"{tenant_id}: unbroken, {heads[tenant_id]} entries written so far")
            continue
        broken += 1
        print(f"{tenant_id}: broken at entry {number}")
    if not heads:
        print("no entries")
    return BROKEN if broken else CLEAN
