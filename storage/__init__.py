"""Everything that survives a restart. `open_storage` gives all of it; what may be lost is in its `coordination`."""

from __future__ import annotations

from storage.opening import Storage, StorageSettings, open_storage

__all__ = ["Storage", "StorageSettings", "open_storage"]
