"""Every example holds a conversation with the real server; then a fresh process folds all journals again.

The same events and state byte by byte, no model and no tool called. Spec: issue 3, "Exact replay".
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections import Counter
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from abl.folders import is_project_file
from actors.projects import put_project
from storage.database import Database
from storage.embedded import PostgresServer
from tests.prove.clients import transcript
from tests.prove.kill_test import replay, unexpected
from tests.prove.product import ROOT, Product
from tests.support.repository import PROJECTS
from tests.support.served import chat, client, served, until
from tests.support.story_servers import StoryModel, StoryTools, body_of, bound_here

STORIES = yaml.safe_load(Path(__file__).with_name("stories.yaml").read_text("utf-8"))
FIRST = {"first.agent.abl": 'AGENT: First\nGOAL: "Be there"\n'}
PAGE = 200
MUST_OCCUR = {
    *("llm_call", "tool_call", "tool_result", "decision", "handoff", "delegate", "guardrail_eval", "state_change"),
    "response",
}
"""Types of trace events that must be among those of all stories."""

pytestmark = pytest.mark.xdist_group("product")


def files_of(story: dict[str, Any], url: str) -> dict[str, str]:
    """Return path -> text of a story's project."""
    if "agents" in story:
        return {"agents.abl": story["agents"].replace("STUB", url)}
    folder = ROOT / "examples" / story["example"]
    texts = {
        str(path.relative_to(folder)): path.read_text("utf-8")
        for path in sorted(folder.rglob("*"))
        if is_project_file(path.name)
    }
    return {path: bound_here(text, url) if path.endswith(".tools.abl") else text for path, text in texts.items()}


class Told:
    """What a story has shown."""

    def __init__(self, story: dict[str, Any]) -> None:
        self.story = story
        self.faults: list[str] = []
        self.types: set[str] = set()

    def expect(self, answer: str, turn: dict[str, Any]) -> None:
        for part in turn.get("contains", ()):
            if part not in answer:
                self.faults.append(f"{self.story['name']}: {turn}: {answer!r}")

    def check(self, tool_calls: int, model_calls: int) -> None:
        """Compare what was called and traced with what the story says."""
        story = self.story
        if missing := set(story.get("shows", ())) - self.types:
            self.faults.append(f"{story['name']}: no {missing} among {self.types}")
        for what, made in (("tool_calls", tool_calls), ("model_calls", model_calls)):
            if made < story.get(what, 0):
                self.faults.append(f"{story['name']}: {made} {what}")


async def tell(product: Product, http: aiohttp.ClientSession, told: Told, tools: StoryTools) -> None:
    """Hold one conversation."""
    story, product_id = told.story, product.project_id
    database = await Database.open(PostgresServer(product.data).url)
    try:
        seeded = await put_project(database, story["name"], files_of(story, tools.url))
    finally:
        await database.close()
    product.project_id, session_id = seeded.project_id, ""
    for turn in story["turns"]:
        if "callback" in turn:
            answer = await _called_back(product, http, session_id, turn["callback"], tools)
        else:
            more: dict[str, Any] = {"sessionId": session_id} if session_id else {}
            more |= {"agentId": story["first"]} if "first" in story and not session_id else {}
            more |= {name: turn[given] for name, given in WIRE.items() if given in turn}
            reply = await chat(product, http, turn["say"], **more)
            answer = reply.response
            session_id = reply.body["sessionId"]
        told.expect(answer, turn)
    told.types = await _types(product, http, session_id)
    product.project_id = product_id


WIRE = {"metadata": "metadata", "testContext": "context"}
"""Field of the request -> key of a turn."""


async def _called_back(
    product: Product, http: aiohttp.ClientSession, session_id: str, callback: Any, tools: StoryTools
) -> str:
    """Deliver what a job has come to; return what the session says to that."""
    where, body = tools.callbacks.pop(), body_of(callback)
    before = len(await transcript(product, http, session_id))
    signature = "sha256=" + hmac.new(where["secret"].encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Callback-Signature": signature}
    async with http.post(where["url"], data=body, headers=headers) as response:
        assert response.status == 200, await response.text()
    said: list[str] = []

    async def has_spoken() -> bool:
        said[:] = [line["content"] for line in (await transcript(product, http, session_id))[before:]]
        return bool(said)

    await until(has_spoken, "the session goes on")
    return "\n".join(said)


async def _get(product: Product, http: aiohttp.ClientSession, path: str) -> dict[str, Any]:
    async with http.get(f"{product.url}{path}", headers={"X-API-Key": product.key}) as response:
        assert response.status == 200, await response.text()
        body: dict[str, Any] = await response.json()
    return body


async def _types(product: Product, http: aiohttp.ClientSession, session_id: str) -> set[str]:
    path = f"/api/projects/{product.project_id}/sessions/{session_id}/traces?limit={PAGE}"
    return {event["type"] for event in (await _get(product, http, path))["traces"]}


def test_every_example_replays_to_the_same_bytes_with_no_model_and_no_tool_called(tmp_path: Path) -> None:
    async def story() -> None:
        all_told = [Told(one) for one in STORIES]
        async with StoryTools() as tools, StoryModel() as model, client() as http:
            allowed = f"127.0.0.1:{tools.port}"
            for without in (True, False):
                model_url = "" if without else model.base_url
                async with served(tmp_path, FIRST, hosts=1, allowed=allowed, model_url=model_url) as product:
                    for told in all_told:
                        if told.story.get("without_model", False) == without:
                            tools.outcomes, model.lines = told.story.get("tools", {}), told.story.get("model", [])
                            model.reads = told.story.get("reads", [])
                            calls, asked = tools.calls, model.count
                            await tell(product, http, told, tools)
                            told.check(tools.calls - calls, model.count - asked)
            calls, asked = tools.calls, model.count
            replayed = await replay(product)
            assert (tools.calls, model.count) == (calls, asked)
        assert [fault for told in all_told for fault in told.faults] == []
        assert unexpected(product.log) == []
        same, _, total = replayed.partition("/")
        assert same == total
        assert int(total) >= len(STORIES)
        assert set().union(*(told.types for told in all_told)) >= MUST_OCCUR
        examples = {path.name for path in PROJECTS}
        held = Counter(one.get("example") for one in STORIES)
        assert examples <= held.keys()

    asyncio.run(story())
