"""Deliveries of webhooks: tried again, given up, switched off, and never sent where they may not."""

from __future__ import annotations

import asyncio
import json

import pytest

from actors.projects import TENANT_ID
from actors.webhook_delivery import PAUSED_LOOK_S
from actors.webhook_places import AT_ONCE, AT_ONCE_OF_HOOK, AT_ONCE_OF_TENANT
from actors.webhooks import emit
from domain.limits import WEBHOOK_DELIVERIES_KEPT_DAYS, WEBHOOK_FAILURES_MAX, WEBHOOK_RETRIES_S
from domain.webhooks import WebhookEvent
from providers.http import Timeouts
from storage.repositories.webhooks import DELIVER_JOB
from storage.statements import Statement
from tests.support.servers import Servers
from tests.support.strangers import a_stranger
from tests.support.stub_endpoint import Answer as Told
from tests.support.stub_endpoint import StubEndpoint
from tests.support.webhooks import (
    DESK,
    EXAMPLE,
    JOBS,
    LOOPBACK,
    OUTBOX,
    POLL_S,
    a_gateway,
    check_signed,
    delivered,
    hooks,
    outgoing,
    say,
)

pytestmark = pytest.mark.anyio
TENANT_OF = Statement("SELECT tenant_id FROM projects WHERE project_id = :project_id")
SWITCH_OFF = Statement("""
    UPDATE webhooks SET is_active = false WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id
""")
AGE = Statement("""
    UPDATE webhook_deliveries SET created_at = created_at - make_interval(days => :days)
    WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id
""")
MOVE = Statement("UPDATE webhooks SET url = :url WHERE tenant_id = :tenant_id AND webhook_id = :webhook_id")
WITHIN_S = 60.0
"""Shorter than a delivery waits for its answer in these tests."""


async def test_a_failed_delivery_is_tried_again_and_then_dead(servers: Servers) -> None:
    failing = (
        Told(status=500),
        Told(status=302, headers={"Location": "https://example.com"}),
        Told(raw=b"junk\r\n\r\n"),
    )
    async with (
        StubEndpoint(*failing, Told(status=503)) as receiver,
        a_gateway(servers, "hook-dead", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        job = await out.happens()
        waits = [await out.try_again(job) for _ in range(len(WEBHOOK_RETRIES_S) + 1)]
        assert waits == [*WEBHOOK_RETRIES_S, None]
        assert len({asked.headers["x-webhook-id"] for asked in receiver.asked}) == 1
        assert len({asked.body for asked in receiver.asked}) == 1
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries?status=dead")).json()["deliveries"]
        assert (row["attempts"], row["responseStatus"], row["nextAttemptAt"]) == (7, 503, None)
        assert row["error"] == "The receiver answered 503"
        assert await out.try_again(job) is None
        assert len(receiver.asked) == 7, "a dead letter is not sent"


async def test_a_success_ends_the_tries_and_forgets_the_failures(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=500), Told(status=204, body=b"")) as receiver,
        a_gateway(servers, "hook-again", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        job = await out.happens()
        assert await out.try_again(job) == 10.0
        assert (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]["failures"] == 1
        assert await out.try_again(job) is None
        assert (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]["failures"] == 0
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries")).json()["deliveries"]
        assert (row["status"], row["attempts"], row["responseStatus"], row["error"]) == ("delivered", 2, 204, None)


async def test_after_fifty_failures_in_a_row_a_hook_is_off_until_it_is_switched_on(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=500)) as receiver,
        a_gateway(servers, "hook-off", allowed_networks=LOOPBACK) as gateway,
        outgoing(gateway) as out,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        for number in range(1, WEBHOOK_FAILURES_MAX + 1):
            await out.try_again(last := await out.happens())
            seen = (await hooks(gateway, "GET", f"/{hook['id']}")).json()["webhook"]
            assert (seen["isActive"], seen["failures"]) == (number < WEBHOOK_FAILURES_MAX, number)
        assert seen["disabledAt"]
        assert await out.try_again(last) is None
        assert len(receiver.asked) == WEBHOOK_FAILURES_MAX, "what waited for a hook that is off is given up"
        (dead,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries?status=dead")).json()["deliveries"]
        assert dead["error"] == "The webhook is switched off"
        on = (await hooks(gateway, "PATCH", f"/{hook['id']}", {"isActive": True})).json()["webhook"]
        assert (on["isActive"], on["failures"], on["disabledAt"]) == (True, 0, None)


async def test_what_waits_for_a_hook_that_is_switched_off_is_sent_when_it_is_on_again(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=200)) as receiver,
        a_gateway(servers, "hook-paused", allowed_networks=LOOPBACK) as gateway,
    ):
        hook = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()["webhook"]
        place, database = f"/{hook['id']}", gateway.running.database
        async with database.transaction() as connection:
            await emit(connection, TENANT_ID, gateway.project_id, WebhookEvent.HANDOFF, {"number": 1})
            await connection.execute(SWITCH_OFF, tenant_id=TENANT_ID, webhook_id=hook["id"])
        async with asyncio.timeout(WITHIN_S):
            while True:
                (waits,) = (await hooks(gateway, "GET", f"{place}/deliveries?status=pending")).json()["deliveries"]
                if waits["error"]:
                    break
                await asyncio.sleep(POLL_S)
        assert (waits["error"], waits["attempts"], waits["nextAttemptAt"]) == ("The webhook is switched off", 0, None)
        assert receiver.asked == []
        await hooks(gateway, "PATCH", place, {"description": "still off"})
        assert (await hooks(gateway, "PATCH", place, {"isActive": True})).status == 200
        (sent,) = await delivered(gateway, hook["id"], 1)
        assert (sent["id"], sent["attempts"], sent["error"], len(receiver.asked)) == (waits["id"], 1, None, 1)


