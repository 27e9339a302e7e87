"""The rules of an import in their order, where documents stand in an export, and what an import would do."""

from __future__ import annotations

import itertools
import random
from typing import Any

import pytest

from domain import limits
from domain.errors import InvalidInput
from domain.transfer import (
    ALL_TOO_LARGE,
    BAD_NAME,
    BAD_PATH,
    EMPTY,
    FILE_TOO_LARGE,
    NO_FILES,
    NO_TEXT,
    TOO_MANY_FILES,
    UNSTORABLE,
    Change,
    Edge,
    Entity,
    Existing,
    Exported,
    ImportMode,
    Place,
    broken_edges,
    checked_files,
    counted,
    document_of,
    is_part,
    is_safe_path,
    lockfile_of,
    manifest_of,
    path_of,
    place_of,
    plan,
    source_hash,
    stem_of,
)

DESK, TOOLS = Place(Entity.AGENT, "Desk"), Place(Entity.TOOL, "orders")
MANY = {f"agents/a{number}.abl": "x" for number in range(limits.IMPORT_FILES_MAX + 1)}
LARGE = "x" * (limits.IMPORT_FILE_MAX_BYTES + 1)
FULL = {f"agents/a{number}.abl": "x" * limits.IMPORT_FILE_MAX_BYTES for number in range(51)}


