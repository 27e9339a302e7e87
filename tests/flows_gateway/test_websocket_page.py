"""docs/websocket.md against a gateway: its examples are what is said, and it leaves out no frame, field or close code."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import pytest
from websockets.asyncio.client import ClientConnection
from websockets.exceptions import ConnectionClosed

from gateway import wire
from gateway.app import drain
from gateway.closing import CloseCode
from tests.flows_gateway.test_history_joins import CONCIERGE, ROOM, TEXTS, busy_page
from tests.support.live_gateway import DEADLINE_S, LiveGateway, a_live_gateway
from tests.support.repository import ROOT
from tests.support.servers import Servers
from tests.support.stub_model import StubBehaviour, StubModel

PAGE = (ROOT / "docs" / "websocket.md").read_text(encoding="utf-8")
SCENES = dict(re.findall(r"```frames (\w+)\n(.*?)```", PAGE, re.DOTALL))
GREETING = StubBehaviour(text="Welcome to the house", deltas=2)
HELD = StubBehaviour(text="Welcome to the house", deltas=2, holds_after=1)
CUT = StubBehaviour(text="Welcome to the house", deltas=2, fault="cut", fault_after=2)
MODELS = {"stop": (HELD, HELD, GREETING), "unsaid": (HELD,), "restart": (CUT, GREETING)}
ANY_NUMBER_FROM = 1_000
TURNS_BEFORE_GAP = 300


def agrees(told: Any, written: Any) -> bool:
    """Whether a value is as an example has it, in which a number and the rest of a text may stand for any."""
    match written:
        case dict():
            names = set(written)
            timed = {"queued"} & names  # how many turns are before it is a matter of time
            same = isinstance(told, dict) and set(told) == names
            return same and all(agrees(told[one], written[one]) for one in names - timed)
        case list():
            return isinstance(told, list) and len(told) == len(written) and all(map(agrees, told, written))
        case str() if written.endswith("..."):
            return isinstance(told, str) and told.startswith(written[:-3])
        case int() if written >= ANY_NUMBER_FROM and not isinstance(written, bool):
            return isinstance(told, int) and told >= ANY_NUMBER_FROM
        case _:
            return bool(told == written and type(told) is type(written))


class Scene:
    """One example, played line by line."""

    def __init__(self, gateway: LiveGateway, token: str) -> None:
        self.gateway = gateway
        self.token = token
        self.heard: list[dict[str, Any]] = []
        self.socket: ClientConnection | None = None
        self.draining: asyncio.Task[None] | None = None

    async def play(self, lines: list[str]) -> None:
        """Play lines until the connection changes; the next connection plays the others."""
        while lines:
            query = ""
            if lines[0].startswith("-- cut"):
                query = f"?lastSeq={self.heard[-1]['seq']}"
            elif lines[0].startswith("-- after 300"):
                await self._speak_for_long()
                query = "?lastSeq=1"
            lines = lines[bool(query) :]
            async with self.gateway.socket(self.token, query) as self.socket:
                if query == "" and '"session_start"' not in lines[0]:
                    assert (await self._hear())["type"] == "session_start"
                while lines and not lines[0].startswith(("-- cut", "-- after")):
                    await self._line(lines.pop(0))

    async def _line(self, line: str) -> None:
        assert self.socket is not None
        mark, _, rest = line.partition(" ")
        if mark == "->":
            last = next((frame["messageId"] for frame in self.heard[::-1] if frame["type"] == "response_end"), "")
            await self.socket.send(rest.replace("$messageId", last))
        elif rest.startswith("closed "):
            with pytest.raises(ConnectionClosed) as closed:
                await self._hear()
            assert closed.value.rcvd is not None
            assert closed.value.rcvd.code == int(rest.split()[1])
        elif rest.startswith("the gateway is being stopped"):
            self.draining = asyncio.create_task(drain(self.gateway.app, DEADLINE_S))
        elif rest.startswith("... "):
            while (await self._hear())["type"] != rest[4:]:
                pass
        else:
            told, written = await self._hear(), json.loads(rest)
            assert agrees(told, written), f"{line}\nwas told as\n{json.dumps(told)}"

    async def _hear(self) -> dict[str, Any]:
        assert self.socket is not None
        async with asyncio.timeout(DEADLINE_S):
            frame: dict[str, Any] = json.loads(await self.socket.recv())
        self.heard.append(frame)
        return frame

    async def _speak_for_long(self) -> None:
        async with self.gateway.socket(self.token) as self.socket:
            await self._hear()
            for number in range(TURNS_BEFORE_GAP):
                await self.socket.send(json.dumps({"type": "chat_message", "text": "x", "messageId": f"m{number}"}))
                while (await self._hear())["type"] != "response_end":
                    pass


@asynccontextmanager
async def a_scene(servers: Servers, name: str) -> AsyncIterator[Scene]:
    """Yield a page of a gateway; of the scenes in which a model speaks, it is the first that does."""
    texts = {"concierge.abl": CONCIERGE} if name in MODELS else TEXTS
    async with (
        StubModel(*MODELS.get(name, (GREETING,))) as model,
        a_live_gateway(servers, f"page-{name}", texts, model_url=model.base_url, tool_mocks=(ROOM,)) as gateway,
    ):
        yield Scene(gateway, await busy_page(gateway))
        model.may_go_on.set()


@pytest.mark.anyio
@pytest.mark.parametrize("name", sorted(SCENES))
async def test_what_the_page_tells_is_what_is_said(servers: Servers, name: str) -> None:
    async with a_scene(servers, name) as scene:
        await scene.play([line for line in SCENES[name].splitlines() if line])
        if scene.draining is not None:
            await scene.draining


def test_the_page_has_examples_and_each_kind_of_frame_stands_in_one() -> None:
    shown = set(re.findall(r'^(?:->|<-) \{"type": "([\w.]+)"', PAGE, re.MULTILINE)) - {"dance"}
    assert shown == {*wire.CLIENT_FRAMES, *wire.SERVER_FRAMES}


@pytest.mark.parametrize(
    ("title", "table", "common"),
    [
        ("Frames of the client", wire.CLIENT_FRAMES, wire.ClientFrame),
        ("Frames of the server", wire.SERVER_FRAMES, wire.ServerFrame),
    ],
)
def test_the_tables_have_every_frame_with_every_field(title: str, table: Any, common: type[msgspec.Struct]) -> None:
    section = PAGE.split(f"## {title}\n")[1].split("\n## ")[0]
    lines = [[cell.strip() for cell in line.split("|")] for line in section.splitlines() if line.startswith("| `")]
    rows = {cells[1].strip("`"): cells[2] for cells in lines}
    assert set(rows) == set(table)
    shared = {field.encode_name for field in msgspec.structs.fields(common)}
    for name, frame in table.items():
        wanted = {
            field.encode_name + ("" if field.required else "?")
            for field in msgspec.structs.fields(frame)
            if field.encode_name not in shared
        }
        written = set(re.findall(r"`(\w+\??)`", re.sub(r"\{.*?\}|\(.*?\)", "", rows[name])))
        assert written == wanted, name


def test_the_page_has_every_close_code_and_no_other() -> None:
    section = PAGE.split("## Close codes\n")[1]
    assert [int(code) for code in re.findall(r"^\| (\d{4}) \|", section, re.MULTILINE)] == [
        one.value for one in CloseCode
    ]