async def test_what_waits_for_a_hook_too_long_is_dead(servers: Servers) -> None:
    async with a_gateway(servers, "hook-paused-long") as gateway, outgoing(gateway) as out:
        hook = (await hooks(gateway, "POST", body={**EXAMPLE, "events": ["handoff"]})).json()["webhook"]
        job = await out.happens()
        await hooks(gateway, "PATCH", f"/{hook['id']}", {"isActive": False})
        assert await out.try_again(job) == PAUSED_LOOK_S
        days = WEBHOOK_DELIVERIES_KEPT_DAYS + 1
        await gateway.running.database.execute(AGE, tenant_id=TENANT_ID, webhook_id=hook["id"], days=days)
        assert await out.try_again(job) is None
        (dead,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries")).json()["deliveries"]
        assert (dead["status"], dead["error"]) == ("dead", "The webhook is switched off")


async def test_a_name_that_leads_inside_is_not_called(servers: Servers) -> None:
    async with a_gateway(servers, "hook-inside") as gateway, outgoing(gateway) as out:
        hook = (await hooks(gateway, "POST", body={**EXAMPLE, "events": ["*"]})).json()["webhook"]
        moved = {"webhook_id": hook["id"], "url": "https://localhost:1/in"}  # as a name whose address has changed
        await gateway.running.database.execute(MOVE, tenant_id=TENANT_ID, **moved)
        assert await out.try_again(await out.happens()) == 10.0
        (row,) = (await hooks(gateway, "GET", f"/{hook['id']}/deliveries")).json()["deliveries"]
        assert "may not be called" in row["error"]
        assert row["responseStatus"] is None


async def test_a_test_says_what_the_receiver_answered(servers: Servers) -> None:
    async with (
        StubEndpoint(Told(status=200), Told(status=418)) as receiver,
        a_gateway(servers, "hook-test", allowed_networks=LOOPBACK) as gateway,
    ):
        made = (await hooks(gateway, "POST", body={"url": receiver.url, "events": ["handoff"]})).json()
        place = f"/{made['webhook']['id']}/test"
        good = (await hooks(gateway, "POST", place, {})).json()
        assert (good["success"], good["ok"], good["responseStatus"], good["error"]) == (True, True, 200, None)
        check_signed(receiver.asked[0], made["secret"])
        assert json.loads(receiver.asked[0].body)["event"] == "webhook.test"
        bad = (await hooks(gateway, "POST", place, {})).json()
        assert (bad["ok"], bad["responseStatus"], bad["error"]) == (False, 418, "The receiver answered 418")


async def test_what_is_undone_is_not_told(servers: Servers) -> None:
    async with a_gateway(servers, "hook-undone") as gateway:
        await hooks(gateway, "POST", body={**EXAMPLE, "events": ["deployment.created"]})
        database = gateway.running.database
        project_id = gateway.project_id
        before = await database.value(JOBS, tenant_id=TENANT_ID, kind=DELIVER_JOB)

        async def undone() -> None:
            async with database.transaction() as connection:
                sent = await emit(connection, TENANT_ID, project_id, WebhookEvent.DEPLOYMENT_CREATED, {"id": "dep_1"})
                assert sent == 1
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await undone()
        assert await database.rows(OUTBOX, tenant_id=TENANT_ID, project_id=project_id) == []
        assert await database.value(JOBS, tenant_id=TENANT_ID, kind=DELIVER_JOB) == before


async def test_nothing_is_written_for_an_event_that_no_hook_asks_for(servers: Servers) -> None:
    async with a_gateway(servers, "hook-unasked") as gateway:
        await hooks(gateway, "POST", body={**EXAMPLE, "events": ["deployment.created"]})
        off = {**EXAMPLE, "isActive": False}
        await hooks(gateway, "POST", body=off)
        await say(gateway, "hello")
        rows = await gateway.running.database.rows(OUTBOX, tenant_id=TENANT_ID, project_id=gateway.project_id)
        assert rows == []


async def test_receivers_of_one_tenant_that_hang_hold_up_no_other(
    servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = Timeouts(total_s=2 * WITHIN_S, connect_s=WITHIN_S, idle_s=2 * WITHIN_S)
    monkeypatch.setattr("actors.webhook_delivery.TIMEOUTS", patient)
    async with (
        StubEndpoint(Told(hang=True)) as slow,
        StubEndpoint(Told(status=200)) as quick,
        a_gateway(servers, "hook-slow", allowed_networks=LOOPBACK) as gateway,
    ):
        project_id, headers = await a_stranger(gateway, {"desk.abl": DESK})
        tenant_id = await gateway.running.database.value(TENANT_OF, project_id=project_id)
        path = f"/api/projects/{project_id}/webhooks"
        for _ in range(AT_ONCE // AT_ONCE_OF_HOOK):  # so many would take every place if nobody bounded their tenant
            made = await gateway.call("POST", path, {"url": slow.url, "events": ["handoff"]}, headers)
            assert made.status == 201
        async with gateway.running.database.transaction() as connection:
            for number in range(AT_ONCE_OF_HOOK):
                await emit(connection, tenant_id, project_id, WebhookEvent.HANDOFF, {"number": number})
        async with asyncio.timeout(WITHIN_S):
            while len(slow.asked) < AT_ONCE_OF_TENANT:  # noqa: ASYNC110 - the endpoint has no event for it
                await asyncio.sleep(POLL_S)
            hook = (await hooks(gateway, "POST", body={"url": quick.url, "events": ["handoff"]})).json()["webhook"]
            async with gateway.running.database.transaction() as connection:
                for number in range(3 * AT_ONCE_OF_HOOK):
                    await emit(connection, TENANT_ID, gateway.project_id, WebhookEvent.HANDOFF, {"number": number})
            assert len(await delivered(gateway, hook["id"], 3 * AT_ONCE_OF_HOOK)) == 3 * AT_ONCE_OF_HOOK
        assert len(slow.asked) == AT_ONCE_OF_TENANT
