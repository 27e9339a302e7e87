"""Passwords: Argon2id, a salt for each, away from the loop and few at once, for each takes its time and 64 MiB."""

from __future__ import annotations

import asyncio
import secrets
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from cryptography.exceptions import InvalidKey
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

AT_ONCE: Final = 2
SALT_BYTES: Final = 16
HASH_BYTES: Final = 32
ITERATIONS: Final = 3
LANES: Final = 1
MEMORY_KIB: Final = 64 * 1024
"""With three passes what RFC 9106 recommends where memory is scarce (4 lanes there; one core each here)."""


class Passwords:
    """Hashes and checks passwords."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="passwords")
        self._nobodys = ""

    async def hashed(self, password: str) -> str:
        """Return what is kept of a password: the PHC string of its Argon2id hash."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, _hashed, password)

    async def matches(self, password: str, kept: str) -> bool:
        """Return whether a password is the one; nothing kept never matches, and takes as long."""
        if not kept:
            self._nobodys = self._nobodys or await self.hashed(secrets.token_urlsafe())
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, _matches, password, kept or self._nobodys) and bool(kept)

    def close(self) -> None:
        """Let the threads end."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _hashed(password: str) -> str:
    salt = secrets.token_bytes(SALT_BYTES)
    kdf = Argon2id(salt=salt, length=HASH_BYTES, iterations=ITERATIONS, lanes=LANES, memory_cost=MEMORY_KIB)
    return kdf.derive_phc_encoded(password.encode())


def _matches(password: str, kept: str) -> bool:
    try:
        Argon2id.verify_phc_encoded(password.encode(), kept)
    except InvalidKey:
        return False
    return True
