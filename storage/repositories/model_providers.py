"""Providers of chat models that tenants bring, with their keys sealed; only `resolve` opens these. Spec: 14.5."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from msgspec import Struct, field

from domain.errors import Conflict, NotFound
from domain.json_values import JsonObject
from domain.models import destination
from storage.database import Connection, Database, Row
from storage.errors import CHANGED_MEANWHILE
from storage.statements import Statement
from storage.vault import Vault

FIRST_VERSION = 1

_META = """
    provider_id, project_id, name, kind, base_url, models, options, default_model, is_default, version,
    sealed IS NOT NULL AS has_key, created_at, updated_at
"""

CREATE = Statement(f"""
    INSERT INTO model_providers (
        tenant_id, provider_id, project_id, name, kind, base_url, sealed, models, options, default_model,
        is_default
    ) VALUES (
        :tenant_id, :provider_id, :project_id, :name, :kind, :base_url, :sealed, :models, :options, :default_model,
        :is_default
    )
    RETURNING {_META}
""")
UPDATE = Statement(f"""
    UPDATE model_providers SET name = :name, kind = :kind, base_url = :base_url, models = :models, options = :options,
        default_model = :default_model, is_default = :is_default, sealed = :sealed, version = version + 1,
        updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND provider_id = :provider_id AND version = :version
    RETURNING {_META}
""")
ONLY_DEFAULT = Statement("""
    UPDATE model_providers SET is_default = false
    WHERE tenant_id = :tenant_id AND project_id IS NOT DISTINCT FROM :project_id AND provider_id <> :provider_id
      AND is_default
""")
DELETE = Statement("DELETE FROM model_providers WHERE tenant_id = :tenant_id AND provider_id = :provider_id")
FIND = Statement(f"""
    SELECT {_META}, sealed FROM model_providers WHERE tenant_id = :tenant_id AND provider_id = :provider_id
""")
HOLD = Statement(f"""
    SELECT {_META}, sealed FROM model_providers
    WHERE tenant_id = :tenant_id AND provider_id = :provider_id FOR UPDATE
""")
OF_PROJECT = Statement(f"""
    SELECT {_META}, sealed FROM model_providers
    WHERE tenant_id = :tenant_id AND (project_id IS NULL OR project_id = :project_id)
    ORDER BY project_id NULLS LAST, created_at, provider_id
