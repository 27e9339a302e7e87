"""The database of the run."""

from tests.support.servers import servers

__all__ = ["servers"]
