from __future__ import annotations

from collections.abc import Sequence

import pytest

import actors.webhook_places
from actors.webhook_places import AT_ONCE, AT_ONCE_OF_HOOK, AT_ONCE_OF_TENANT, WebhookPlaces, rooms_of
from storage.repositories.jobs import Job
from storage.repositories.webhook_claims import Room, Waiting

pytestmark = pytest.mark.anyio


def a_delivery(tenant_id: str = "ten_a", webhook_id: str = "wh_1") -> Job:
    return Job(tenant_id, "webhook.deliver", f"{webhook_id}/e", {"webhook_id": webhook_id, "event_id": "e"}, 1, 1)


def test_a_hook_and_a_tenant_have_fewer_places_than_there_are() -> None:
    assert AT_ONCE_OF_HOOK < AT_ONCE_OF_TENANT < AT_ONCE
    of_one_hook = [a_delivery()] * AT_ONCE_OF_HOOK
    waiting = [Waiting("ten_a", "wh_1", True), Waiting("ten_a", "wh_2", True), Waiting("ten_b", "wh_3", True)]
    assert rooms_of(waiting, of_one_hook) == [
        Room("ten_a", "wh_2", AT_ONCE_OF_HOOK, AT_ONCE_OF_TENANT - AT_ONCE_OF_HOOK),
        Room("ten_b", "wh_3", AT_ONCE_OF_HOOK, AT_ONCE_OF_TENANT),
    ]
    of_one_tenant = [a_delivery(webhook_id=f"wh_{number}") for number in range(10, 10 + AT_ONCE_OF_TENANT)]
    assert [one.tenant_id for one in rooms_of(waiting, of_one_tenant)] == ["ten_b"]


def test_what_is_not_due_has_no_place() -> None:
    assert rooms_of([Waiting("ten_a", "wh_1", False)], []) == []


class Claims:
    """Hooks in a list; keeps which were looked at."""

    def __init__(self, hooks: Sequence[str]) -> None:
        self.hooks = sorted(hooks)
        self.looked: list[list[str]] = []

    async def waiting(self, after: tuple[str, str], limit: int) -> list[Waiting]:
        return [Waiting("ten_a", name, True) for name in self.hooks if ("ten_a", name) > after][:limit]

    async def claim(self, rooms: Sequence[Room], limit: int, *, beside: Sequence[Job] = ()) -> list[Job]:
        self.looked.append([one.webhook_id for one in rooms])
        return []


async def test_more_hooks_than_are_looked_at_have_their_turn_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(actors.webhook_places, "HOOKS_LOOKED_AT", 2)
    claims = Claims(["wh_1", "wh_2", "wh_3"])
    places = WebhookPlaces(claims)  # type: ignore[arg-type]
    for _ in range(4):
        await places.claim([])
    assert claims.looked == [["wh_1", "wh_2"], ["wh_3", "wh_1"], ["wh_2", "wh_3"], ["wh_1", "wh_2"]]


async def test_without_a_place_nothing_is_asked() -> None:
    claims = Claims(["wh_1"])
    assert await WebhookPlaces(claims).claim([a_delivery()] * AT_ONCE) == ()  # type: ignore[arg-type]
    assert claims.looked == []
