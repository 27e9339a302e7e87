"""A list as anybody would write it with FastAPI and asyncpg: the baseline of the platform's lists."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

from fastapi import FastAPI, Query


def bare_route(pool: Any, sent: Sequence[tuple[str, list[object]]], answer: bytes) -> FastAPI:
    """Return an app with one route, `/bare`: pages have bounds, the statements go through a pool, nobody is asked for.

    Args:
        pool: Of the driver.
        sent: Statements with their values.
        answer: JSON of what is answered.
    """
    app, content = FastAPI(), json.loads(answer)

    @app.get("/bare")
    async def bare(
        limit: Annotated[int, Query(ge=1, le=200)] = 50, offset: Annotated[int, Query(ge=0)] = 0
    ) -> dict[str, Any]:
        for sql, values in sent:
            await pool.fetch(sql, *values)
        return dict(content)

    return app
