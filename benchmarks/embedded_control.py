"""The control of the embedded model's conversations: constants in the place of everything that the model answers.

What our adapter reaches with them (it matches words, and lets the model choose among few) is not the model's merit.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import groupby
from typing import Any, Literal

from aiohttp import web

from actors.projects import put_project
from actors.runtime import ChatTurn
from actors.settings import ModelProvider, Settings
from actors.wiring import RunningRuntime, open_runtime
from benchmarks.embedded_talks import Told, missed, mocks_of, stories, texts_of
from benchmarks.ports import free_port
from benchmarks.serving import a_folder
from domain.errors import AppError
from domain.json_values import JsonObject

NAME = "constant"
TEXT = "OK."
Choice = Literal["first", "last"]


def constant(schema: JsonObject, choice: Choice) -> Any:
    """Return a value that fits a JSON schema and says nothing: of a choice the first or the last."""
    if "enum" in schema:
        return schema["enum"][0 if choice == "first" else -1]
    if "const" in schema:
        return schema["const"]
    kind = schema.get("type", "string")
    if "oneOf" in schema or (isinstance(kind, list) and "null" in kind):
        return None
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: constant(one, choice) for name, one in (schema.get("properties") or {}).items()}
        case "array":
            return []
        case "boolean":
            return False
        case "number" | "integer":
            return 0
        case _:
            return ""


@asynccontextmanager
async def answering(choice: Choice) -> AsyncGenerator[str]:
    """Yield the address of a server that answers every request for a completion with the same."""

    async def complete(request: web.Request) -> web.StreamResponse:
        asked = await request.json()
        schema = (asked.get("response_format") or {}).get("json_schema", {}).get("schema")
        text = TEXT if schema is None else json.dumps(constant(schema, choice))
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        head = {"id": "c", "object": "chat.completion", "model": NAME, "usage": usage}
        if not asked.get("stream"):
            message = {"role": "assistant", "content": text}
            return web.json_response(head | {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
        piece = {"index": 0, "delta": {"content": text}, "finish_reason": "stop"}
        body = f"data: {json.dumps(head | {'choices': [piece]})}\n\ndata: [DONE]\n\n"
        return web.Response(text=body, content_type="text/event-stream")

    async def is_loaded(_: web.Request) -> web.Response:
        return web.json_response({"status": "ok"})

    app = web.Application()
    app.router.add_get("/health", is_loaded)
    app.router.add_post("/v1/chat/completions", complete)
    runner, port = web.AppRunner(app, access_log=None), free_port()
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    try:
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        await runner.cleanup()


async def control() -> int:
    """Return how many conversations reach their goal with the better of two constants."""
    return max([await _reached("first"), await _reached("last")])


async def _reached(choice: Choice) -> int:
    with a_folder() as folder:
        async with answering(choice) as url:
            provider = ModelProvider(
                name="embedded", kind="embedded", base_url=url, models=(NAME,), options={"path": str(folder)}
            )
            settings = Settings(
                data_dir=str(folder), runtime="local", providers=(provider,), default_model=f"embedded/{NAME}"
            )
            async with open_runtime(settings) as running:
                reached = 0
                for example, group in groupby(stories(), key=lambda story: story["example"]):
                    seeded = await put_project(running.database, f"{example}-{choice}", texts_of(example))
                    for story in group:
                        reached += not missed(await _hold(running, seeded, story), story["goal"])
                return reached


async def _hold(running: RunningRuntime, seeded: Any, story: JsonObject) -> Told:
    """Hold one conversation; a turn that fails ends it."""
    told, session = Told(), ""
    context = {"toolMocks": mocks_of(story), "sessionVariables": story.get("variables", {})}
    for text in story["turns"]:
        turn = ChatTurn(
            tenant_id=seeded.tenant_id,
            project_id=seeded.project_id,
            message=text,
            session_id=session,
            test_context=None if session else context,
        )
        try:
            reply = await running.runtime.chat(turn)
        except AppError as error:
            told.faults.append(error.message)
            break
        session = reply.session_id
        told.add(reply.response, reply.state, reply.action["type"], reply.trace_events or ())
    return told
