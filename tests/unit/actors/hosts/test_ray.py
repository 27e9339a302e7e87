"""Hosts as Ray actors, where Ray does not answer: nobody waits for ever. What they do where it does: `tests/cluster`."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from actors.hosts.port import HostDoesNotStart
from actors.settings import Settings
from domain.errors import Unavailable

WITHIN_S = 20.0
"""A test that fails waits for so long; one that holds waits for nothing."""


def test_a_ray_that_does_not_answer_holds_up_neither_a_start_nor_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    module = pytest.importorskip("actors.hosts.ray")
    monkeypatch.setattr("actors.hosts.asked_thread.CALL_S", 0.01)
    stuck = threading.Event()

    async def nobody_died(_epoch: int) -> None:
        raise AssertionError("no host was there")

    async def story() -> None:
        settings = Settings(runtime="ray", ray_address="127.0.0.1:1")
        hosts = module.RayHosts(settings, None, tmp_path, 1, None, nobody_died)
        hosts._thread.begin(stuck.wait)  # Ray blocks its caller, and so whoever asks next
        async with asyncio.timeout(WITHIN_S):
            with pytest.raises(HostDoesNotStart, match="Ray does not answer"):
                await hosts.keep("host-0")
            with pytest.raises(Unavailable):
                await hosts.end("host-0")
            assert await hosts._ready("host-0") is None
            hosts._watched.add("host-1")
            await hosts.stop()

    try:
        asyncio.run(story())
    finally:
        stuck.set()
    assert "host-1 is not ended: Ray does not answer" in caplog.text
    assert "Ray is left as it is" in caplog.text
