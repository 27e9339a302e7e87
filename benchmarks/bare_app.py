"""What the product is measured against: the least that a FastAPI application needs to answer with a model's words.

One route, one pydantic body, one call of the model with httpx. Nothing is stored, checked, traced or retried.
`python -m benchmarks.bare_app MODEL_URL PORT`.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import uvicorn
from fastapi import FastAPI, Request
from pydantic import BaseModel

SYSTEM = "You answer questions about parcels in one sentence."


class Message(BaseModel):
    """What is posted."""

    message: str


class Answer(BaseModel):
    """What comes back."""

    response: str


def build(model_url: str) -> FastAPI:
    """Return the application; its client of the model lives as long as it."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
        async with httpx.AsyncClient(base_url=model_url, timeout=30.0, limits=limits) as client:
            app.state.client = client
            yield

    app = FastAPI(lifespan=lifespan)

    @app.post("/chat")
    async def chat(body: Message, request: Request) -> Answer:
        messages = [{"role": "system", "content": SYSTEM}, {"role": "user", "content": body.message}]
        asked = {"model": "stub", "messages": messages}
        answer = await request.app.state.client.post("/chat/completions", json=asked)
        answer.raise_for_status()
        return Answer(response=answer.json()["choices"][0]["message"]["content"])

    return app


if __name__ == "__main__":
    uvicorn.run(build(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False)
