"""The servers of the run, and the loop that the product runs on."""

from tests.flows_gateway.conftest import anyio_backend, coordination, database, servers, tenant_id

__all__ = ["anyio_backend", "coordination", "database", "servers", "tenant_id"]