""")


class NewProvider(Struct, frozen=True, kw_only=True):
    """A provider to keep.

    Attributes:
        project_id: None for all projects of the tenant.
        models: Objects of platform-api 14.5: `{id, family?, contextWindow?, inputPricePerMTok?, ...}`.
        default_model: What is asked of it where nobody names a model; empty for the first that it has.
        is_default: It is asked where nobody names a provider; of several that say so the oldest that has a model.
    """

    name: str
    kind: str
    project_id: str | None = None
    base_url: str = ""
    models: tuple[JsonObject, ...] = ()
    options: JsonObject = field(default_factory=dict)
    default_model: str = ""
    is_default: bool = False


class ProviderMeta(NewProvider, frozen=True, kw_only=True):
    """A provider without its key."""

    provider_id: str
    version: int
    has_key: bool
    created_at: datetime
    updated_at: datetime


class OpenProvider:
    """A provider with its key, which never prints itself."""

    __slots__ = ("api_key", "meta")

    def __init__(self, meta: ProviderMeta, api_key: str) -> None:
        self.meta = meta
        self.api_key = api_key

    def __repr__(self) -> str:
        return f"OpenProvider({self.meta.provider_id})"


class ModelProviders:
    """The providers of all tenants."""

    def __init__(self, database: Database, vault: Vault) -> None:
        self._database = database
        self._vault = vault

    async def create(
        self,
        tenant_id: str,
        provider_id: str,
        provider: NewProvider,
        api_key: str | None = None,
        connection: Connection | None = None,
    ) -> ProviderMeta:
        """Keep a provider. Raises Duplicate for a name that is taken, and Unavailable without a master key."""
        row = await (connection or self._database).row(
            CREATE,
            tenant_id=tenant_id,
            provider_id=provider_id,
            project_id=provider.project_id,
            name=provider.name,
            kind=provider.kind,
            base_url=provider.base_url,
            sealed=await self._sealed(tenant_id, provider_id, provider.project_id, FIRST_VERSION, api_key, connection),
            models=list(provider.models),
            options=provider.options,
            default_model=provider.default_model,
            is_default=provider.is_default,
        )
        assert row is not None
        return _meta(row)

    async def make_only_default(self, connection: Connection, tenant_id: str, meta: ProviderMeta) -> None:
        """Have no other provider of its tenant, or of its project, be the default."""
        named = {"project_id": meta.project_id, "provider_id": meta.provider_id}
        await connection.execute(ONLY_DEFAULT, tenant_id=tenant_id, **named)

    async def update(
        self,
        tenant_id: str,
        provider_id: str,
        provider: NewProvider,
        api_key: str | None = None,
        connection: Connection | None = None,
    ) -> ProviderMeta:
        """Change everything but the project; an empty text removes the key, None keeps the one that is there.

        A key is for one server: where kind, scheme, host or port change, None removes it.

        Raises:
            NotFound: There is no such provider.
            Duplicate: The name is taken.
            Conflict: Somebody else has changed it meanwhile.
            Unavailable: There is no master key.
        """
        last = await self._open(await self._row(tenant_id, provider_id, connection), tenant_id, connection)
        meta = last.meta
        key = api_key if api_key is not None else _kept_key(last, provider)
        row = await (connection or self._database).row(
            UPDATE,
            tenant_id=tenant_id,
            provider_id=provider_id,
            version=meta.version,
            name=provider.name,
            kind=provider.kind,
            base_url=provider.base_url,
            sealed=await self._sealed(tenant_id, provider_id, meta.project_id, meta.version + 1, key, connection),
            models=list(provider.models),
            options=provider.options,
            default_model=provider.default_model,
            is_default=provider.is_default,
        )
        if row is None:
            raise Conflict("The provider was changed at the same time; try again", details=CHANGED_MEANWHILE)
        return _meta(row)

    async def get(self, tenant_id: str, provider_id: str) -> ProviderMeta:
        """Return what is known of a provider. Raises NotFound."""
        return _meta(await self._row(tenant_id, provider_id))

    async def hold(self, connection: Connection, tenant_id: str, provider_id: str) -> ProviderMeta:
        """Return what is known of a provider, which nobody else changes until the transaction ends. Raises NotFound."""
        return _meta(_there(await connection.row(HOLD, tenant_id=tenant_id, provider_id=provider_id)))

    async def list(self, tenant_id: str, project_id: str | None = None) -> Sequence[ProviderMeta]:
        """Return a tenant's providers and those of the project, the project's first."""
        rows = await self._database.rows(OF_PROJECT, tenant_id=tenant_id, project_id=project_id)
        return [_meta(row) for row in rows]

    async def resolve(self, tenant_id: str, project_id: str) -> Sequence[OpenProvider]:
        """Return the providers that a project's calls may use, with their keys, the project's own first.

        Raises:
            Unopenable: A key cannot be opened.
        """
        rows = await self._database.rows(OF_PROJECT, tenant_id=tenant_id, project_id=project_id)
        return [await self._open(row, tenant_id) for row in rows]

    async def delete(self, tenant_id: str, provider_id: str, connection: Connection | None = None) -> bool:
        """Remove a provider; return False when there is none."""
        return bool(await (connection or self._database).execute(DELETE, tenant_id=tenant_id, provider_id=provider_id))

    async def _row(self, tenant_id: str, provider_id: str, connection: Connection | None = None) -> Row:
        source = connection or self._database
        return _there(await source.row(FIND, tenant_id=tenant_id, provider_id=provider_id))

    async def _open(self, row: Row, tenant_id: str, over: Connection | None = None) -> OpenProvider:
        meta = _meta(row)
        if row["sealed"] is None:
            return OpenProvider(meta, "")
        about = _about(meta.project_id, meta.provider_id, meta.version)
        return OpenProvider(meta, (await self._vault.open(tenant_id, row["sealed"], about, over)).decode())

    async def _sealed(
        self,
        tenant_id: str,
        provider_id: str,
        project_id: str | None,
        version: int,
        key: str | None,
        over: Connection | None,
    ) -> bytes | None:
        if not key:
            return None
        return await self._vault.seal(tenant_id, key.encode(), _about(project_id, provider_id, version), over)


def _there(row: Row | None) -> Row:
    if row is None:
        raise NotFound("Provider not found")
    return row


def _kept_key(last: OpenProvider, provider: NewProvider) -> str:
    before = destination(last.meta.kind, last.meta.base_url)
    return last.api_key if destination(provider.kind, provider.base_url) == before else ""


def _about(project_id: str | None, provider_id: str, version: int) -> tuple[str, ...]:
    """Return what a key is bound to beside its tenant: it can neither be moved, nor an old one be put back."""
    return ("model_provider", project_id or "", provider_id, str(version))


def _meta(row: Row) -> ProviderMeta:
    values = {name: row[name] for name in ProviderMeta.__struct_fields__}
    return ProviderMeta(**{**values, "models": tuple(row["models"])})
