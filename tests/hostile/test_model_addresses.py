"""Addresses of model providers and changed addresses of hooks that lead inwards, or that are none. Spec: 14.5, 14.6.

A server of one's own, at a loopback or private address, may be kept; it is called only where the operator allows that.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from storage.repositories.webhooks import NewWebhook, Webhooks
from tests.support.hostile import JSON, SHOWN, Attack, struck
from tests.support.hostile_addresses import no_models_there, refused_addresses
from tests.support.hostile_store import Place

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
PROVIDERS = "/api/model-providers"
GOOD = "https://models.example.com/v1"
KINDS = ("openai_compatible", "anthropic", "gemini")
OWN = ("http://127.0.0.1:11434/v1", "http://localhost:8000", "http://10.1.2.3/v1", "http://[fd12::1]:8000/v1")


def attacks(method: str, target: str, addresses: Iterable[str]) -> Iterable[Attack]:
    for at, address in enumerate(addresses):
        body = {"baseUrl": address}
        if method == "POST":
            body |= {"name": f"hostile{at}", "kind": KINDS[at % len(KINDS)]}
        yield Attack(repr(address[:80]), method, target, JSON, [json.dumps(body).encode()], (400,))


async def made(place: Place, name: str, **fields: str) -> str:
    body = {"name": name, "kind": "openai_compatible", "baseUrl": GOOD, "models": [{"id": "m"}], **fields}
    reply = await place.as_("owner").post(PROVIDERS, body)
    assert reply.status == 201, reply.body
    return f"{PROVIDERS}/{reply.json()['provider']['id']}"


async def test_no_provider_of_models_is_kept_at_a_metadata_or_link_local_address(place: Place) -> None:
    count, complaints = await struck(place, attacks("POST", PROVIDERS, no_models_there()))
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 300


async def test_no_provider_of_models_is_moved_to_one(place: Place) -> None:
    provider = await made(place, "moved")
    addresses = [one for one in no_models_there() if one]  # an empty one takes it away
    count, complaints = await struck(place, attacks("PATCH", provider, addresses))
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 300
    kept = (await place.as_("owner").get(PROVIDERS)).json()["providers"]
    assert [one["baseUrl"] for one in kept if one["name"] == "moved"] == [GOOD]
    assert (await place.as_("owner").delete(provider)).status == 200


async def test_a_refused_address_names_its_field_and_why(place: Place) -> None:
    body = {"name": "why", "kind": "openai_compatible", "baseUrl": "http://0xa9fea9fe/latest/meta-data"}
    reply = await place.as_("owner").post(PROVIDERS, body)
    message = "may not be called: 0xa9fea9fe is a cloud's metadata service"
    assert reply.json()["error"]["details"]["fields"] == [{"path": "/baseUrl", "message": message}]


async def test_a_server_of_ones_own_may_be_kept_and_is_not_called_unless_the_operator_allows_it(place: Place) -> None:
    for at, address in enumerate(OWN):
        provider = await made(place, f"own{at}", baseUrl=address)
        told = (await place.as_("owner").post(f"{provider}/test")).json()
        assert (told["ok"], "may not be called" in told["error"]) == (False, True), told
        assert (await place.as_("owner").delete(provider)).status == 200


async def test_no_hook_is_moved_inwards(place: Place) -> None:
    database, good = place.running.database, "https://example.com/hook"
    new = NewWebhook(
        webhook_id="wh_hostile", project_id=place.project_id, url=good, events=("*",), description="", is_active=False,
        sealed=b"", created_by="",
    )  # fmt: skip
    async with database.transaction() as connection:  # over the API it would be audited, and that be counted later
        assert await Webhooks(database).create(connection, place.tenant_id, new, most=1)
    hook = f"/api/projects/{place.project_id}/webhooks/wh_hostile"
    count, complaints = await struck(
        place,
        (
            Attack(repr(address[:80]), "PATCH", hook, JSON, [json.dumps({"url": address}).encode()], (400,))
            for address in refused_addresses()
        ),
    )
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 300
    assert (await place.as_("owner").get(hook)).json()["webhook"]["url"] == good
    async with database.transaction() as connection:
        assert await Webhooks(database).delete(connection, place.tenant_id, place.project_id, "wh_hostile")
