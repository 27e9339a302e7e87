"""A project whose sessions each have a host of their own."""

from __future__ import annotations

from actors.projects import Seeded, put_project
from storage.database import Database
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.projects import Projects
from tests.suites.host import FILES

NAME = "kept apart"


async def put_apart(database: Database) -> Seeded:
    """Store the project and, once, its deployment with dedicated placement."""
    seeded = await put_project(database, NAME, FILES)
    project = await Projects(database).get(seeded.tenant_id, seeded.project_id)
    if not await Deployments(database).list(seeded.tenant_id, seeded.project_id):
        new = NewDeployment(
            deployment_id="dep_apart",
            project_id=seeded.project_id,
            environment="production",
            endpoint_slug="apart",
            entry_agent_name="Echo",
            program_id=str(project.settings["programId"]),
            agent_version_manifest={},
            details={"placement": "dedicated"},
        )
        await Deployments(database).create(seeded.tenant_id, new)
    return seeded
