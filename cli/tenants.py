"""`abl tenants`: who shares an installation, made with an owner each, with limits of their own."""

from __future__ import annotations

from collections.abc import Sequence

from actors.clocks import RandomIds, SystemClock
from actors.tenants import TenantDesk
from cli.database import with_database
from cli.output import CLEAN, command, refuse
from domain.audit import Actor, Initiator
from domain.errors import NotFound
from domain.rates import OF_INSTANCE, RATES, SPELLED
from storage.database import Database
from storage.repositories.audit import AuditLog
from storage.repositories.tenants import TenantRecord, Tenants

BY = Initiator(Actor("system", "cli", "abl tenants"))
LIMITS = tuple(spelled for spelled, name in SPELLED.items() if name != OF_INSTANCE)


def list_tenants(*, data_dir: str) -> int:
    """Print the tenants, the oldest first; return the exit status."""

    async def act(database: Database) -> int:
        for one in await Tenants(database).list():
            print(_line(one))
        return CLEAN

    return with_database(data_dir, act)


def create_tenant(*, name: str, owner: str, data_dir: str) -> int:
    """Make a tenant with its owner and print the owner's password once; return the exit status."""
    if not name.strip():
        refuse(f"say how the tenant is called: {command()} tenants create NAME --owner EMAIL")
    if "@" not in owner.strip("@"):
        refuse("--owner is the email that the owner logs in with")

    async def act(database: Database) -> int:
        made, password = await _desk(database).create(name, owner, BY)
        print(_line(made))
        print(
            f"{owner} {password}\nThe password is shown this once: POST /api/auth/login, then POST /api/auth/password."
        )
        return CLEAN

    return with_database(data_dir, act)


def limit_tenant(tenant: str, given: Sequence[str], *, data_dir: str) -> int:
    """Give a tenant limits of its own, or print those it has; return the exit status."""
    changes: dict[str, int | None] = {}
    for one in given:
        name, _, number = one.partition("=")
        if name not in LIMITS or not (number.isdecimal() or (not number and "=" in one)):
            refuse(
                f"a limit is NAME=NUMBER, 0 for none, NAME= for the installation's; of {', '.join(LIMITS)}; not {one}"
            )
        changes[name] = int(number) if number else None

    async def act(database: Database) -> int:
        known = next((one for one in await Tenants(database).list() if tenant in (one.tenant_id, one.name)), None)
        if known is None:
            raise NotFound(f"there is no tenant {tenant}; {command()} tenants list shows them")
        rates = {**known.settings.get(RATES, {}), **changes}
        kept = {name: number for name, number in rates.items() if number is not None}
        if changes:
            await _desk(database).set_rates(known, kept, BY)
        print(_line(TenantRecord(known.tenant_id, known.name, {**known.settings, RATES: kept}, known.owner)))
        return CLEAN

    return with_database(data_dir, act)


def _desk(database: Database) -> TenantDesk:
    ids = RandomIds()
    return TenantDesk(database, AuditLog(database, SystemClock(), ids), ids)


def _line(tenant: TenantRecord) -> str:
    own = " ".join(f"{name}={number}" for name, number in sorted(tenant.settings.get(RATES, {}).items()))
    return f"{tenant.tenant_id}  {tenant.name}  {tenant.owner or 'no owner'}  {own or 'limits of the installation'}"
