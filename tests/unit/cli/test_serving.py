from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from cli.serving import _public, server_config
from storage.repositories.api_keys import KeyRecord


def test_sockets_are_pinged_bounded_and_compressed() -> None:
    config = server_config(None)
    assert (config.ws_ping_interval, config.ws_ping_timeout) == (25, 20)
    assert config.ws_max_size == 4 * 1024 * 1024
    assert config.ws_per_message_deflate is True
    assert config.server_header is False


def test_what_is_asked_for_comes_before_the_rest() -> None:
    config = server_config(None, backlog=5)
    assert (config.backlog, config.ws_ping_interval) == (5, 25)


async def client_of(peer: str, forwarded: str, *proxies: str) -> tuple[str, str]:
    """Return the address and the scheme that the gateway sees."""
    seen: dict[str, Any] = {}

    async def app(scope: Any, receive: Any, send: Any) -> None:
        seen.update(scope)

    config = server_config(app, trusted_proxies=proxies)
    config.load()
    headers = [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "client": (peer, 1), "scheme": "http", "headers": headers}
    await config.loaded_app(scope, None, None)  # type: ignore[arg-type]
    return seen["client"][0], seen["scheme"]


@pytest.mark.anyio
@pytest.mark.parametrize(
    ("peer", "forwarded", "proxies", "seen"),
    [
        ("10.0.0.7", "203.0.113.9", ("10.0.0.0/8",), ("203.0.113.9", "https")),
        ("10.0.0.7", "203.0.113.9", ("10.0.0.7",), ("203.0.113.9", "https")),
        ("10.0.0.7", "1.2.3.4, 203.0.113.9, 10.9.9.9", ("10.0.0.0/8",), ("203.0.113.9", "https")),
        ("192.0.2.1", "203.0.113.9", ("10.0.0.0/8",), ("192.0.2.1", "http")),
        ("127.0.0.1", "203.0.113.9", ("10.0.0.0/8",), ("127.0.0.1", "http")),
        ("127.0.0.1", "203.0.113.9", (), ("127.0.0.1", "http")),
        ("10.0.0.7", "203.0.113.9", (), ("10.0.0.7", "http")),
    ],
)
async def test_only_a_trusted_proxy_is_believed(
    peer: str, forwarded: str, proxies: tuple[str, ...], seen: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FORWARDED_ALLOW_IPS", "*")
    assert await client_of(peer, forwarded, *proxies) == seen


def a_key(kind: str = "public", **details: Any) -> KeyRecord:
    return KeyRecord(
        tenant_id="ten_1", key_id="key_1", project_id=None, kind=kind, name="", prefix="", scopes=(),
        environments=("staging",), details=details, created_at=datetime(2026, 1, 1, tzinfo=UTC), expires_at=None,
        revoked_at=None,
    )  # fmt: skip


def test_a_public_key_is_told_with_all_it_is_bound_to() -> None:
    key = _public(
        a_key(
            channelId="ch_1", channelName="shop", deploymentId="dep_1", allowedOrigins=["https://a.example"],
            requireOrigin=False, allowAgentOverride=True, showActivityUpdates=True, maySeeTraces=True, chat=False,
            voice=True,
        )
    )  # fmt: skip
    assert key is not None
    assert (key.project_id, key.environment, key.deployment_id) == ("", "staging", "dep_1")
    assert (key.channel_id, key.channel_name, key.allowed_origins) == ("ch_1", "shop", ("https://a.example",))
    assert all((not key.require_origin, key.allow_agent_override, key.show_activity_updates, key.may_see_traces))
    assert (key.chat, key.voice) == (False, True)


def test_a_public_key_of_which_nothing_is_said_is_careful() -> None:
    key = _public(a_key())
    assert key is not None
    assert not any((not key.require_origin, key.allow_agent_override, key.show_activity_updates, key.may_see_traces))
    assert (key.chat, key.voice, key.allowed_origins) == (True, False, ())


def test_a_secret_key_is_no_public_key() -> None:
    assert _public(a_key("secret")) is None
    assert _public(None) is None
