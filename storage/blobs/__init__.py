"""The bytes of attachments, in a folder that all gateways share or in the database."""

from __future__ import annotations

from storage.blobs.database import DatabaseBlobs
from storage.blobs.folder import FolderBlobs
from storage.blobs.port import Blobs

__all__ = ["Blobs", "DatabaseBlobs", "FolderBlobs"]
