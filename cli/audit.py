"""`abl audit verify`: whether every entry of the audit log is the one that was written. Spec: platform-api 14.7."""

from __future__ import annotations

from actors.clocks import RandomIds, SystemClock
from cli.database import with_database
from cli.output import CLEAN, refuse
from storage.database import Database
from storage.repositories.audit import AuditLog

BROKEN = 1


def verify_audit(*, tenant: str, data_dir: str) -> int:
    """Follow the chain of hashes of one tenant or of all; return the exit status, 1 when an entry is not as it was."""

    async def act(database: Database) -> int:
        return await _verified(AuditLog(database, SystemClock(), RandomIds()), tenant)

    return with_database(data_dir, act)


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
