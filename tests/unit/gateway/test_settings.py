from __future__ import annotations

import pytest

from domain.rates import RateSettings, rates_within
from gateway.settings import GatewaySettings
from tests.support.gateway import OWNER, PASSWORD, PROJECT, SECRET, a_gateway

DEFAULT = RateSettings()


@pytest.mark.parametrize(
    ("settings", "rates"),
    [
        ({}, DEFAULT),
        ({"rates": None}, DEFAULT),
        (
            {"rates": {"requestsPerSecond": 5, "requestsBurst": 7}},
            RateSettings(requests_per_second=5, requests_burst=7),
        ),
        ({"rates": {"sessionMessagesPerMinute": 0}}, RateSettings(session_messages_per_minute=0)),
        ({"rates": {"requestsPerSecond": -1, "requestsBurst": "many", "unknown": 3}}, DEFAULT),
        ({"rates": {"concurrentVoiceRooms": 3}}, DEFAULT),
    ],
    ids=["none", "no object", "two of them", "switched off", "no numbers", "voice rooms are the instance's"],
)
def test_what_a_tenant_sets_comes_before_the_instance(settings: dict[str, object], rates: RateSettings) -> None:
    assert rates_within(settings, DEFAULT) == rates


@pytest.mark.anyio
async def test_a_tenant_may_have_rates_of_its_own() -> None:
    gateway = a_gateway()
    gateway.tenant_settings["ten_one"] = {"rates": {"requestsPerSecond": 1, "requestsBurst": 3}}
    replies = [await gateway.client.get(f"/api/projects/{PROJECT}/sessions") for _ in range(4)]
    assert [reply.status for reply in replies] == [200, 200, 200, 429]
    assert replies[0].headers["x-ratelimit-limit"] == "3"


def test_settings_have_a_default_for_all_but_the_secret() -> None:
    settings = GatewaySettings(token_secret=b"x" * 32)
    assert settings.version
    assert settings.rates == DEFAULT


@pytest.mark.anyio
async def test_tokens_go_on_while_their_secret_is_among_the_older_ones() -> None:
    new = b"n" * 32
    before = a_gateway()
    page = await before.sdk_token()
    log_in = await before.nobody().post("/api/auth/login", {"email": OWNER, "password": PASSWORD})
    for older, status in (((SECRET,), 200), ((), 401)):
        after = a_gateway(token_secret=new, older_secrets=older)
        after.desks.users.families = before.desks.users.families
        assert (await after.page(page).post("/api/v1/sdk/refresh", {})).status == status
        assert (await after.as_(log_in.json()["accessToken"]).get("/api/auth/me")).status == status
