"""Processor time of a streamed call of each chat adapter, against a bare aiohttp loop that reads the same stream.

The stream (30 words, two tool calls, usage) is the documented one of each protocol; the server is a process of its own.
The bare loop posts the same bytes, cuts events at line ends, decodes each with msgspec into what it needs of it, and
keeps text and arguments: nothing is converted, checked, timed out or priced. `guarded` is the adapter within deadline,
retry, breaker and price, as sessions use it. `make bench-providers`
"""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, contextmanager
from statistics import median
from time import process_time
from typing import Any, TypeAlias

import aiohttp
import msgspec
from msgspec import Struct

from benchmarks.report import Figure, publish
from domain.model_calls import Message, ModelRequest, ToolSpec
from providers.chat.assembly import ReplyAssembler
from providers.registry import ModelRegistry, factory
from providers.specs import ProviderSpec

KINDS = {"openai": "openai_compatible", "anthropic": "anthropic", "gemini": "gemini"}
CALLS = 100
AT_ONCE = 20
ROUNDS = 25
MOST = 1.5
US_PER_S = 1_000_000
DONE = b"data: [DONE]"
REQUEST = ModelRequest(
    (Message("system", "You help people with their parcels. " * 20), Message("user", "Where is parcel A1?")),
    tools=(
        ToolSpec("find_parcel", "Look a parcel up", {"type": "object", "properties": {"code": {"type": "string"}}}),
    ),
)
One: TypeAlias = Callable[[], Awaitable[object]]


class _Function(Struct, frozen=True):
    arguments: str = ""


class _Call(Struct):
    function: _Function = _Function()


class _Said(Struct):
    content: str | None = None
    tool_calls: list[_Call] | None = None


class _Choice(Struct):
    delta: _Said


class OpenAIEvent(Struct):
    """What the bare loop needs of an event."""

    choices: list[_Choice] = []  # msgspec copies empty defaults
    usage: dict[str, Any] | None = None

    def text(self) -> str:
        """Return the words or arguments in it."""
        said = self.choices[0].delta if self.choices else None
        if said is None:
            return ""
        return said.content or (said.tool_calls[0].function.arguments if said.tool_calls else "")


class _Delta(Struct):
    text: str = ""
    partial_json: str = ""


class AnthropicEvent(Struct):
    """What the bare loop needs of an event."""

    type: str
    delta: _Delta | None = None
    usage: dict[str, Any] | None = None

    def text(self) -> str:
        """Return the words or arguments in it."""
        return self.delta.text or self.delta.partial_json if self.delta else ""


class _Part(Struct, rename="camel"):
    text: str = ""
    function_call: dict[str, Any] | None = None


class _Content(Struct):
    parts: list[_Part] = []  # msgspec copies empty defaults


class _Candidate(Struct):
    content: _Content


class GeminiEvent(Struct, rename="camel"):
    """What the bare loop needs of an event."""

    candidates: list[_Candidate]
    usage_metadata: dict[str, Any] | None = None

    def text(self) -> str:
        """Return the words in it; a call comes as a whole."""
        return self.candidates[0].content.parts[0].text


EVENTS: Mapping[str, type[OpenAIEvent | AnthropicEvent | GeminiEvent]] = {
    "openai": OpenAIEvent,
    "anthropic": AnthropicEvent,
    "gemini": GeminiEvent,
}


async def bare_call(
    session: aiohttp.ClientSession, url: str, body: bytes, headers: Mapping[str, str], read: Any
) -> str:
    """Return what a stream says, read with as little as that takes."""
    said: list[str] = []
    async with session.post(url, data=body, headers=headers) as response:
        rest = b""
        async for chunk in response.content.iter_any():
            *lines, rest = (rest + chunk).split(b"\n")
            said += [read(line[6:]).text() for line in lines if line.startswith(b"data: ") and line != DONE]
    return "".join(said)


async def adapter_call(model: Any) -> ReplyAssembler:
    """Return the assembled answer of a stream."""
    assembler = ReplyAssembler()
    async for delta in model.stream(REQUEST):
        assembler.add(delta)
    return assembler


@contextmanager
def servers(pauses: str) -> Any:
    """Yield protocol -> address of a server in a process of its own."""
    command = [sys.executable, "-m", "tests.fakes.canned_server", pauses]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield dict(process.stdout.readline().split() for _ in KINDS)
        finally:
            process.kill()


@asynccontextmanager
async def subjects(protocol: str, url: str) -> AsyncIterator[tuple[One, One, One]]:
    """Yield the bare loop, the adapter alone, and the adapter with everything around it."""
    spec = ProviderSpec(protocol, KINDS[protocol], url, "key")
    registry = ModelRegistry([spec])
    plain: Any = factory(spec)(spec, "m", registry._client)
    guarded = registry.open(f"{protocol}/m")
    call = plain._call(REQUEST, stream=True)
    read = msgspec.json.Decoder(EVENTS[protocol]).decode
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=30)) as session:
        try:
            yield (
                lambda: bare_call(session, call.url, call.body, call.headers, read),
                lambda: adapter_call(plain),
                lambda: adapter_call(guarded),
            )
        finally:
            await registry.close()


async def cpu_us(one: One) -> float:
    """Return the processor time of a call, out of many of which some run at the same time."""
    left = iter(range(CALLS))

    async def work() -> None:
        for _ in left:
            await one()

    gc.collect()
    began = process_time()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return (process_time() - began) / CALLS * US_PER_S


async def measured(pauses: str, told: str) -> list[Figure]:
    """Return the figures of all protocols for one way of sending."""
    figures = []
    with servers(pauses) as urls:
        for protocol, url in urls.items():
            async with subjects(protocol, url) as ones:
                taken: list[list[float]] = [[] for _ in ones]
                for _ in range(ROUNDS):
                    for times, one in zip(taken, ones, strict=True):
                        times.append(await cpu_us(one))
            ratio, guarded = (_ratio(times, taken[0]) for times in taken[1:])
            figures += [
                Figure(f"{protocol}, {told}", min(taken[1]), "us of CPU a call", min(taken[0])),
                Figure(f"{protocol}, {told}", ratio, "times the bare loop", 1.0, f"at most {MOST}", ratio <= MOST),
                Figure(f"{protocol}, {told}: guarded", guarded, "times the bare loop", 1.0),
            ]
    return figures


def _ratio(times: list[float], bare: list[float]) -> float:
    """Return how much longer it took than the bare loop a moment before, in the middle of all rounds."""
    return median(one / other for one, other in zip(times, bare, strict=True))


async def main() -> bool:
    """Measure and publish."""
    return publish("providers", [*await measured("1", "piece by piece"), *await measured("0", "in one piece")])


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main()) else 1)
