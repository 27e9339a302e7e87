"""Seals and opens values of tenants with their data keys, makes those when first needed, and changes keys under way."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING, NamedTuple

from domain.errors import LastingOutage, Unavailable
from storage.crypto import (
    VERSION_BYTES,
    MasterKeys,
    NoMasterKey,
    Unopenable,
    Wrapped,
    new_data_key,
    open_sealed,
    seal,
)
from storage.statements import Statement

if TYPE_CHECKING:
    from storage.database import Connection, Database

KEYS_HELD = 2_000
KEYS_HELD_S = 60.0
"""How long a key is used before it is looked up again: so long may one be used that another process has destroyed."""
LOOKING_UP_S = 10.0
"""How long the others use what is held while one looks it up again."""
FIRST_VERSION = 1

FIND = Statement(
    """
    SELECT version, key_id, master_id, wrapped FROM tenant_keys
    WHERE tenant_id = :tenant_id AND (:version::int IS NULL OR version = :version) ORDER BY version DESC LIMIT 1
""",
    is_repeatable=True,
)
KEEP = Statement("""
    INSERT INTO tenant_keys (tenant_id, version, master_id, wrapped) VALUES (:tenant_id, :version, :master_id, :wrapped)
    ON CONFLICT (tenant_id, version) DO NOTHING
""")
UNDER_OTHERS = Statement("""
    SELECT tenant_id, version, master_id, wrapped FROM tenant_keys
    WHERE master_id <> :master_id AND (tenant_id, version) > (:after_tenant, :after_version::int)
    ORDER BY tenant_id, version LIMIT :limit
""")
MASTERS = Statement("SELECT master_id, count(DISTINCT tenant_id) AS tenants FROM tenant_keys GROUP BY master_id")
REPLACE = Statement("""
    UPDATE tenant_keys SET master_id = :master_id, wrapped = :wrapped
    WHERE tenant_id = :tenant_id AND version = :version AND master_id = :before
