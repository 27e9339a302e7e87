"""`abl serve` in production mode, and with a port of its own for metrics, as an operator starts it."""

from __future__ import annotations

import asyncio
from pathlib import Path

import aiohttp
import pytest

from benchmarks.ports import free_port
from tests.support.served import started, until

START_S = 60.0
pytestmark = pytest.mark.xdist_group("product")


def test_a_cluster_with_generated_secrets_does_not_start_in_production(tmp_path: Path) -> None:
    async def story() -> None:
        given = {
            "ABL_MODE": "production",
            "DATABASE_URL": "postgresql://nowhere.invalid/abl",
            "ABL_LINK_TOKEN": "x" * 40,
        }
        async with started(tmp_path, "--address", "nowhere.invalid:6379", **given) as server:
            async with asyncio.timeout(START_S):
                assert await server.wait() == 2
        said = " ".join((tmp_path / "log").read_text().split())
        assert "Set ABL_MASTER_KEYS, ABL_TOKEN_SECRETS and ABL_SANDBOX_SECRET, the same on every node" in said
        assert "openssl rand -base64 32" in said
        assert "Traceback" not in said

    asyncio.run(story())


def test_one_node_in_production_starts_with_its_own_secrets_and_tells_its_numbers_elsewhere(tmp_path: Path) -> None:
    async def story() -> None:
        port, watched = free_port(), free_port()
        given = {"ABL_MODE": "production", "ABL_METRICS_PORT": str(watched)}
        async with started(tmp_path, "--runtime", "local", "--port", str(port), **given) as server:
            await until(lambda: "Try:" in (tmp_path / "log").read_text(), "it serves", within_s=START_S)
            async with aiohttp.ClientSession() as http:

                async def status(at: int, path: str) -> int:
                    async with http.get(f"http://127.0.0.1:{at}{path}") as answer:
                        return answer.status

                assert [await status(port, path) for path in ("/health", "/ready", "/metrics")] == [200, 200, 404]
                assert [await status(port, path) for path in ("/", "/docs", "/openapi.json")] == [404, 404, 404]
                assert [await status(watched, path) for path in ("/health", "/ready", "/metrics")] == [200] * 3
                assert [await status(watched, path) for path in ("/api/projects", "/docs")] == [404, 404]
                async with http.get(f"http://127.0.0.1:{watched}/metrics") as answer:
                    assert 'route="/ready",status="200"' in await answer.text()
            server.terminate()
            async with asyncio.timeout(START_S):
                assert await server.wait() == 0

    asyncio.run(story())
