"""Addresses of hooks that lead inwards, or that are none. Spec: platform-api 14.6, 17."""

from __future__ import annotations

import json

import pytest

from tests.support.hostile import JSON, SHOWN, Attack, struck
from tests.support.hostile_addresses import refused_addresses
from tests.support.hostile_store import Place

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]


async def test_no_hook_leads_inwards(place: Place) -> None:
    target = f"/api/projects/{place.project_id}/webhooks"
    count, complaints = await struck(
        place,
        (
            Attack(address[:80], "POST", target, JSON, [json.dumps({"url": address, "events": ["*"]}).encode()], (400,))
            for address in refused_addresses()
        ),
    )
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 300
