"""Seals and opens values of tenants with their data keys, makes those when first needed, and changes keys under way."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Sequence

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
from storage.database import Database
from storage.statements import Statement

KEYS_HELD = 1_000

FIND = Statement("""
    SELECT version, master_id, wrapped FROM tenant_keys
    WHERE tenant_id = :tenant_id AND (:version::int IS NULL OR version = :version) ORDER BY version DESC LIMIT 1
""")
KEEP = Statement("""
    INSERT INTO tenant_keys (tenant_id, version, master_id, wrapped) VALUES (:tenant_id, :version, :master_id, :wrapped)
    ON CONFLICT (tenant_id, version) DO NOTHING
""")
UNDER_OTHERS = Statement("""
    SELECT tenant_id, version, master_id, wrapped FROM tenant_keys
    WHERE master_id <> :master_id AND (tenant_id, version) > (:after_tenant, :after_version::int)
    ORDER BY tenant_id, version LIMIT :limit
""")
REPLACE = Statement("""
    UPDATE tenant_keys SET master_id = :master_id, wrapped = :wrapped
    WHERE tenant_id = :tenant_id AND version = :version AND master_id = :before
""")
REWRAPPED_AT_ONCE = 100


class Vault:
    """The data keys of all tenants. Without master keys everything is refused."""

    def __init__(self, database: Database, master_keys: MasterKeys | None) -> None:
        self._database = database
        self._master_keys = master_keys
        self._held: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self._newest: dict[str, int] = {}

    @property
    def has_master_key(self) -> bool:
        """Whether anything can be sealed at all."""
        return bool(self._master_keys)

    async def seal(self, tenant_id: str, value: bytes, about: Sequence[str]) -> bytes:
        """Return the value sealed under the tenant's newest key; it opens only for the tenant and the same `about`.

        Raises:
            NoMasterKey: There is none.
        """
        version, key = await self._key(tenant_id, self._newest.get(tenant_id))
        return version.to_bytes(VERSION_BYTES, "big") + seal(key, value, (tenant_id, *about))

    async def open(self, tenant_id: str, sealed: bytes, about: Sequence[str]) -> bytes:
        """Return a value that `seal` was given.

        Raises:
            Unopenable: It was changed, is about something else, or its key is gone.
            NoMasterKey: There is none.
        """
        _, key = await self._key(tenant_id, int.from_bytes(sealed[:VERSION_BYTES], "big"))
        return open_sealed(key, sealed[VERSION_BYTES:], (tenant_id, *about))

    async def renew(self, tenant_id: str) -> int:
        """Give the tenant a new data key, under which what follows is sealed; return its version."""
        row = await self._database.row(FIND, tenant_id=tenant_id, version=None)
        version = row["version"] + 1 if row else 1
        await self._make(tenant_id, version)
        self._newest[tenant_id] = version
        return version

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

    async def _key(self, tenant_id: str, version: int | None) -> tuple[int, bytes]:
        """Return a data key with its version; None is the newest one, made when there is none."""
        if version is not None and (held := self._held.get((tenant_id, version))) is not None:
            self._held.move_to_end((tenant_id, version))
            return version, held
        keys = self._keys()
        row = await self._database.row(FIND, tenant_id=tenant_id, version=version)
        if row is None and version is not None:
            raise Unopenable(f"The tenant has no key of version {version}.")
        if row is None:
            await self._make(tenant_id, 1)
            return await self._key(tenant_id, None)
        found = int(row["version"])
        key = keys.unwrap(Wrapped(row["master_id"], row["wrapped"]), (tenant_id, str(found)))
        self._held[tenant_id, found] = key
        if version is None:
            self._newest[tenant_id] = found
        while len(self._held) > KEYS_HELD:
            (gone, _), _ = self._held.popitem(last=False)
            self._newest.pop(gone, None)
        return found, key

    async def _make(self, tenant_id: str, version: int) -> None:
        wrapped = self._keys().wrap(new_data_key(), (tenant_id, str(version)))
        await self._database.execute(
            KEEP, tenant_id=tenant_id, version=version, master_id=wrapped.master_id, wrapped=wrapped.sealed
        )


def _not_configured(foreign: Counter[bytes]) -> str:
    keys = ", ".join(f"{count} under {master_id.hex()}" for master_id, count in foreign.items())
    return f"Left as they are, because their master keys are not configured: {keys}. Add those and try again."
