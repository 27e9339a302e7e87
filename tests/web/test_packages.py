"""The packages of `web/`: their types hold, and their own tests pass in Node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from actors.runtime import ChatTurn
from actors.session.repeating import derived_id, spoken_id
from actors.turn_keys import key_of
from gateway.conversation import SOCKET_KEY
from gateway.routes.sdk import NOBODY
from tests.support.repository import ROOT
from tools.node import WEB, modules_of

SDK = ROOT / WEB / "packages" / "web-sdk"
TESTS = sorted(SDK.glob("src/**/*.test.ts"))
WITHIN_S = 120


def run(node: Path, *arguments: str | Path) -> str:
    done = subprocess.run([node, *arguments], cwd=SDK, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_types_hold_of_sources_and_tests(node: Path) -> None:
    for project in ("tsconfig.json", "tsconfig.test.json"):
        run(node, modules_of(WEB) / "typescript" / "bin" / "tsc", "-p", SDK / project)


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.stem)
def test_its_own_tests_pass(node: Path, path: Path) -> None:
    said = run(node, "--test", "--test-reporter=tap", path)
    assert "# pass 0\n" not in said


def test_the_core_imports_where_there_is_no_window(node: Path) -> None:
    script = (
        f"const {{ AgentSDK }} = await import({json.dumps(str(SDK / 'src' / 'index.ts'))});"
        "const sdk = new AgentSDK({ projectId: 'p', apiKey: 'pk_1', endpoint: 'http://127.0.0.1:1' });"
        "console.log(typeof window, sdk.isConnected(), sdk.getSessionId(), sdk.chat().getMessages().length);"
    )
    assert run(node, "--input-type=module", "-e", script) == "undefined false null 0\n"


def key(session_id: str, message_id: str) -> str:
    """Return the key of a message that a page sends over its socket."""
    asked = {"tenant_id": "t", "project_id": "p", "message": "", "session_id": session_id}
    whose = {"user_kind": "sdk", "user_id": NOBODY}
    return key_of(ChatTurn(**asked, **whose, idempotency_key=SOCKET_KEY + message_id))


def test_ids_are_derived_as_the_server_derives_them(node: Path) -> None:
    texts = ["", "m1", "é", "\U0001f600", "x" * 90, "x" * 128, "x" * 300]
    pairs = [[session, message] for session in ("ses_1", *texts) for message in texts]
    script = (
        f"import {{ answerId, spokenId }} from {json.dumps(str(SDK / 'src' / 'derived-ids.ts'))};"
        "const pairs = JSON.parse(process.argv[1]);"
        "console.log(JSON.stringify(pairs.map(([session, id]) => [answerId(session, id), spokenId(session, id)])));"
    )
    derived = json.loads(run(node, "--input-type=module", "-e", script, json.dumps(pairs)))
    assert derived == [[derived_id(one, key(one, id_)), spoken_id(one, key(one, id_))] for one, id_ in pairs]
