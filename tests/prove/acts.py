"""What clients of the kill test do beside speaking: each act is asked for until it is acknowledged, then held to it.

Reset, end, delete, approve by a person, and a budget that is raised when it is spent. Spec: platform-api 5.4 to 5.6, 10.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiohttp

from tests.prove.conversation import Conversation
from tests.prove.patience import patient
from tests.prove.product import Product

ATTEMPT_S = 6.5
PATIENCE_S = 120.0
PAUSE_S = 0.1
PAUSE_MAX_S = 2.0
BACKOFF = 1.5
LOST_CONNECTION = (aiohttp.ClientError, TimeoutError, OSError)
BUSY = ("IDEMPOTENCY_KEY_IN_USE", "WORKER_LOST")
OPEN_TASKS = "pending,assigned,in_progress"
REFUSED_EVERY = 5
"""One in so many orders is not approved."""
BUDGET_STEP = 30_000
"""Tokens by which a spent budget is raised: some calls' worth, for each call holds what it can use at the most."""


class Unanswered(Exception):
    """Nothing that was asked for was acknowledged in time."""


class Asker:
    """Asks the product for one thing until it has answered, as its operator would."""

    def __init__(self, product: Product, http: aiohttp.ClientSession, one: Conversation) -> None:
        self._product = product
        self._http = http
        self._one = one

    @property
    def project(self) -> str:
        return f"/api/projects/{self._product.project_id}"

    async def ask(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        """Return status and body of the first answer that is one: not busy, not away, not lost on the way.

        Raises:
            Unanswered: There was none in time.
        """
        headers = {"X-API-Key": self._product.key, **({"Idempotency-Key": key} if key else {})}
        timeout = aiohttp.ClientTimeout(total=patient(ATTEMPT_S))
        give_up, pause_s = time.monotonic() + patient(PATIENCE_S), PAUSE_S
        while time.monotonic() < give_up:
            try:
                async with self._http.request(
                    method, self._product.url + path, json=body, headers=headers, timeout=timeout
                ) as response:
                    text = await response.text()
                    if response.status < 500 and not any(word in text for word in BUSY):
                        return response.status, await response.json()
                    trouble = f"{response.status} {text}"
            except LOST_CONNECTION as error:
                trouble = repr(error)
            self._one.stuck = f"{method} {path}: {trouble}"
            self._one.refusals[f"{method} {trouble}"[:100]] += 1
            await asyncio.sleep(pause_s)
            pause_s = min(pause_s * BACKOFF, PAUSE_MAX_S)
        raise Unanswered(self._one.stuck)

    async def done(self, method: str, path: str, body: Any = None, key: str = "") -> Any:
        """Return the body of the answer, which has to say that it was done; else note the fault and return {}."""
        status, told = await self.ask(method, path, body, key)
        if status not in (200, 201):
            self._one.note(f"{method} {path}: {status} {told}")
            return {}
        return told


async def reset(asker: Asker, one: Conversation, key: str) -> str:
    """Reset the session; return the new runtime id. What it counted begins anew, see `Conversation.numbers`."""
    told = await asker.done("POST", f"{asker.project}/sessions/{one.session_id}/reset", key=key)
    session = told.get("session", {})
    if session.get("status") != "active" or session.get("id") != one.session_id:
        one.note(f"reset: {told}")
    return str(session.get("runtimeSessionId", ""))


async def end(asker: Asker, one: Conversation) -> None:
    """End the session: a second time changes nothing, and nobody may speak in it any more."""
    path = f"/api/v1/sessions/{one.session_id}/end"
    first = (await asker.done("POST", path)).get("session", {})
    second = (await asker.done("POST", path)).get("session", {})
    if first != second or first.get("status") != "ended" or first.get("endReason") not in ("api", "user"):
        one.note(f"ended as {first}, then as {second}")
    one.end = {"at": first.get("endedAt", ""), "reason": first.get("endReason", "")}
    status, told = await _speak(asker, one, "after the end")
    if status != 409 or "SESSION_ENDED" not in str(told):
        one.note(f"spoke in an ended session: {status} {told}")
    one.done["end"] += 1


async def delete(asker: Asker, one: Conversation) -> None:
    """Delete the session: it is not found any more, and nobody may speak in it; nothing that comes late brings it back."""
    path = f"{asker.project}/sessions/{one.session_id}"
    one.is_deleted = True  # it may be, from the first request on, whether or not one is answered
    status, told = await asker.ask("DELETE", path)
    if status not in (200, 404):  # 404: an answer was lost on the way
        one.note(f"delete: {status} {told}")
    for again in ("DELETE", "GET"):
        status, told = await asker.ask(again, path)
        if status != 404:
            one.note(f"{again} of a deleted session: {status} {told}")
    status, told = await _speak(asker, one, "after the deletion")
    if status != 404:
        one.note(f"spoke in a deleted session: {status} {told}")
    one.done["delete"] += 1


async def approve(asker: Asker, one: Conversation, order: str) -> None:
    """Have a person decide on an order: its task is claimed and resolved, each under a key, and is told so again."""
    tasks = f"{asker.project}/human-tasks"
    found = (await asker.done("GET", f"{tasks}?sessionId={one.session_id}&status={OPEN_TASKS}")).get("tasks", [])
    if len(found) != 1:
        one.note(f"{len(found)} open tasks of {order}: {found}")
        return
    place, is_refused = f"{tasks}/{found[0]['id']}", len(one.sent) % REFUSED_EVERY == 0
    decision = {"decision": "rejected" if is_refused else "approved", "notes": order}
    claimed = await asker.done("POST", f"{place}/claim", {}, f"claim-{order}")
    resolved = await asker.done("POST", f"{place}/resolve", decision, f"resolve-{order}")
    again = await asker.done("POST", f"{place}/resolve", decision, f"resolve-{order}")
    task = resolved.get("task", {})
    if task.get("status") != "completed" or task.get("resolution", {}).get("notes") != order or again != resolved:
        one.note(f"task of {order}: {claimed}, {resolved}, {again}")
    status, told = await asker.ask("POST", f"{place}/cancel", {})
    if status != 409 or "TASK_CLOSED" not in str(told):
        one.note(f"a closed task was cancelled: {status} {told}")
    one.done["approve"] += 1


async def give_task(asker: Asker, one: Conversation, order: str) -> None:
    """Give somebody a task of this order, under a key: there must be one of it."""
    body = {"type": "review", "title": order, "tags": [str(one.number)]}
    told = [await asker.done("POST", f"{asker.project}/human-tasks", body, f"task-{order}") for _ in range(2)]
    if told[0].get("task", {}).get("id") != told[1].get("task", {}).get("id"):
        one.note(f"two tasks of {order}: {told}")
    one.done["task"] += 1


class Purse:
    """The budget of the thrifty agent: raised when it is spent."""

    def __init__(self) -> None:
        self.budget_id = ""
        self.max_tokens = BUDGET_STEP
        self._lock = asyncio.Lock()

    async def open(self, asker: Asker) -> None:
        """Set the budget."""
        body = {"scope": "agent", "subject": "Thrifty", "maxTokens": self.max_tokens}
        told = await asker.done("POST", f"{asker.project}/budgets", body, "the-budget")
        self.budget_id = told["budget"]["id"]

    async def raise_it(self, asker: Asker, one: Conversation, seen: int) -> None:
        """Raise it, unless somebody else has done so since it was seen with this limit."""
        async with self._lock:
            if self.max_tokens == seen:
                more = {"maxTokens": self.max_tokens + BUDGET_STEP}
                await asker.done("PUT", f"{asker.project}/budgets/{self.budget_id}", more)
                self.max_tokens += BUDGET_STEP
                one.done["budget_raised"] += 1

    async def look(self, asker: Asker, one: Conversation) -> None:
        """See that no more is spent and held than may be."""
        may, told = self.max_tokens, await asker.done("GET", f"{asker.project}/budgets/{self.budget_id}")
        for account in told.get("accounts", []):
            if account["tokensSpent"] + account["tokensHeld"] > max(may, self.max_tokens) + BUDGET_STEP * self._raising:
                one.note(f"more than {may} tokens: {account}")
        one.done["spend"] += 1

    @property
    def _raising(self) -> bool:
        """Whether the limit may stand higher already than anybody was told."""
        return self._lock.locked()


async def _speak(asker: Asker, one: Conversation, words: str) -> tuple[int, Any]:
    body = {"projectId": asker.project.rpartition("/")[2], "message": words, "sessionId": one.session_id}
    return await asker.ask("POST", "/api/v1/chat/agent", body, f"{words}-{one.session_id}")
