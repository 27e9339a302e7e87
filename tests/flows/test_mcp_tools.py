"""MCP tools in a session: a value of a real server program, and a call of which nobody knows whether it was done."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from providers.mcp.servers import McpServer
from tests.support.mcp_servers import PROGRAM
from tests.support.stories import a_story

pytestmark = pytest.mark.xdist_group("mcp")
DESK = """\
AGENT: Desk
GOAL: "Book"

TOOLS:
  tables(kitchen: string) -> {place_id: string, name: string}[]
    description: "Finds"
    type: mcp
    server: "guide"
    server_tool: "tables.search"

  book(place: string) -> {code: string}
    description: "Books"
    type: mcp
    server: "guide"
    side_effects: true

FLOW:
  entry_point: listen
  listen:
    REASONING: false
    ON_INPUT:
      - IF: input == "book"
        THEN: book
      - ELSE:
        THEN: find
  find:
    REASONING: false
    CALL: tables(kitchen: input)
      AS: found
    RESPOND: "{{#each found}}{{this.name}}{{/each}}"
    THEN: listen
  book:
    REASONING: false
    CALL: book(place: "p1")
      AS: booked
    RESPOND: "booked"
    THEN: listen
"""


def test_tools_of_a_program_and_one_that_dies_in_the_midst_of_a_call(data_dir: str, tmp_path: Path) -> None:
    async def story() -> None:
        ledger = tmp_path / "ledger"
        guide = McpServer(command=sys.executable, args=(PROGRAM, str(ledger)))
        async with a_story(data_dir, "mcp-desk", {"a.abl": DESK}, mcp_servers={"guide": guide}) as told:
            found = await told.say("Thai")
            assert found.response == "Casa Thai"
            booked = await told.say("book", found.session_id)
            assert "I cannot tell whether book was done" in booked.response
            error = next(one["data"] for one in booked.trace_events if one["type"] == "tool_result")["error"]
            assert error["code"] == "outcome_unknown"
            assert ledger.read_text("utf-8").splitlines() == ["book p1"]
            assert (await told.say("Thai", found.session_id)).response == "Casa Thai", "the program is started again"

    asyncio.run(story())
