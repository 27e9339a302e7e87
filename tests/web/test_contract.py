"""The web SDK has what its contract names: every member, option, field, event and hook. Spec: platform-api 13.1, 13.2."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.support.repository import ROOT
from tools.generate_web_contract import PLACE, promises, text_of_contract
from tools.node import WEB, modules_of

PACKAGE = ROOT / WEB / "packages" / "web-sdk"
WITHIN_S = 120


def test_the_types_that_hold_the_sdk_to_it_are_those_of_its_tables() -> None:
    assert PLACE.read_text(encoding="utf-8") == text_of_contract()


def test_every_row_of_the_tables_is_a_promise() -> None:
    named = promises()
    assert len([name for name in named if " event " in name]) == 5 + 7 + 13
    assert len([name for name in named if " option " in name]) == 4 + 2 + 9
    assert len([name for name in named if name.startswith("AgentSDK.")]) == 7 + 4
    assert len([name for name in named if name.startswith("ChatClient.")]) == 5 + 4
    assert len([name for name in named if name.startswith("VoiceClient.")]) == 6 + 4
    assert len([name for name in named if name.startswith(("useAgent", "useChat", "useVoice"))]) == 3 + 14 + 4 + 6


@pytest.mark.parametrize(
    "lie",
    [
        'Has<sdk.Message, "colour">',
        'Gives<sdk.ChatClient, "send", Promise<number>>',
        'Tells<sdk.ChatEvents, "typing", "isTyping" | "who">',
        'Tells<sdk.ChatEvents, "messageChunk", "messageId">',
        'Gives<sdk.VoiceClient, "toggleMute", void>',
        'Tells<sdk.VoiceEvents, "transcriptionFinal", "text">',
        'Has<{ loose: any }, "loose">',
        'Tells<{ told: { loose: any } }, "told", "loose">',
    ],
)
def test_a_promise_that_is_not_kept_is_an_error(node: Path, tmp_path: Path, lie: str) -> None:
    here = (
        text_of_contract()
        .replace('"../src/', f'"{PACKAGE}/src/')
        .replace('"./promises', f'"{PACKAGE}/testing/promises')
    )
    path = tmp_path / "lie.ts"
    path.write_text(here.replace("];\n", f"  Holds<{lie}>,\n];\n"), encoding="utf-8")
    options = ("--strict", "--noEmit", "--target", "ES2022", "--module", "esnext", "--moduleResolution", "bundler")
    others = ("--allowImportingTsExtensions", "--skipLibCheck", "--ignoreConfig")
    command = [node, modules_of(WEB) / "typescript" / "bin" / "tsc", *options, *others, path]
    done = subprocess.run(command, cwd=PACKAGE, capture_output=True, text=True, check=False, timeout=WITHIN_S)
    assert done.stdout.count("error TS") == done.stdout.count("error TS2344") == 1, done.stdout
