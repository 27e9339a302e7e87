"""The models that a project takes, among its settings. Spec: platform-api 14.5."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from domain.errors import NotFound
from domain.json_values import JsonObject
from domain.models import without_provider
from storage.database import Connection
from storage.statements import Statement

PUT = Statement("""
    UPDATE projects SET settings = jsonb_set(settings, '{models}', :models::jsonb), updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id
""")
OF_TENANT = Statement("""
    SELECT project_id, settings -> 'models' AS models FROM projects p
    WHERE tenant_id = :tenant_id AND jsonb_typeof(settings -> 'models') = 'object' AND NOT EXISTS (
        SELECT FROM model_providers own
        WHERE own.tenant_id = p.tenant_id AND own.project_id = p.project_id AND own.name = :provider
    )
    ORDER BY project_id FOR UPDATE
""")


async def clear_provider(
    connection: Connection, tenant_id: str, provider: str, own: Collection[str]
) -> Mapping[str, JsonObject]:
    """Take out of the projects of a tenant what names its provider; return the models of those that it has changed.

    `own` are names of models that only this provider lists. A project that has a provider of this name means its own.
    """
    changed: dict[str, JsonObject] = {}
    for row in await connection.rows(OF_TENANT, tenant_id=tenant_id, provider=provider):
        kept = without_provider(row["models"], provider, own)
        if kept != row["models"]:
            changed[row["project_id"]] = kept
            await put_project_models(connection, tenant_id, row["project_id"], kept)
    return changed


async def put_project_models(connection: Connection, tenant_id: str, project_id: str, models: JsonObject) -> None:
    """Put a project's models in the place of the last ones. Raises NotFound."""
    if not await connection.execute(PUT, tenant_id=tenant_id, project_id=project_id, models=models):
        raise NotFound("Project not found")
