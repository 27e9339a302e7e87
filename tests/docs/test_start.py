"""`docs/start.md` is a walk that somebody can take: every block is run by a shell, and prints what stands under it."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pytest

from benchmarks.ports import free_port
from tests.support.repository import ROOT
from tests.support.served import served

pytestmark = pytest.mark.xdist_group("product")
PAGE = (ROOT / "docs" / "start.md").read_text(encoding="utf-8")
STEPS = re.findall(r"```bash\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, re.DOTALL)
END = "--- end of step {} ---"
WALK_S = 60.0
DESK = 'AGENT: Desk\nGOAL: "Be there"\n'


async def run(script: str, folder: Path, environment: Mapping[str, str]) -> str:
    """Return what a script prints; whatever it has started ends with it."""
    place = folder / "printed.txt"
    with place.open("wb") as out:
        walk = await asyncio.create_subprocess_exec(
            "bash",
            "-c",
            script,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "no_proxy": "127.0.0.1", **environment},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
    try:
        async with asyncio.timeout(WALK_S):
            status = await walk.wait()
    except TimeoutError:
        status = None
    finally:
        with suppress(ProcessLookupError):
            os.killpg(walk.pid, signal.SIGKILL)
    printed = place.read_text(encoding="utf-8")
    assert status == 0, printed
    return printed


def test_the_page_sets_each_variable_before_it_uses_it() -> None:
    known = {"PATH", "HOME"}
    for commands, _ in STEPS:
        for line in commands.splitlines():
            known |= set(re.findall(r"(?:^|[ ;(])([A-Z][A-Z_]*)=", line))
            assert set(re.findall(r"\$\{?([A-Z][A-Z_]*)", line)) <= known, line
    assert {"URL", "KEY", "BANK_PORT"} <= known


def test_every_step_prints_what_the_page_shows(tmp_path: Path) -> None:
    script = "set -eu\n" + "".join(f"{commands}\necho '{END.format(n)}'\n" for n, (commands, _) in enumerate(STEPS))
    folder = tmp_path / "walk"
    folder.mkdir()

    async def walk() -> str:
        async with served(tmp_path, {"desk.agent.abl": DESK}, hosts=1, allowed="127.0.0.0/8") as product:
            return await run(script, folder, {"URL": product.url, "KEY": product.key, "BANK_PORT": str(free_port())})

    printed = asyncio.run(walk())
    assert len(STEPS) > 10
    for number, (_, shown) in enumerate(STEPS):
        step, _, printed = printed.partition(END.format(number))
        for line in shown.splitlines():
            assert re.search(".*?".join(map(re.escape, line.split("..."))), step), f"{line}\nnot in\n{step}"
