"""A project whose sessions each have a host of their own."""

from __future__ import annotations

from collections.abc import Mapping

from actors.projects import Seeded, put_project
from storage.database import Database
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.projects import Projects
from tests.suites.host import FILES

NAME = "kept apart"


async def put_apart(database: Database, files: Mapping[str, str] = FILES, name: str = NAME) -> Seeded:
    """Store the project and, once, its deployment with dedicated placement."""
    seeded = await put_project(database, name, files)
    project = await Projects(database).get(seeded.tenant_id, seeded.project_id)
    if not await Deployments(database).list(seeded.tenant_id, seeded.project_id):
        new = NewDeployment(
            deployment_id=f"dep_{name}",
            project_id=seeded.project_id,
            environment="production",
            endpoint_slug=name,
            entry_agent_name=project.entry_agent_name or seeded.agents[0],
            program_id=project.program_id,
            agent_version_manifest={},
            details={"placement": "dedicated"},
        )
        await Deployments(database).create(seeded.tenant_id, new)
    return seeded
