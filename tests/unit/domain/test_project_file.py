"""What a project says beside its texts: written, read, refused, and what it changes. Decision 0040."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec import UNSET

from domain import limits
from domain.errors import InvalidInput
from domain.project_changes import DETAILS_CHANGED, entry_of, with_project_file
from domain.project_file import Details, ProjectFile, project_file_of, read_project_file
from domain.transfer import Change, Entity, Existing, ImportMode, Operation, Place, plan, source_hash

FRONT = Details("front", "Says hello")
MERGE, REPLACE = ImportMode.MERGE, ImportMode.REPLACE


def a_file(**said: Any) -> ProjectFile:
    return read_project_file(json.dumps({"formatVersion": 1, **said}))


def agent(name: str, details: Details = Details()) -> Existing:  # noqa: B008 - a plain value
    return Existing(name, Place(Entity.AGENT, name), source_hash(name), details)


def planned(
    existing: list[Existing], names: str, said: ProjectFile | None, mode: ImportMode = MERGE, entry: str | None = None
) -> list[Operation]:
    """Return what the import of these agents does, each with the text that it has already."""
    texts = {Place(Entity.AGENT, name): name for name in names}
    operations = plan(existing, texts, mode)
    return with_project_file(operations, existing, said, mode, name="shop", entry_agent=entry)


@pytest.mark.parametrize("entry", [None, "Desk"])
@pytest.mark.parametrize("details", [Details(), FRONT, Details("front"), Details("", ""), Details("", "a\n\u00fc")])
def test_a_project_file_is_read_as_it_was_written(entry: str | None, details: Details) -> None:
    text = project_file_of(entry, {"Desk": details, "Other": Details()})
    if text is None:
        assert (entry, details) == (None, Details())
        return
    found = read_project_file(text)
    assert found.entry_agent == (UNSET if entry is None else entry)
    assert {name: one.over(FRONT) for name, one in found.agents.items()} == (
        {} if details == Details() else {"Desk": details}
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Input data was truncated"),
        ("[]", "Expected `object`, got `array`"),
        ("[" * 100_000, "Expected `object`, got `array`"),
        ("{}", "Object missing required field `formatVersion`"),
        ('{"formatVersion": 2}', "Invalid enum value 2"),
        ('{"formatVersion": 1, "order": []}', "Object contains unknown field `order`"),
        ('{"formatVersion": 1, "agents": {"A": {"name": "B"}}}', "Object contains unknown field `name`"),
        ('{"formatVersion": 1, "agents": {"A": {"domain": 5}}}', "Expected `str | null`, got `int`"),
        ('{"formatVersion": 1, "entryAgent": ""}', "entryAgent is no name of an agent"),
        ('{"formatVersion": 1, "entryAgent": "a\\n"}', "entryAgent is no name of an agent"),
        ('{"formatVersion": 1, "agents": {"a b": {}}}', "agents names 'a b', which is no name of an agent"),
        ('{"formatVersion": 1, "agents": {"A": {"domain": ""}}}', "the domain of A must match"),
        ('{"formatVersion": 1, "agents": {"A": {"domain": "a/b"}}}', "the domain of A must match"),
        ('{"formatVersion": 1, "agents": {"A": {"description": "\\u0000"}}}', "the description of A must not contain"),
        (
            json.dumps(
                {"formatVersion": 1, "agents": {"A": {"description": "x" * (limits.DESCRIPTION_MAX_CHARS + 1)}}}
            ),
            f"the description of A must be at most {limits.DESCRIPTION_MAX_CHARS} characters",
        ),
        (json.dumps({"formatVersion": 1, "x" * 9_000: 1}), "Object contains unknown field"),
    ],
)
def test_a_file_that_says_what_cannot_be_is_refused_and_named(text: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        read_project_file(text)
    assert caught.value.message.startswith(f"project.json: {sentence}")
    assert len(caught.value.message) < 600
    assert caught.value.details["fields"][0]["path"] == "/files/project.json"


def test_without_a_file_everything_beside_the_texts_stays() -> None:
    for mode in ImportMode:
        (only,) = planned([agent("A", FRONT)], "A", None, mode, entry="A")
        assert (only.change, only.details) == (Change.UNCHANGED, None)
        assert entry_of(None, mode) is UNSET


def test_a_merge_changes_only_what_the_file_names() -> None:
    existing = [agent("A", FRONT), agent("B", FRONT), agent("C", FRONT)]
    said = a_file(agents={"A": {"description": None}, "C": {"domain": "back"}, "D": {"domain": "new"}})
    found = {one.place.name: one for one in planned(existing, "ABD", said)}
    assert {name: (one.change, one.details, one.text) for name, one in found.items()} == {
        "A": (Change.UPDATE, Details("front", None), None),
        "B": (Change.UNCHANGED, None, "B"),
        "C": (Change.UPDATE, Details("back", "Says hello"), None),
        "D": (Change.CREATE, Details("new", None), "D"),
    }
    assert found["A"].reason == found["C"].reason == DETAILS_CHANGED


def test_a_replacement_makes_it_what_the_file_says() -> None:
    existing = [agent("A", FRONT), agent("B", FRONT), agent("C", FRONT)]
    *documents, project = planned(existing, "AB", a_file(agents={"A": {"domain": "front"}}), REPLACE, entry="B")
    assert [(one.place.name, one.change, one.details) for one in documents] == [
        ("A", Change.UPDATE, Details("front", None)),
        ("B", Change.UPDATE, Details()),
        ("C", Change.DELETE, None),
    ]
    assert (project.place, project.reason) == (Place(Entity.PROJECT, "shop"), "Entry agent changed")
    assert entry_of(a_file(agents={}), REPLACE) is None


@pytest.mark.parametrize(
    ("said", "mode", "wanted"),
    [
        ({}, MERGE, UNSET), ({}, REPLACE, None), ({"entryAgent": None}, MERGE, None),
        ({"entryAgent": "A"}, MERGE, "A"), ({"entryAgent": "A"}, REPLACE, "A"),
    ],
)  # fmt: skip
def test_the_entry_agent_is_the_one_that_is_said(said: Any, mode: ImportMode, wanted: Any) -> None:
    assert entry_of(a_file(**said), mode) == wanted
    for entry in (None, "A"):
        operations = planned([agent("A")], "A", a_file(**said), mode, entry)
        projects = [one.change for one in operations if one.place.entity is Entity.PROJECT]
        expected = [] if wanted is UNSET else [Change.UNCHANGED if wanted == entry else Change.UPDATE]
        assert projects == expected


@pytest.mark.parametrize(
    ("said", "mode", "is_refused"),
    [
        ({"entryAgent": "Z"}, MERGE, True), ({"agents": {"Z": {}}}, MERGE, True), ({"entryAgent": "N"}, MERGE, False),
        ({"entryAgent": "B"}, MERGE, False), ({"entryAgent": "B"}, REPLACE, True), ({"agents": {"B": {}}}, REPLACE, True),
    ],
)  # fmt: skip
def test_an_agent_that_is_not_there_after_the_import_cannot_be_named(
    said: Any, mode: ImportMode, is_refused: bool
) -> None:
    existing = [agent("A"), agent("B"), Existing("Z.tools", Place(Entity.TOOL, "Z"), "")]
    if not is_refused:
        assert planned(existing, "AN", a_file(**said), mode)
        return
    with pytest.raises(InvalidInput, match="which is no agent of the project"):
        planned(existing, "AN", a_file(**said), mode)
