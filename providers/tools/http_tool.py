"""Runs http tools: prepares, calls, repeats what is worth it, and reads the answer. Spec: abl-language 3.2."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Final

import msgspec

from domain.json_values import JsonObject, JsonValue
from domain.tool_calls import ToolResult
from providers.breaker import BreakerPolicy, Breakers
from providers.failures import CallFailed
from providers.http import HttpAnswer, HttpCall, HttpClient, status_failure
from providers.ports import ToolInvocation
from providers.rate_limit import RateLimits
from providers.retry import Random, RetryPolicy, Seconds, Sleep, chance, is_retryable, next_delay_s
from providers.tools.http_auth import Authenticator
from providers.tools.http_request import PreparedRequest, prepare
from providers.tools.results import MILLISECONDS_PER_SECOND, ToolFault, elapsed_ms, failed, fault_of, resting, too_deep
from providers.tools.soap import SoapAnswer, read_answer

MAX_RETRIES: Final = 10
MAX_ERROR_CHARS: Final = 200
JITTER: Final = 0.2
ONCE: Final = RetryPolicy(attempts=1, delay_s=0.0, backoff="fixed", max_delay_s=0.0, jitter=JITTER)


@dataclass(slots=True)
class _Run:
    """How far one run has come; a wait that ends after `deadline_s` is not begun."""

    deadline_s: float
    attempts: int = 0
    renewed: bool = False


class HttpTool:
    """Runs the http tools of all sessions of a process; breakers, rates and tokens are kept by scope and tool."""

    def __init__(
        self,
        client: HttpClient,
        *,
        seconds: Seconds = time.monotonic,
        sleep: Sleep = asyncio.sleep,
        random: Random = chance,
    ) -> None:
        self._client = client
        self._seconds = seconds
        self._sleep = sleep
        self._random = random
        self._authenticator = Authenticator(client, seconds)
        self._breakers = Breakers()
        self._rates = RateLimits()

    async def run(self, invocation: ToolInvocation) -> ToolResult:
        """Return what the endpoint answered."""
        began_s = self._seconds()
        run = _Run(began_s + budget_s(invocation))
        try:
            await self._wait_for_rate(invocation)
            value, code = await self._answered(invocation, run)
        except ToolFault as fault:
            return failed(fault, duration_ms=elapsed_ms(began_s, self._seconds()), attempts=max(run.attempts, 1))
        duration_ms = elapsed_ms(began_s, self._seconds())
        return ToolResult(ok=True, value=value, error_code=code, duration_ms=duration_ms, attempts=run.attempts)

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _answered(self, invocation: ToolInvocation, run: _Run) -> tuple[JsonValue, str]:
        """Return the value of the answer, and its status where that is no success but counts as data."""
        prepared = await prepare(invocation, self._authenticator)
        policy = retry_policy(invocation.binding)
        while True:
            run.attempts += 1
            try:
                answer = await self._attempt(invocation, prepared.call)
            except CallFailed as failure:
                wait_s = self._wait_s(policy, run, failure)
                if wait_s is None:
                    raise fault_of(failure) from failure
                await self._sleep(wait_s)
                continue
            if answer.status == 401 and prepared.shown.token_key and not run.renewed:
                run.renewed = True
                prepared = await self._renewed(invocation, prepared)
                continue
            soap = _soap(invocation.binding, answer)
            if not 200 <= answer.status < 300 and not (soap is not None and soap.is_fault):
                wait_s = self._wait_s(policy, run, status_failure(answer))
                if wait_s is not None:
                    await self._sleep(wait_s)
                    continue
            return _read(invocation.binding, prepared.call.method, answer, soap)

    async def _attempt(self, invocation: ToolInvocation, call: HttpCall) -> HttpAnswer:
        policy = breaker_policy(invocation.binding)
        if policy is None:
            return await self._client.send(call)
        key = _key(invocation)
        rests_s = self._breakers.admit(key, policy, self._seconds())
        if rests_s is not None:
            raise resting(rests_s)
        ok = False
        try:
            answer = await self._client.send(call)
            ok = answer.status < 500 and answer.status != 429
            return answer
        except CallFailed as failure:
            ok = not is_retryable(failure)
            raise
        finally:
            self._breakers.report(key, policy, self._seconds(), ok=ok)

    async def _renewed(self, invocation: ToolInvocation, prepared: PreparedRequest) -> PreparedRequest:
        """Return the request with a fresh token: the other side no longer takes the kept one."""
        self._authenticator.forget(prepared.shown.token_key)
        return await prepare(invocation, self._authenticator)

    def _wait_s(self, policy: RetryPolicy, run: _Run, failure: CallFailed) -> float | None:
        if not is_retryable(failure):
            return None
        return next_delay_s(
            policy,
            run.attempts - run.renewed,
            self._random(),
            remaining_s=run.deadline_s - self._seconds(),
            retry_after_s=failure.retry_after_s,
        )

    async def _wait_for_rate(self, invocation: ToolInvocation) -> None:
        """Wait for the tool's turn when that is within its timeout."""
        per_minute = invocation.binding.get("rate_limit_per_minute")
        if not per_minute:
            return
        patience_s = invocation.timeout_ms / MILLISECONDS_PER_SECOND
        while wait_s := self._rates.wait_s(_key(invocation), float(per_minute), self._seconds()):
            patience_s -= wait_s
            if patience_s < 0:
                raise ToolFault("tool_error", "RATE_LIMITED", f"The tool may be called {per_minute} times a minute")
            await self._sleep(wait_s)


