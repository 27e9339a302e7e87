"""A project's own words of a language are put, served, exported and imported with it. Spec: platform-api 9."""

from __future__ import annotations

import pytest

from tests.flows_gateway.test_transfer import a_gateway, a_project, export, imported
from tests.support.servers import Servers

pytestmark = pytest.mark.anyio
DESK = """\
AGENT: Desk
LANGUAGE: de
GOAL: "Take a name"

FLOW:
  entry_point: ask
  ask:
    REASONING: false
    GATHER:
      name:
        type: string
        required: true
    THEN: COMPLETE
"""
LANGUAGE = 'sentences:\n  gather_prompt: "Na, {{fields}}?"\n'
TEXTS = {"agents/Desk.abl": DESK, "languages/de.yaml": LANGUAGE}


async def test_a_folder_with_a_language_speaks_it_and_travels_with_it(servers: Servers) -> None:
    async with a_gateway(servers, "own-words", TEXTS) as gateway:
        said = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": ""})
        if said.status != 200:
            said = await gateway.call("POST", "/api/v1/chat/agent", {"projectId": gateway.project_id, "message": "?!"})
        assert "Na, name?" in said.body.decode()
        first = await export(gateway)
        assert first["files"] == TEXTS
        assert first["manifest"]["languages"]["de"]["path"] == "languages/de.yaml"
        elsewhere = await a_project(gateway, "own-words-two")
        done = (await imported(gateway, first["files"], elsewhere)).json()
        assert done["applied"] == {"created": 2, "updated": 0, "deleted": 0}
        assert (await export(gateway, elsewhere))["files"] == TEXTS
        told = await imported(gateway, {**TEXTS, "languages/de.yaml": "yess: jo\n"}, elsewhere)
        assert "languages/de.yaml:1: yess: is no key of a language" in told.body.decode()
