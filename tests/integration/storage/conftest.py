"""The servers of the run, and what is opened on them for each test."""

from __future__ import annotations

from tests.support.servers import (
    anyio_backend,
    coordination,
    database,
    folder,
    journal,
    leases,
    servers,
    tenant_id,
)

__all__ = [
    "anyio_backend",
    "coordination",
    "database",
    "folder",
    "journal",
    "leases",
    "servers",
    "tenant_id",
]
