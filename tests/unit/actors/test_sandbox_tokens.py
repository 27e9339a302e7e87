"""Tokens of sandboxed code: who may use them is tried at the route; here what they are made of."""

from __future__ import annotations

import pytest

from actors.sandbox_tokens import MEMORY_PATH, SandboxClaims, SandboxTokens, sandboxes_of
from domain.clock import CountingIds, FixedClock
from domain.errors import InvalidInput, Unauthenticated
from tests.support.sessions import PIN

SECRET = b"0123456789abcdef0123456789abcdef"


def test_a_session_gives_its_code_a_token_for_itself() -> None:
    clock = FixedClock()
    tokens = SandboxTokens(SECRET, clock, CountingIds())
    given = sandboxes_of(tokens, "https://abl.example/")(PIN, "Desk").variables()
    assert given["memoryUrl"] == "https://abl.example" + MEMORY_PATH
    claims = tokens.read(given["token"])
    assert (claims.tenant_id, claims.project_id, claims.session_id, claims.agent) == (
        PIN.tenant_id, PIN.project_id, PIN.session_id, "Desk",
    )  # fmt: skip
    with pytest.raises(Unauthenticated):
        SandboxTokens(SECRET[::-1], clock, CountingIds()).read(given["token"])


def test_a_short_secret_is_refused() -> None:
    with pytest.raises(InvalidInput, match="at least 32 bytes"):
        SandboxTokens(b"short", FixedClock(), CountingIds())


def test_a_token_of_an_older_secret_is_read_until_that_secret_is_gone() -> None:
    old, new, clock = SECRET, SECRET[::-1], FixedClock()
    claims = SandboxClaims(tenant_id="t", project_id="p", session_id="s", agent="a")
    token = SandboxTokens(old, clock, CountingIds()).make(claims)
    both = SandboxTokens(new, clock, CountingIds(), older=(old,))
    assert both.read(token) == claims
    with pytest.raises(Unauthenticated):
        SandboxTokens(new, clock, CountingIds()).read(token)
    assert SandboxTokens(new, clock, CountingIds()).read(both.make(claims)) == claims
