"""Where sessions are: on which host one is, and a project whose sessions each have a host of their own."""

from __future__ import annotations

from collections.abc import Mapping

from actors.projects import Seeded, put_project
from storage.database import Database
from storage.repositories.deployments import Deployments, NewDeployment
from storage.repositories.projects import Projects
from storage.statements import Statement
from tests.suites.host import FILES

NAME = "kept apart"
OWNER_EPOCH = Statement(
    "SELECT owner_epoch FROM session_heads WHERE session_key = session_key(:tenant_id, :session_id)"
)
WRITTEN_BY = Statement("""
    SELECT o.host_id, o.epoch FROM session_heads h JOIN hosts o ON o.epoch = h.owner_epoch
    WHERE h.session_key = session_key(:tenant_id, :session_id)
""")


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


async def written_by(database: Database, tenant_id: str, session_id: str) -> tuple[str, int]:
    """Return host and epoch of the lease under which a session is written.

    Whether the lease runs at this moment is not asked: on a busy machine a host may renew it late.
    """
    row = await database.row(WRITTEN_BY, tenant_id=tenant_id, session_id=session_id)
    assert row is not None, f"no host has {session_id}"
    return row["host_id"], row["epoch"]
