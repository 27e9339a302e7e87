"""Imports that want to leave their folder, to be too much, or to be something else. Spec: platform-api 9."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from domain import limits
from tests.support.hostile import ANSWER_MAX_BYTES, ANSWER_MAX_S, JSON, SHOWN, Attack, sent, struck
from tests.support.hostile_store import Place

pytestmark = [pytest.mark.anyio, pytest.mark.xdist_group("hostile")]
PATHS = (
    "..", "../a.abl", "agents/../../a.abl", "agents/..", "/etc/passwd", "/agents/a.abl", "//a", "\\a", "..\\a", "agents\\a.abl",
    "C:\\a", "\\\\host\\share", "a\0.abl", "\0", "", "agents/a..abl", "agents/..a/b.abl", "agents/.../a.abl", "agents/a/../b.abl",
    "./../a", "agents/./../a", "a/b/c/../../../../d", "agents/..;/a", "..\u2215a", "..%2fa", "agents/%2e./..", "\u2025/..",
)  # fmt: skip
OTHERS: tuple[Any, ...] = (None, [], "a", 0, True, [["agents/a.abl", "AGENT: A"]])
NO_TEXTS: tuple[Any, ...] = (None, 0, 1.5, True, [], {}, ["AGENT: A"], {"text": "AGENT: A"}, "a\0b")
FILE = "agents/desk.agent.abl"


def targets(place: Place) -> list[str]:
    base = f"/api/projects/{place.project_id}/project-io/import"
    return [base, f"{base}/preview"]


def bodies() -> Iterator[tuple[str, Any]]:
    for path in PATHS:
        yield f"path {path!r}", {path: "AGENT: A"}
        yield f"path {path!r} behind a good one", {FILE: "AGENT: Desk", path: "AGENT: A"}
    for value in OTHERS:
        yield f"files {value!r}", value
    for text in NO_TEXTS:
        yield f"text {text!r}", {FILE: text}
    yield "too many files", {f"agents/a{n}.abl": "" for n in range(limits.IMPORT_FILES_MAX + 1)}
    yield "a file too long", {FILE: "a" * (limits.IMPORT_FILE_MAX_BYTES + 1)}
    yield "a file too long in bytes", {FILE: "é" * (limits.IMPORT_FILE_MAX_BYTES // 2 + 1)}
    yield "all too long", {f"a{n}": "a" * limits.IMPORT_FILE_MAX_BYTES for n in range(51)}


async def test_no_import_leaves_its_folder(place: Place) -> None:
    def attacks() -> Iterator[Attack]:
        for name, files in bodies():
            body = json.dumps({"files": files}).encode()
            for target in targets(place):
                yield Attack(name, "POST", target, JSON, [body])

    count, complaints = await struck(place, attacks())
    assert not complaints, "\n".join(complaints[:SHOWN])
    assert count >= 130


async def test_a_path_that_stands_twice_is_refused(place: Place) -> None:
    body = b'{"files":{"agents/a.abl":"AGENT: A","agents/a.abl":"AGENT: B","agents/\\u0061.abl":"AGENT: C"}}'
    _, complaints = await struck(
        place, [Attack("twice", "POST", target, JSON, [body], (400,)) for target in targets(place)]
    )
    assert not complaints


GATHER = (
    'AGENT: A\nGOAL: "G"\nPERSONA: "P"\n\nGATHER:\n  code:\n    prompt: "Code"\n    type: string\n    validate: "{}"\n'
)
BOMBS = {
    "a pattern that explodes": GATHER.format("(a+)+$"),
    "a pattern of many": GATHER.format("((a{1,999}){1,999}){1,999}"),
    "a pattern that is deep": GATHER.format("(" * 50_000 + ")" * 50_000),
    "a pattern of alternatives": GATHER.format("|".join(["a*"] * 100_000)),
    "a pattern that looks back": GATHER.format("(a)\\\\1"),
    "a pattern of classes": GATHER.format("[\\\\p{L}\\\\p{N}]{1000}" * 500),
    "YAML that doubles": "agent: a\n"
    + "".join(f"k{n}: &k{n} [{', '.join([f'*k{n - 1}'] * 9) if n else 1}]\n" for n in range(40)),
    "YAML that is deep": "agent: " + "[" * 50_000,
    "YAML that is deep by lines": "agent: a\n" + "".join(" " * n + "a:\n" for n in range(1_000)),
    "YAML with a tag": "agent: !!python/object/apply:os.system ['id']\n",
    "brackets": 'AGENT: A\nGOAL: "G"\nCONSTRAINTS:\n  - REQUIRE: ' + "(" * 100_000,
    "nots": 'AGENT: A\nGOAL: "G"\nCONSTRAINTS:\n  - REQUIRE: ' + "not " * 100_000 + "a",
    "templates": 'AGENT: A\nGOAL: "' + "{{" * 100_000 + '"\n',
    "conditions in templates": 'AGENT: A\nGOAL: "' + "{{#if a}}" * 50_000 + '"\n',
    "indentation": "AGENT: A\n" + "".join(" " * n + "x:\n" for n in range(1_000)),
    "a long line": "AGENT: " + "A" * 900_000,
    "many lines": "AGENT: A\n" + "\n" * 900_000,
    "many quotes": '"' * 900_000,
    "many tabs": "\t" * 900_000,
    "many signs": "\u0300" * 300_000,
}
BOMB_MAX_S = 2 * ANSWER_MAX_S
"""For texts of a megabyte with a fault in every line, on a machine that does other things too."""


@pytest.mark.parametrize("name", BOMBS)
async def test_no_text_takes_long_to_be_refused(place: Place, name: str) -> None:
    target = f"/api/projects/{place.project_id}/agents/Clerk/validate"
    body = json.dumps({"dslContent": BOMBS[name]}).encode()
    answered = await sent(place, Attack(name, "POST", target, JSON, [body]), place.headers["owner"])
    assert answered.status in (200, 400, 413), answered.body[:200]
    assert answered.took_s < BOMB_MAX_S
    assert len(answered.body) < 3 * len(body) + ANSWER_MAX_BYTES