""")
REWRAPPED_AT_ONCE = 100


class DataKey(NamedTuple):
    """A data key as it is held.

    Attributes:
        key_id: What no other key was ever called; versions come again when a tenant does.
        until_s: Until then, on the clock of this process, it needs no looking up.
    """

    version: int
    key: bytes
    key_id: bytes
    until_s: float


class Vault:
    """The data keys of all tenants. Without master keys everything is refused."""

    def __init__(self, database: Database, master_keys: MasterKeys | None) -> None:
        self._database = database
        self._master_keys = master_keys
        self._held: OrderedDict[tuple[str, int | None], DataKey] = OrderedDict()

    @property
    def has_master_key(self) -> bool:
        """Whether anything can be sealed at all."""
        return bool(self._master_keys)

    @property
    def master_ids(self) -> Sequence[bytes]:
        """What names the master keys that are configured."""
        return tuple(self._master_keys.ids) if self._master_keys is not None else ()

    async def seal(self, tenant_id: str, value: bytes, about: Sequence[str], over: Connection | None = None) -> bytes:
        """Return the value sealed under the tenant's newest key; it opens only for the tenant and the same `about`.

        Raises:
            NoMasterKey: There is none.
        """
        version, key, *_ = await self.data_key(tenant_id, None, over)
        return version.to_bytes(VERSION_BYTES, "big") + seal(key, value, (tenant_id, *about))

    async def open(self, tenant_id: str, sealed: bytes, about: Sequence[str], over: Connection | None = None) -> bytes:
        """Return a value that `seal` was given.

        Raises:
            Unopenable: It was changed, is about something else, or its key is gone.
            NoMasterKey: There is none.
        """
        _, key, *_ = await self.data_key(tenant_id, int.from_bytes(sealed[:VERSION_BYTES], "big"), over)
        return open_sealed(key, sealed[VERSION_BYTES:], (tenant_id, *about))

    async def data_key(self, tenant_id: str, version: int | None = None, over: Connection | None = None) -> DataKey:
        """Return a data key of the tenant, the newest one when none is named; that is made when there is none.

        Each is looked up again after a while: one that was destroyed is forgotten, and a newer one found. One caller
        does that while the others use what is held, and so do all of them while the database is away.

        Args:
            over: What to look it up through, for whoever holds a connection and must not wait for another.

        Raises:
            Unopenable: There is no such key, or it lies under a master key that is not configured.
            NoMasterKey: There is none.
        """
        name = (tenant_id, version)
        held = self._held.get(name)
        if held is not None:
            if monotonic() < held.until_s:
                self._held.move_to_end(name)
                return held
            self._hold(name, held._replace(until_s=monotonic() + LOOKING_UP_S))
        try:
            found = await self._look_up(tenant_id, version, over or self._database)
        except LastingOutage:
            self._held.pop(name, None)
            raise
        except Unavailable:
            if held is None:
                raise
            return held
        self._hold(name, found)
        self._hold((tenant_id, found.version), found)
        return found

    def forget(self, tenant_id: str) -> None:
        """Look all keys of a tenant up again before they are used: one of them does not stand any more."""
        for name in [name for name in self._held if name[0] == tenant_id]:
            del self._held[name]

    async def renew(self, tenant_id: str) -> int:
        """Give the tenant a new data key, under which what follows is sealed; return its version."""
        row = await self._database.row(FIND, tenant_id=tenant_id, version=None)
        version = row["version"] + 1 if row else FIRST_VERSION
        await self._make(tenant_id, version)
        self._held.pop((tenant_id, None), None)
        return int(version)

    async def unknown_masters(self) -> str:
        """Return a sentence about data keys that lie under master keys which are not configured, "" when none do."""
        counts = {bytes(row["master_id"]): int(row["tenants"]) for row in await self._database.rows(MASTERS)}
        unknown = Counter({one: count for one, count in counts.items() if one not in self._keys()})
        if not unknown:
            return ""
        return f"Sessions and secrets of some tenants cannot be read here: {_under(unknown)}. Add these master keys."

    async def rewrap(self) -> int:
        """Wrap every data key that lies under an older master key with the current one; return how many there were.

        Afterwards the older master key is not needed any more. Sealed values stay as they are.

        Raises:
            Unopenable: Some lie under a master key that is not among these; all others have been wrapped.
            NoMasterKey: There is none.
        """
        keys, done = self._keys(), 0
        tenant_id, version = "", 0
        foreign: Counter[bytes] = Counter()
        while rows := await self._database.rows(
            UNDER_OTHERS,
            master_id=keys.current_id,
            after_tenant=tenant_id,
            after_version=version,
            limit=REWRAPPED_AT_ONCE,
        ):
            for row in rows:
                tenant_id, version = row["tenant_id"], row["version"]
                if row["master_id"] not in keys:
                    foreign[row["master_id"]] += 1
                    continue
                about = (tenant_id, str(version))
                wrapped = keys.wrap(keys.unwrap(Wrapped(row["master_id"], row["wrapped"]), about), about)
                done += await self._database.execute(
                    REPLACE,
                    tenant_id=tenant_id,
                    version=version,
                    before=row["master_id"],
                    master_id=wrapped.master_id,
                    wrapped=wrapped.sealed,
                )
        if foreign:
            raise Unopenable(f"{done} data keys wrapped anew. {_not_configured(foreign)}")
        return done

    def _keys(self) -> MasterKeys:
        if self._master_keys is None:
            raise NoMasterKey
        return self._master_keys

    async def _look_up(self, tenant_id: str, version: int | None, over: Database | Connection) -> DataKey:
        keys = self._keys()
        row = await over.row(FIND, tenant_id=tenant_id, version=version)
        if row is None and version is None:
            await self._make(tenant_id, FIRST_VERSION)
            row = await over.row(FIND, tenant_id=tenant_id, version=None)
        if row is None:
            raise Unopenable(f"The tenant has no key of version {version or FIRST_VERSION}.")
        found = int(row["version"])
        key = keys.unwrap(Wrapped(row["master_id"], row["wrapped"]), (tenant_id, str(found)))
        return DataKey(found, key, row["key_id"], monotonic() + KEYS_HELD_S)

    def _hold(self, name: tuple[str, int | None], held: DataKey) -> None:
        self._held[name] = held
        self._held.move_to_end(name)
        while len(self._held) > KEYS_HELD:
            self._held.popitem(last=False)

    async def _make(self, tenant_id: str, version: int) -> None:
        wrapped = self._keys().wrap(new_data_key(), (tenant_id, str(version)))
        await self._database.execute(
            KEEP, tenant_id=tenant_id, version=version, master_id=wrapped.master_id, wrapped=wrapped.sealed
        )


def _not_configured(foreign: Counter[bytes]) -> str:
    return (
        f"Left as they are, because their master keys are not configured: {_under(foreign)}. Add those and try again."
    )


def _under(foreign: Counter[bytes]) -> str:
    return ", ".join(f"{count} under {master_id.hex()}" for master_id, count in foreign.items())
