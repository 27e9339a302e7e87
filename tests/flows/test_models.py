"""Real sessions on the protocols of the three providers: tools, costs, keys of projects, and every fault there is."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from actors.installation import master_keys
from actors.projects import put_project
from actors.runtime import ChatTurn, SessionFilter, SessionRef, TraceFilter
from actors.settings import ModelProvider, Settings
from actors.wiring import RunningRuntime, open_runtime
from providers.specs import Price
from storage.repositories.model_providers import ModelProviders, NewProvider
from storage.repositories.projects import Projects
from storage.vault import Vault
from tests.fakes.model_server import FAULTS, KINDS, PROTOCOLS, Answer, FakeModelServer, faulty
from tests.fakes.words import Call, End, Think, Tokens, pieces, said
from tests.support.stories import addresses

DESK = """\
AGENT: {name}
GOAL: "Help people with their parcels"

EXECUTION:
  model: "{model}"
  {more}
"""
HUNG = {"hang_before_headers", "hang_after_headers", "hang_later", "slow_drip"}
SPARE = said("The spare ", "model answers")
LOOKS_UP = (Think(), Call("c1", "__set_context__", pieces({"key": "user.code", "value": "A1"}), "c2ln"), Tokens(900, 40), End("tool_calls"))  # fmt: skip
MEMORY = """
MEMORY:
  persistent:
    - PATH: user.code
      SCOPE: user
      ACCESS: readwrite
