"""The database of the run."""

from tests.support.servers import data_folder, servers

__all__ = ["data_folder", "servers"]
