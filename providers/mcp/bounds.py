"""What connections to MCP servers are bounded by, per process."""

from __future__ import annotations

from typing import Final

CONNECTIONS_MAX: Final = 64
CALLS_PER_CONNECTION: Final = 64
TOOLS_MAX: Final = 1_000
RESULT_MAX_BYTES: Final = 1 << 20
STREAM_MAX_BYTES: Final = 8 * RESULT_MAX_BYTES
CONNECT_S: Final = 10.0
CALL_MAX_S: Final = 600.0
"""A request that nobody waits for any more is cut after this time."""
IDLE_S: Final = 300.0
CLOSE_S: Final = 8.0
"""A server program has 2 s to end by itself, 2 s after SIGTERM, 2 s after SIGKILL."""
ATTEMPTS: Final = 5
"""Of one call: how often a connection is tried, and a repeatable call repeated."""
ERROR_CHARS: Final = 500
