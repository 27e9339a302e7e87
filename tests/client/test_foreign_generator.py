"""A client that a foreign generator makes of the document talks to a served gateway.

`openapi-python-client` wants an older typer than the product, so `make setup` puts it into a folder beside the
environment. What it makes stays in a temporary folder.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from gateway.app import document
from tests.support.echo import an_echo
from tests.support.live_gateway import a_live_gateway
from tests.support.servers import Servers
from tools.environment import GENERATOR_FOLDER

pytestmark = pytest.mark.anyio
NOT_PARSED_MAX = 1
"""The content of an attachment is of any type, which the generator leaves out."""
TALK = """
import json, sys
from made import AuthenticatedClient
from made.api.chat import chat_with_agent
from made.api.transcripts import list_transcript
from made.models import ChatAgentBody

url, key, project = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
said, session = [], None
for text in ("hello", "again"):
    asked = {"projectId": project, "message": text, **({"sessionId": session} if session else {})}
    reply = chat_with_agent.sync(client=client, body=ChatAgentBody.from_dict(asked))
    session = reply.session_id
    said.append(reply.response)
lines = list_transcript.sync(session, client=client).messages
print(json.dumps([said, [line.content for line in lines]]))
"""


async def printed(*command: str, cwd: Path) -> tuple[str, str]:
    """Return what a Python program beside the generator has printed, and its complaints. Raises AssertionError: it has failed."""
    pipe = asyncio.subprocess.PIPE
    folders = os.pathsep.join((str(GENERATOR_FOLDER / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**os.environ, "PYTHONPATH": str(GENERATOR_FOLDER), "PATH": folders}
    running = await asyncio.create_subprocess_exec(
        sys.executable, *command, cwd=cwd, stdout=pipe, stderr=pipe, env=environment
    )
    out, err = await running.communicate()
    assert running.returncode == 0, err.decode()
    return out.decode(), err.decode()


async def test_a_client_of_a_foreign_generator_holds_a_conversation(servers: Servers, tmp_path: Path) -> None:
    (tmp_path / "openapi.json").write_text(json.dumps(document("1")))
    making = ("generate", "--path", "openapi.json", "--output-path", "made", "--meta", "none")
    told = "".join(await printed("-m", "openapi_python_client", *making, cwd=tmp_path))
    assert told.count("WARNING parsing") <= NOT_PARSED_MAX
    assert "Unable to" not in told
    async with a_live_gateway(servers, "foreign", {"echo.abl": an_echo("heard")}) as gateway:
        url = f"http://127.0.0.1:{gateway.port}"
        talk = ("-c", TALK, url, gateway.key, gateway.project_id)
        said, lines = json.loads((await printed(*talk, cwd=tmp_path))[0])
    assert said == ["heard hello", "heard again"]
    assert lines == ["hello", "heard hello", "again", "heard again"]