"""


def desk(name: str, model: str, *more: str) -> dict[str, str]:
    text = DESK.format(name=name, model=model, more="\n  ".join(more) or "temperature: 0.2") + MEMORY
    return {f"agents/{name.lower()}.agent.abl": text}


@asynccontextmanager
async def running(
    data_dir: str, servers: dict[str, FakeModelServer], files: dict[str, str], **more: Any
) -> AsyncIterator[tuple[RunningRuntime, str, str]]:
    providers = tuple(
        ModelProvider(name=name, kind=KINDS[server.protocol], base_url=server.base_url, api_key="installation")
        for name, server in servers.items()
    )
    settings = msgspec.structs.replace(Settings(data_dir=data_dir), providers=providers, **addresses(data_dir), **more)
    async with open_runtime(settings) as opened:
        seeded = await put_project(opened.database, f"models {id(files)}", files)
        yield opened, seeded.tenant_id, seeded.project_id


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_an_agent_thinks_uses_a_tool_and_its_session_says_what_that_cost(data_dir: str, protocol: str) -> None:
    async def story() -> None:
        answers = (Answer(LOOKS_UP), Answer(said("It is ", "on its way", tokens=Tokens(1_000, 50, cached=900))))
        async with FakeModelServer(protocol, answers) as server:
            prices = {"first/m": Price(1.0, 10.0, 0.1)}
            async with running(
                data_dir, {"first": server}, desk("Desk", ""), default_model="first/m", prices=prices
            ) as (opened, tenant, project):
                turn = ChatTurn(tenant_id=tenant, project_id=project, message="Where is parcel A1?", contact_id="ct_1")
                reply = await opened.runtime.chat(turn)
                assert reply.response == "It is on its way"
                assert [one.complaint for one in server.asked] == ["", ""]
                ref = SessionRef(tenant, project, reply.session_id)
                page = await opened.runtime.traces(ref, TraceFilter(event_types=("llm_call",)))
                calls = [row["data"] for row in page.rows]
                assert [call["provider"] for call in calls] == ["first", "first"]
                assert [call["estimatedCost"] for call in calls] == pytest.approx([0.0013, 0.00069])
                assert calls[1]["usage"] == {"inputTokens": 1_000, "outputTokens": 50, "cachedTokens": 900}
                sessions = await opened.runtime.sessions(tenant, project, SessionFilter())
                assert sessions.rows[0].estimated_cost == pytest.approx(0.00199)

    asyncio.run(story())


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_no_fault_of_a_provider_leaves_a_session_stuck(data_dir: str, protocol: str) -> None:
    """Every fault has a session of its own: its turn ends with the words of the spare model, and so does the next."""

    async def story() -> None:
        async with AsyncExitStack() as stack:
            answers = {fault: replace(faulty(fault), retry_after="") for fault in FAULTS}
            servers = {f"f-{fault}": FakeModelServer(protocol, (answer,)) for fault, answer in answers.items()}
            servers["spare"] = FakeModelServer("openai", (Answer(SPARE),))
            for server in servers.values():
                await stack.enter_async_context(server)
            files: dict[str, str] = {}
            for place, fault in enumerate(FAULTS):
                timeout = "1s" if fault in HUNG else "20s"
                fallback = ("fallback_model: spare/m", f"llm_timeout: {timeout}")
                files |= desk(f"Desk_{place}", f"f-{fault}/m", *fallback)
            opened, tenant, project = await stack.enter_async_context(
                running(data_dir, servers, files, default_model="spare/m")
            )

            async def talk(place: int, fault: str) -> None:
                turn = ChatTurn(tenant_id=tenant, project_id=project, message="Hello", agent=f"Desk_{place}")
                async with asyncio.timeout(60):
                    first = await opened.runtime.chat(turn)
                    second = await opened.runtime.chat(msgspec.structs.replace(turn, session_id=first.session_id))
                if fault != "twin_ids":
                    assert (first.response, second.response) == ("The spare model answers",) * 2, fault

            await asyncio.gather(*(talk(place, fault) for place, fault in enumerate(FAULTS)))

    asyncio.run(story())


def test_a_project_s_own_key_is_used_and_its_own_default(data_dir: str) -> None:
    async def story() -> None:
        async with FakeModelServer("anthropic") as ours, FakeModelServer("gemini") as theirs:
            files = desk("Desk", "")
            async with running(
                data_dir, {"ours": ours}, files, default_model="ours/m", allowed_networks=("127.0.0.0/8",)
            ) as (opened, tenant, project):
                turn = ChatTurn(tenant_id=tenant, project_id=project, message="Hello")
                await opened.runtime.chat(turn)
                assert ours.asked[0].headers["x-api-key"] == "installation"
                own = NewProvider(
                    name="theirs",
                    kind="gemini",
                    project_id=project,
                    is_default=True,
                    base_url=theirs.base_url,
                    models=({"id": "m", "inputPricePerMTok": 1.0, "outputPricePerMTok": 2.0},),
                )
                vault = Vault(opened.database, master_keys(opened.settings))
                await ModelProviders(opened.database, vault).create(tenant, f"p{project}", own, "key of the project")
            async with running(
                data_dir, {"ours": ours}, files, default_model="ours/m", allowed_networks=("127.0.0.0/8",)
            ) as (opened, tenant, project):
                turn = ChatTurn(tenant_id=tenant, project_id=project, message="Hello")
                reply = await opened.runtime.chat(turn)
                assert theirs.asked[0].headers["x-goog-api-key"] == "key of the project"
                ref = SessionRef(tenant, project, reply.session_id)
                page = await opened.runtime.traces(ref, TraceFilter(event_types=("llm_call",)))
                assert page.rows[0]["data"]["provider"] == "theirs"
                assert page.rows[0]["data"]["estimatedCost"] == pytest.approx(36e-6)

    asyncio.run(story())


def test_a_project_chooses_its_default_and_its_tiers(data_dir: str) -> None:
    async def story() -> None:
        async with FakeModelServer("openai") as server:
            files = desk("Fast", "fast") | desk("Plain", "")
            async with running(data_dir, {"p": server}, files, default_model="p/usual") as (opened, tenant, project):
                projects = Projects(opened.database)
                record = await projects.get(tenant, project)
                models = {"defaultModelId": "p/chosen", "tiers": {"fast": "p/small"}}
                settings = {**record.settings, "models": models}
                await projects.update(tenant, msgspec.structs.replace(record, settings=settings))
                for agent in ("Fast", "Plain"):
                    await opened.runtime.chat(
                        ChatTurn(tenant_id=tenant, project_id=project, message="Hello", agent=agent)
                    )
                assert [one.body["model"] for one in server.asked] == ["small", "chosen"]

    asyncio.run(story())
