"""The models that a project takes, among its settings. Spec: platform-api 14.5."""

from __future__ import annotations

from domain.errors import NotFound
from domain.json_values import JsonObject
from storage.database import Connection
from storage.statements import Statement

PUT = Statement("""
    UPDATE projects SET settings = jsonb_set(settings, '{models}', :models::jsonb), updated_at = clock_timestamp()
    WHERE tenant_id = :tenant_id AND project_id = :project_id
""")


async def put_project_models(connection: Connection, tenant_id: str, project_id: str, models: JsonObject) -> None:
    """Put a project's models in the place of the last ones. Raises NotFound."""
    if not await connection.execute(PUT, tenant_id=tenant_id, project_id=project_id, models=models):
        raise NotFound("Project not found")