def retry_policy(binding: JsonObject) -> RetryPolicy:
    """Return how often and how patiently a binding wants failed calls repeated."""
    retry = binding.get("retry")
    if not retry:
        return ONCE
    count = min(max(int(retry.get("count") or 0), 0), MAX_RETRIES)
    delay_s = float(retry.get("delay_ms") or 0) / MILLISECONDS_PER_SECOND
    return RetryPolicy(
        attempts=count + 1, delay_s=delay_s, backoff="fixed", max_delay_s=max(delay_s, 0.0), jitter=JITTER
    )


def budget_s(invocation: ToolInvocation) -> float:
    """Return how long a run may take with all its attempts and the pauses between them."""
    policy = retry_policy(invocation.binding)
    timeout_s = float(invocation.binding.get("timeout_ms") or invocation.timeout_ms) / MILLISECONDS_PER_SECOND
    return policy.attempts * (timeout_s + policy.delay_s)


def breaker_policy(binding: JsonObject) -> BreakerPolicy | None:
    """Return the circuit breaker a binding asks for, None without one."""
    wanted = binding.get("circuit_breaker")
    if not wanted:
        return None
    default = BreakerPolicy()
    reset_ms = wanted.get("reset_ms")
    return BreakerPolicy(
        threshold=int(wanted.get("threshold") or default.threshold),
        reset_s=default.reset_s if reset_ms is None else float(reset_ms) / MILLISECONDS_PER_SECOND,
    )


def value_of(answer: HttpAnswer) -> JsonValue:
    """Return the body as JSON where it is, else as text; None where there is none."""
    if not answer.body:
        return None
    kind = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind.endswith("json") or not kind or kind == "text/plain":
        try:
            return msgspec.json.decode(answer.body)
        except RecursionError as error:
            if kind.endswith("json"):
                raise too_deep() from error
        except msgspec.DecodeError as error:
            if kind.endswith("json"):
                raise ToolFault("tool_error", "INVALID_ANSWER", "The tool's answer is not the JSON it says") from error
    return answer.body.decode(errors="replace")


def _read(binding: JsonObject, method: str, answer: HttpAnswer, soap: SoapAnswer | None) -> tuple[JsonValue, str]:
    if soap is not None:
        if soap.is_fault and binding.get("on_soap_fault") != "data":
            raise ToolFault("api_error", soap.fault_code, soap.fault_text[:MAX_ERROR_CHARS])
        return soap.value, soap.fault_code
    if 200 <= answer.status < 300:
        if method == "HEAD":
            return {"status": answer.status, "headers": dict(answer.headers)}, ""
        return value_of(answer), ""
    if binding.get("on_http_error") == "error":
        said = answer.body[: MAX_ERROR_CHARS * 4].decode(errors="replace")[:MAX_ERROR_CHARS]
        sentence = f"The tool's endpoint answered {answer.status}" + (f": {said}" if said else "")
        raise ToolFault("api_error", str(answer.status), sentence)
    return _data_of_error(answer), str(answer.status)


def _data_of_error(answer: HttpAnswer) -> JsonValue:
    """Return the answer as data; what is no object itself is put into one beside the status."""
    try:
        value = value_of(answer)
    except ToolFault:
        value = answer.body.decode(errors="replace")
    return value if isinstance(value, dict) else {"status": answer.status, "body": value}


def _soap(binding: JsonObject, answer: HttpAnswer) -> SoapAnswer | None:
    """Return the envelope of a SOAP answer; one with an HTTP error and no envelope is judged by its status."""
    if binding.get("protocol") != "soap":
        return None
    try:
        return read_answer(answer.body)
    except ToolFault:
        if 200 <= answer.status < 300:
            raise
        return None


def _key(invocation: ToolInvocation) -> str:
    return f"{invocation.scope}\0{invocation.call.name}"
