"""A disk for the data of the product that is small enough to be filled: a file system in memory.

Mounting one takes the right to; without it there is none, which the last line of the kill test then says.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

KB = 1_024
SIZE_BYTES = 8 * KB**3
REST_BYTES = 256 * KB
"""What is left of it when it is full."""
TRIES = 20
"""To make it smaller while the product goes on to write."""


class SmallDisk:
    """A file system of its own at `folder`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.is_mounted = False

    def mount(self) -> bool:
        """Mount it; return whether that is allowed here."""
        self._folder.mkdir(parents=True, exist_ok=True)
        if shutil.which("mount"):
            kind = ["-t", "tmpfs", "-o", f"size={SIZE_BYTES // KB}k,mode=0755", "abl-prove"]
            self.is_mounted = not subprocess.run(
                ["mount", *kind, str(self._folder)], capture_output=True, check=False
            ).returncode
        return self.is_mounted

    def unmount(self, *, is_kept: bool) -> None:
        """Take it away; what is on it is copied to its place when that is to be kept."""
        if not self.is_mounted:
            return
        kept = self._folder.with_name(f"{self._folder.name}.kept")
        if is_kept:
            subprocess.run(["cp", "-a", str(self._folder), str(kept)], check=True)
        subprocess.run(["umount", "--lazy", str(self._folder)], check=True)
        self.is_mounted = False
        if is_kept:
            self._folder.rmdir()
            kept.replace(self._folder)

    def fill(self) -> None:
        """Leave no room on it: it becomes as small as what it holds, which costs no memory."""
        for _ in range(TRIES):
            used = shutil.disk_usage(self._folder).used
            if self._resize(used + REST_BYTES):
                return
        raise OSError(f"{self._folder} cannot be made as small as what it holds")

    def make_room(self) -> None:
        """Give the room back."""
        if not self._resize(SIZE_BYTES):
            raise OSError(f"{self._folder} cannot be made larger again")

    def _resize(self, size: int) -> bool:
        command = ["mount", "-o", f"remount,size={size // KB}k", str(self._folder)]
        return not subprocess.run(command, capture_output=True, check=False).returncode
