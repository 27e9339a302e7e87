from __future__ import annotations

import pytest

from actors.passwords import Passwords

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def test_a_password_is_kept_as_an_argon2id_hash_with_a_salt_of_its_own() -> None:
    passwords = Passwords()
    kept = [await passwords.hashed("correct horse") for _ in range(2)]
    assert kept[0] != kept[1]
    assert all(one.startswith("$argon2id$v=19$m=65536,t=3,p=1$") for one in kept)
    assert await passwords.matches("correct horse", kept[0])
    assert not await passwords.matches("Correct horse", kept[0])
    assert not await passwords.matches("", "")
    passwords.close()
