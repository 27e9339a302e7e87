"""What the embedded model is good for: conversations that reach their goal, and its speed, memory and first token.

Needs its file (`abl models pull`) and its engine (the extra `embedded`). The baseline of the conversations (one with
each agent) is the same model behind the ordinary OpenAI-compatible adapter, with its own tool calls; that of the speed
is `xllamacpp` in a process of its own with nothing around it. Both in the same run. `make bench-embedded`; `SIZE=1.5b`
takes the other model.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.embedded_control import control
from benchmarks.embedded_talks import Told, hold, missed, stories, texts_of
from benchmarks.report import Figure, publish
from benchmarks.serving import Served, a_folder, product, resident_bytes, running
from cli.environment import models_folder
from providers.embedded.llm_server import LlmServer, Serving, default_threads, has_engine
from providers.embedded.weights import MEGABYTE, Weights, get_weights, weights_here

GOALS = 16
WORKER = "llm_worker.py"
TOKENS = 64
ROUNDS = 3
PROMPT = "You are the desk of a hotel. " + " ".join(f"Room {number} has {number % 3 + 1} beds." for number in range(40))
QUESTION = "Tell me about the house."
MS_PER_S = 1_000
LLM_TIMEOUT_S = 180.0
RAW = """
import json, sys, xllamacpp
asked = json.loads(sys.argv[1])
params = xllamacpp.CommonParams()
params.model.path, params.n_ctx, params.warmup, params.verbosity = asked["model"], 4096, False, 0
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = asked["threads"]
server = xllamacpp.Server(params)
for body in asked["bodies"]:
    told = []
    server.handle_chat_completions(body, lambda one: told.append(one) and False)
    print(json.dumps(told[-1]["timings"]))