def refused(files: Any) -> str:
    with pytest.raises(InvalidInput) as caught:
        checked_files(files)
    return caught.value.message


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (None, NO_FILES),
        ([], NO_FILES),
        ("agents/a.abl", NO_FILES),
        (7, NO_FILES),
        (MANY, TOO_MANY_FILES),
        ({"a/../b": ""}, BAD_PATH),
        ({"agents/a.abl": 1}, NO_TEXT),
        ({"agents/a.abl": None}, NO_TEXT),
        ({"agents/a.abl": {"text": ""}}, NO_TEXT),
        ({"agents/a.abl": LARGE}, FILE_TOO_LARGE),
        ({"agents/a.abl": "ä" * (limits.IMPORT_FILE_MAX_BYTES // 2 + 1)}, FILE_TOO_LARGE),
        (FULL, ALL_TOO_LARGE),
        ({"agents/a.abl": "a\0b"}, UNSTORABLE),
        ({"agents/a.abl": "x", "agents/a.agent.abl": "x"}, "Two files are the agent a"),
        ({"agents/a.abl": "x", "project.json": "{}"}, "project.json: Object missing required field `formatVersion`"),
    ],
)
def test_files_that_break_a_rule_are_refused_with_its_sentence(files: Any, sentence: str) -> None:
    assert refused(files) == sentence


BREAKING: tuple[tuple[str, dict[str, Any]], ...] = (
    (TOO_MANY_FILES, MANY),
    (BAD_PATH, {"/etc/passwd": ""}),
    (NO_TEXT, {"agents/number.abl": 5}),
    (FILE_TOO_LARGE, {"agents/large.abl": LARGE}),
    (ALL_TOO_LARGE, FULL),
    (UNSTORABLE, {"agents/nul.abl": "\0"}),
    (f"{BAD_NAME}: agents/1.abl", {"agents/1.abl": "x"}),
    (f"{EMPTY}: agents/empty.abl", {"agents/empty.abl": ""}),
)


@pytest.mark.parametrize(("first", "second"), list(itertools.combinations(BREAKING, 2)))
def test_of_two_broken_rules_the_earlier_one_is_named_wherever_its_file_stands(first: Any, second: Any) -> None:
    assert refused({**second[1], **first[1]}) == first[0]


@pytest.mark.parametrize(
    "path",
    [
        "..", "../a.abl", "agents/../a.abl", "agents/..", "a/..%2f", "/agents/a.abl", "//a", "agents\\a.abl", "\\a",
        "agents/a\0.abl", "\0", "C:\\a", "agents/....//a.abl", "", "./../a", "agents/a.abl\\..\\b",
    ],
)  # fmt: skip
def test_a_path_that_may_lead_out_is_refused(path: str) -> None:
    assert not is_safe_path(path)
    assert refused({"agents/good.abl": "x", path: ""}) == BAD_PATH


@pytest.mark.parametrize(
    "name",
    ["1x", "a b", "\u00e9", "a%2e", "x.tools", "_a", "-dash", ".hidden", "", "x" * 129, "a\n", "\u0410gent", "a.b", "a\u200d"],
)  # fmt: skip
def test_what_could_not_be_called_so_is_refused_wherever_it_stands(name: str) -> None:
    for path in (f"agents/{name}.abl", f"agents/{name}.agent.abl", f"tools/{name}.tools.abl", f"profiles/{name}.abl"):
        assert refused({"agents/good.abl": "x", path: "x"}) == f"{BAD_NAME}: {path}"
        assert place_of(path) is None


@pytest.mark.parametrize("text", ["", " ", "\n\t\n"])
def test_an_empty_text_is_refused_as_a_draft_would_be(text: str) -> None:
    for path in ("agents/a.abl", "tools/a.tools.abl", "profiles/a.abl"):
        assert refused({"agents/good.abl": "x", path: text}) == f"{EMPTY}: {path}"
    assert checked_files({"agents/good.abl": "x", "notes.txt": text}).texts == {Place(Entity.AGENT, "good"): "x"}


def test_a_name_of_every_allowed_sign_and_length_is_imported() -> None:
    for name in ("a", "Z", "a-_9", "x" * 128):
        assert set(checked_files({f"agents/{name}.abl": "x"}).texts) == {Place(Entity.AGENT, name)}


def test_no_path_made_of_tricks_leads_out() -> None:
    chance = random.Random(11)
    pieces = ["..", ".", "/", "\\", "\0", "a", "agents", "%2e%2e", "C:", " ", ".abl", "~", "\u2024\u2024", "\uff0e"]
    for _ in range(5_000):
        path = "".join(chance.choices(pieces, k=chance.randint(1, 6)))
        place = place_of(path) if is_safe_path(path) else None
        if place is not None:
            assert "/" not in place.name
            assert ".." not in path_of(place)


def test_exactly_the_limits_are_allowed() -> None:
    five_hundred = dict(itertools.islice(MANY.items(), limits.IMPORT_FILES_MAX))
    assert len(checked_files(five_hundred).texts) == limits.IMPORT_FILES_MAX
    fifty = dict(itertools.islice(FULL.items(), 50))
    assert len(checked_files(fifty).texts) == 50


def test_documents_are_told_from_what_is_left_aside() -> None:
    files = {
        "agents/desk.agent.abl": "1", "tools/orders.tools.abl": "2", "profiles/calm.abl": "3", "manifest.json": "{}",
        "lockfile.json": "{}", "deployments.json": "[]", "README.md": "x", "agents/deep/er.abl": "y", "tools/a.abl": "z",
    }  # fmt: skip
    found = checked_files(files)
    assert found.texts == {Place(Entity.AGENT, "desk"): "1", TOOLS: "2", Place(Entity.PROFILE, "calm"): "3"}
    assert [one.partition(" ")[0] for one in found.warnings] == ["README.md", "agents/deep/er.abl", "tools/a.abl"]


@pytest.mark.parametrize("place", [DESK, TOOLS, Place(Entity.PROFILE, "calm"), Place(Entity.AGENT, "A1-b_c")])
def test_a_place_is_found_again_by_its_path(place: Place) -> None:
    assert place_of(path_of(place)) == place


@pytest.mark.parametrize("name", ["", "a/b", "a\\b", "..", ".hidden", "-dash", "x" * 129, "a\nb", "_a"])
def test_what_is_no_part_of_a_path_stands_nowhere(name: str) -> None:
    assert place_of(f"agents/{name}.abl") is None
    assert not is_part(name)


def test_a_library_is_known_by_the_path_of_its_file_or_by_its_name() -> None:
    assert {stem_of(name) for name in ("orders.tools.abl", "tools/orders.tools.abl", "orders.tools", "orders")} == {
        "orders"
    }
    assert document_of(TOOLS) == "orders.tools"
    assert stem_of(document_of(TOOLS)) == TOOLS.name


def an_existing(place: Place, text: str) -> Existing:
    return Existing(document_of(place), place, source_hash(text))


def test_a_plan_creates_updates_and_leaves_alone_and_deletes_only_when_it_replaces() -> None:
    gone = Place(Entity.AGENT, "Gone")
    existing = [an_existing(DESK, "old"), an_existing(TOOLS, "same"), an_existing(gone, "x")]
    wanted = {Place(Entity.AGENT, "New"): "1", DESK: "new", TOOLS: "same"}
    merged = plan(existing, wanted, ImportMode.MERGE)
    assert [(one.change, one.place.name, one.reason) for one in merged] == [
        (Change.CREATE, "New", "New agent"),
        (Change.UPDATE, "Desk", "Content changed"),
        (Change.UNCHANGED, "orders", "Identical"),
    ]
    replaced = plan(existing, wanted, ImportMode.REPLACE)
    assert replaced[:3] == merged
    assert [(one.change, one.document, one.reason) for one in replaced[3:]] == [
        (Change.DELETE, "Gone", "Not in import")
    ]
    assert counted(replaced) == {Change.CREATE: 1, Change.UPDATE: 1, Change.DELETE: 1, Change.UNCHANGED: 1}


def test_lockfile_and_manifest_follow_from_the_texts() -> None:
    documents = [Exported(DESK, "a", source_hash("a")), Exported(TOOLS, "b", source_hash("b"))]
    assert lockfile_of(documents) == {"agents": {"Desk": {"version": "draft", "hash": source_hash("a")}}}
    first = manifest_of("shop", "Desk", documents, exported_at="1", exported_by="x")
    second = manifest_of("shop", "Desk", documents, exported_at="2", exported_by="y")
    assert first["agents"] == {"Desk": {"sourceHash": source_hash("a"), "path": "agents/Desk.abl"}}
    assert first["tools"] == {"orders": {"sourceHash": source_hash("b"), "path": "tools/orders.tools.abl"}}
    assert {**first, "exportedAt": "2", "exportedBy": "y"} == second
    assert manifest_of("shop", "Desk", documents[::-1], exported_at="1", exported_by="x") == first, "in any order"
    other = manifest_of("shop", "Desk", documents[:1], exported_at="1", exported_by="x")
    assert other["version"] != first["version"]


def test_an_edge_that_leads_to_nothing_is_named() -> None:
    edges = [Edge("A", "B", "handoff"), Edge("A", "C", "delegate"), Edge("B", "find", "tool"), Edge("B", "no", "tool")]
    assert broken_edges(edges, ["A", "B"], ["find"]) == [
        "A delegates to C, which is not in the project",
        "B uses the tool no, which is not in the project",
    ]
