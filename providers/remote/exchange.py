"""One request to another system and its JSON answer: within a deadline, repeated only where that does no harm.

A request is repeated when it was not taken (no connection, 429, 503), and after any passing failure when the other side
promises that a repetition is the same request (an idempotency key, a read).
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

import msgspec

from domain.json_values import JsonObject
from providers.failures import FINAL, CallFailed, FailureKind
from providers.http import HttpAnswer, HttpCall, HttpClient, Timeouts, status_failure
from providers.remote.asking import RemoteFailed
from providers.retry import Random, RetryPolicy, Seconds, Sleep, chance, is_retryable, next_delay_s

MAX_REPLY_BYTES: Final = 256 << 10
"""Of one answer: it stands in the journal and in the session's state."""
CONNECT_S: Final = 5.0
POLICY: Final = RetryPolicy(attempts=3, delay_s=0.25, max_delay_s=2.0)
UNTAKEN: Final = frozenset({429, 503})
"""Statuses of a request that the other side did not begin to work on."""
LOST_ON_THE_WAY: Final = frozenset({408, 502, 504})
"""Statuses by which something between us and the other side says that it has no answer."""


class Exchange:
    """Sends requests over one client."""

    def __init__(
        self,
        client: HttpClient,
        *,
        seconds: Seconds = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        random: Random = chance,
    ) -> None:
        self._client = client
        self._sleep = sleep
        self._random = random
        self.seconds = seconds

    async def wait(self, delay_s: float) -> None:
        """Wait between two looks at a task."""
        await self._sleep(delay_s)

    async def ask(self, call: HttpCall, deadline_s: float, *, may_repeat: bool) -> JsonObject:
        """Return the JSON object that answers `call`; `deadline_s` is a time of `seconds`.

        Raises:
            RemoteFailed: There is none.
        """
        attempt, may_be_done = 0, False
        while True:
            attempt += 1
            remaining_s = max(deadline_s - self.seconds(), 0.001)
            timeouts = Timeouts(total_s=remaining_s, connect_s=min(CONNECT_S, remaining_s), idle_s=remaining_s)
            try:
                return _object(await self._client.send(msgspec.structs.replace(call, timeouts=timeouts)))
            except CallFailed as failure:
                may_be_done |= _may_have_arrived(failure)
                again = is_retryable(failure) and (may_repeat or not (failure.sent and failure.status not in UNTAKEN))
                remaining_s = deadline_s - self.seconds()
                wait_s = next_delay_s(
                    POLICY,
                    attempt,
                    self._random(),
                    remaining_s=remaining_s,
                    retry_after_s=failure.retry_after_s,
                )
                if not again or wait_s is None:
                    raise _told(failure, may_be_done=may_be_done) from failure
            await self._sleep(wait_s)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()


def _object(answer: HttpAnswer) -> JsonObject:
    if not 200 <= answer.status < 300:
        raise status_failure(answer)
    try:
        found = msgspec.json.decode(answer.body)
    except (msgspec.DecodeError, RecursionError) as error:
        raise CallFailed(FailureKind.GARBAGE, "The answer is not JSON", sent=True) from error
    if not isinstance(found, dict):
        raise CallFailed(FailureKind.GARBAGE, "The answer is no JSON object", sent=True)
    return found


def _may_have_arrived(failure: CallFailed) -> bool:
    """Return whether the request may have been worked on although there is no answer that says so."""
    if failure.kind is FailureKind.STATUS:
        return failure.status in LOST_ON_THE_WAY
    return failure.sent


def _told(failure: CallFailed, *, may_be_done: bool) -> RemoteFailed:
    """Return a failure of the transport as what it means to the agent that asks."""
    words = failure.message
    if failure.kind is FailureKind.STATUS and (said := _said(failure.body)):
        words = f"{words}: {said}"
    if may_be_done:
        return RemoteFailed("unknown", words)
    is_final = failure.kind in FINAL or failure.kind is FailureKind.REDIRECT
    is_final |= failure.kind is FailureKind.STATUS and failure.status < 500 and failure.status not in UNTAKEN
    return RemoteFailed("refused" if is_final else "unavailable", words)


def _said(body: bytes) -> str:
    """Return what an error's body says in words, in the two forms that are common."""
    try:
        found = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        return ""
    error = found.get("error") if isinstance(found, dict) else None
    said = error.get("message") if isinstance(error, dict) else error
    return said if isinstance(said, str) else ""