"""


def bodies() -> list[dict[str, Any]]:
    """Return one question for each round; every one begins otherwise, so that nothing is read from a cache."""
    return [
        {
            "messages": [{"role": "system", "content": f"{at}. {PROMPT}"}, {"role": "user", "content": QUESTION}],
            "max_tokens": TOKENS,
            "temperature": 0,
            "seed": 1,
        }
        for at in range(ROUNDS)
    ]


def raw_timings(model: Path, threads: int) -> list[dict[str, float]]:
    """Return what the engine says of its speed, with nothing around it."""
    asked = json.dumps({"model": str(model), "threads": threads, "bodies": bodies()})
    with running("-c", RAW, asked) as process:
        out, _ = process.communicate(timeout=LLM_TIMEOUT_S)
    return [json.loads(line) for line in out.splitlines() if line.startswith("{")]


async def served_timings(weights: Weights, model: Path, folder: Path) -> tuple[list[dict[str, float]], int]:
    """Return the same of our process, asked over HTTP, and its resident memory in bytes afterwards."""
    server = LlmServer(Serving(weights.name, folder), lambda: model)
    server.start()
    try:
        async with asyncio.timeout(LLM_TIMEOUT_S):
            await server.ready()
        timings = [await asyncio.to_thread(_ask, server, body) for body in bodies()]
        return timings, resident_bytes(server.pid or os.getpid())
    finally:
        await server.stop()


def _ask(server: LlmServer, body: Mapping[str, Any]) -> dict[str, float]:
    request = urllib.request.Request(
        f"{server.url}/chat/completions",
        data=json.dumps(body).encode(),
        headers={"Authorization": f"Bearer {server.key}", "Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=LLM_TIMEOUT_S) as answer:
        timings: dict[str, float] = json.loads(answer.read())["timings"]
    return timings


@contextmanager
def served(example: str, options: Mapping[str, str]) -> Iterator[Served]:
    """Yield the product on an example, its model taking requests."""
    with a_folder() as folder, product(folder, texts_of(example), options=options) as one:
        yield one


def talk_all(options: Mapping[str, str], name: str, *, each: int | None = None) -> list[tuple[bool, Told]]:
    """Hold all conversations, or the first `each` with every agent; return whether each reached its goal, and it."""
    held: list[tuple[bool, Told]] = []
    for example, group in groupby(stories(), key=lambda story: story["example"]):
        with served(example, options) as one:
            for story in list(group)[:each]:
                told = hold(one, story)
                faults = missed(told, story["goal"])
                held.append((not faults, told))
                print(f"  {name}: {story['name']}: {'; '.join(faults) or 'reached'}", flush=True)
    return held


def raw_reached(weights: Weights, model: Path) -> int:
    """Return how many of the first conversations with each agent reach their goal without our adapter."""

    async def run() -> int:
        with a_folder() as folder:
            server = LlmServer(Serving(weights.name, folder), lambda: model)
            server.start()
            try:
                await server.ready()
                options = {"ABL_MODEL_URL": server.url, "ABL_MODEL_KEY": server.key}
                options |= {"ABL_MODEL": f"openai/{weights.name}", "ABL_EMBEDDED_MODEL": "off"}
                held = await asyncio.to_thread(talk_all, options, "without the adapter", each=1)
                return sum(reached for reached, _ in held)
            finally:
                await server.stop()

    return asyncio.run(run())


def first_tokens_s(all_told: list[Told]) -> list[float]:
    """Return how long replies in free words took to their first token, in seconds, of all conversations."""
    found = [one.get("firstTokenMs") for told in all_told for one in told.of("response")]
    return [one / MS_PER_S for one in found if one]


def model_s(all_told: list[Told]) -> list[float]:
    """Return the time of every call that the model itself had to answer, in seconds."""
    calls = [one for told in all_told for one in told.of("llm_call")]
    return [one["latencyMs"] / MS_PER_S for one in calls if one["usage"]["outputTokens"]]


def measure(weights: Weights, model: Path) -> list[Figure]:
    """Return all figures."""
    threads = default_threads()
    raw = raw_timings(model, threads)
    with a_folder() as folder:
        ours, memory_bytes = asyncio.run(served_timings(weights, model, folder))
    held = talk_all({"ABL_EMBEDDED_MODEL": weights.size}, "embedded")
    firsts = [at for at, one in enumerate(stories()) if at == 0 or one["example"] != stories()[at - 1]["example"]]
    baseline = raw_reached(weights, model)
    told, reached = [one for _, one in held], sum(is_reached for is_reached, _ in held)
    read = ours[0]["prompt_n"]

    def speed(timings: list[dict[str, float]], name: str) -> float:
        return max(one[name] for one in timings)

    def first(timings: list[dict[str, float]]) -> float:
        return min(one["prompt_ms"] for one in timings) / MS_PER_S

    return [
        Figure(f"conversations of {len(held)} that reach their goal; baseline: constants for the model's answers",
               reached, "conversations", asyncio.run(control()),
               f"at least {GOALS}", reached >= GOALS),
        Figure(f"of the first {len(firsts)}, one with each agent; baseline: without our adapter",
               sum(held[at][0] for at in firsts), "conversations", baseline),
        Figure(f"decoding, {threads} thread(s)", speed(ours, "predicted_per_second"), "tokens/s",
               speed(raw, "predicted_per_second")),
        Figure("reading a prompt", speed(ours, "prompt_per_second"), "tokens/s", speed(raw, "prompt_per_second")),
        Figure(f"first token of a prompt of {read:.0f} tokens, nothing cached", first(ours), "s", first(raw)),
        Figure("first token of a reply in the conversations, median", median(first_tokens_s(told)), "s"),
        Figure("one call of the model in the conversations, median", median(model_s(told)), "s"),
        Figure("memory of its process", memory_bytes / MEGABYTE, "MB", weights.size_bytes / MEGABYTE),
    ]  # fmt: skip


def main() -> int:
    """Measure and publish; say what is missing where something is."""
    weights = get_weights(os.environ.get("SIZE", "0.5b"))
    folder = models_folder(os.environ)
    if not has_engine() or weights_here(folder, weights).state != "ready":
        print(f"embedded: needs `make setup` and `.venv/bin/abl models pull --size {weights.size}` first")
        return 1
    name = "embedded" if weights.size == "0.5b" else f"embedded-{weights.size}"
    return 0 if publish(name, measure(weights, folder / weights.file)) else 1


if __name__ == "__main__":
    sys.exit(main())
