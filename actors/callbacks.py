"""Callbacks of suspended sessions: issued once for each suspension, claimed once, and what was delivered given back.

Spec: platform-api 3.3, 7.1. The order of checks is: known, signature, expired or cancelled, claimed.
"""

from __future__ import annotations

from collections.abc import Sequence
from secrets import token_bytes

import msgspec

from actors.callback_secrets import CallbackSecrets
from actors.deliveries import CallbackDelivery, CallbackResult
from actors.human_tasks import TaskDesk
from actors.runtime import JsonObject, Page
from actors.session.store import CallbackTicket, SessionPin, StoreLost, WaitingCallback
from actors.suspensions import BETWEEN, callback_id_of, place_of
from domain.callback_signatures import is_signed
from domain.clock import Clock, iso_ms
from domain.errors import Overloaded, Unavailable
from domain.limits import SUSPENSION_MAX_S, SUSPENSION_MIN_S
from domain.webhooks import SECRET_BYTES, new_secret
from storage.database import Database
from storage.repositories.callbacks import CallbackRecord, Callbacks, NewCallback
from storage.repositories.jobs import Jobs

EXPIRE_JOB = "callback.expire"
CLOSED: dict[str, CallbackResult] = {"processed": "already_processed", "expired": "expired", "cancelled": "expired"}
EXPIRED = "expired"


class CallbackDesk:
    """Where callbacks are issued and delivered."""

    def __init__(
        self, database: Database, clock: Clock, secrets: CallbackSecrets, *, public_url: str, ttl_s: float
    ) -> None:
        self._callbacks = Callbacks(database)
        self._jobs = Jobs(database)
        self._tasks = TaskDesk(database, clock)
        self._clock = clock
        self._secrets = secrets
        self._public_url = public_url.rstrip("/")
        self._ttl_s = ttl_s

    async def issue(
        self, pin: SessionPin, *, suspension_id: str, agent: str, tool: str, expires_s: float | None
    ) -> CallbackTicket:
        """Return the callback of a suspension, made when first asked for, with the job that lets it expire."""
        wanted_s = (pin.callback_s or self._ttl_s) if expires_s is None else expires_s
        lasts_s = min(max(wanted_s, SUSPENSION_MIN_S), SUSPENSION_MAX_S)
        place, callback_id = place_of(pin, suspension_id), callback_id_of(pin, suspension_id)
        callback = NewCallback(
            callback_id=callback_id,
            project_id=pin.project_id,
            session_id=pin.session_id,
            suspension_id=place,
            lasts_s=lasts_s,
            agent_name=agent,
            tool_name=tool,
        )
        try:
            kept = await self._secrets.kept(pin.tenant_id, callback_id, new_secret(token_bytes(SECRET_BYTES)))
            record = await self._callbacks.issue(pin.tenant_id, msgspec.structs.replace(callback, secret=kept))
            secret = await self._secrets.opened(record)  # of the first issue, whichever this is
            work = {"callback_id": record.callback_id, "session_id": pin.session_id}
            await self._jobs.enqueue(pin.tenant_id, EXPIRE_JOB, record.callback_id, work, delay_s=lasts_s)
        except (Unavailable, Overloaded) as error:
            raise StoreLost from error
        url = f"{self._public_url}/api/v1/callbacks/{record.callback_id}"
        return CallbackTicket(record.callback_id, url, secret, iso_ms(record.expires_at))

    async def waiting(self, callback_id: str) -> WaitingCallback | None:
        """Return a callback with what was delivered under it; None when it is known no more."""
        try:
            record = await self._callbacks.find_by_id(callback_id)
        except (Unavailable, Overloaded) as error:
            raise StoreLost from error
        if record is None:
            return None
        payload = msgspec.json.decode(record.payload) if record.payload else {}
        runtime_session_id, _, suspension_id = record.suspension_id.rpartition(BETWEEN)
        return WaitingCallback(runtime_session_id, suspension_id, record.status, payload)

    async def take(self, delivery: CallbackDelivery) -> tuple[CallbackResult, str, str]:
        """Check and claim a callback; return the result, the tenant and the session to wake."""
        try:
            record = await self._callbacks.find_by_id(delivery.callback_id)
            if record is None:
                return "not_found", "", ""
            secret, now = await self._secrets.opened(record), self._clock.now()
            if not is_signed(secret, delivery.raw, delivery.signature, delivery.standard, now):
                return "invalid_signature", "", ""
            if record.status in CLOSED:
                return CLOSED[record.status], "", ""
            payload = msgspec.json.encode(delivery.body)
            if not await self._callbacks.claim(record.tenant_id, record.callback_id, record.session_id, payload):
                stands = await self._callbacks.find_by_id(record.callback_id)  # else it is past its time, by the store
                return CLOSED.get(stands.status, "expired") if stands else "expired", "", ""
        except Unavailable:
            return "unavailable", "", ""
        return "accepted", record.tenant_id, record.session_id

    async def answer(self, tenant_id: str, callback_id: str, session_id: str, payload: JsonObject) -> bool:
        """Answer a callback from inside, which has the session go on; False unless it was pending."""
        return await self._callbacks.claim(tenant_id, callback_id, session_id, msgspec.json.encode(payload))

    async def expire(self, tenant_id: str, callback_id: str) -> bool:
        """Close a callback whose time is over, and the human task beside it; False unless it was pending."""
        was_pending = await self._callbacks.expire(tenant_id, callback_id)
        record = await self._callbacks.find_by_id(callback_id)
        if record is not None and record.status == EXPIRED:
            await self._tasks.close_all(tenant_id, record.session_id, record.suspension_id, expired=True)
        return was_pending

    async def open_of(self, tenant_id: str, session_id: str) -> Sequence[CallbackRecord]:
        """Return the open callbacks of a session, the newest first."""
        return await self._callbacks.open_of(tenant_id, session_id)

    async def page(self, tenant_id: str, project_id: str, *, status: str, limit: int, offset: int) -> Page:
        """Return callbacks without their secrets."""
        rows, total = await self._callbacks.list(
            tenant_id, project_id, status=status or None, limit=limit, offset=offset
        )
        shown = tuple(
            {
                "id": row.callback_id,
                "sessionId": row.session_id,
                "agentName": row.agent_name,
                "toolName": row.tool_name,
                "status": row.status,
                "createdAt": iso_ms(row.created_at),
                "expiresAt": iso_ms(row.expires_at),
            }
            for row in rows
        )
        return Page(rows=shown, total=total)
