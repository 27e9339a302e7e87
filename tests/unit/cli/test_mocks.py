"""Files with answers of tools: two forms, clear refusals, and every example has answers for its own tools."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from abl.project import Project, compile_project
from cli.mocks import tool_mocks
from cli.projects import project_texts
from domain.errors import InvalidInput
from tests.support.repository import ROOT

MOCKED = sorted(path.parent for path in (ROOT / "examples").glob("*/mocks.yaml"))


def written(folder: Path, text: str) -> str:
    place = folder / "mocks.yaml"
    place.write_text(text, encoding="utf-8")
    return str(place)


def test_a_mapping_says_what_each_tool_answers(tmp_path: Path) -> None:
    path = written(tmp_path, "find: {id: 1}\nlist: [1, 2]\n")
    assert tool_mocks(path) == (
        {"toolName": "find", "response": {"id": 1}},
        {"toolName": "list", "response": [1, 2]},
    )
    assert tool_mocks("") == ()


def test_dates_without_quotes_stay_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "book: {from: 2026-03-02, at: 2026-03-02 09:30:00, nights: 2}\n")
    response = {"from": "2026-03-02", "at": "2026-03-02 09:30:00", "nights": 2}
    assert tool_mocks(path) == ({"toolName": "book", "response": response},)


def test_a_list_is_taken_as_it_is(tmp_path: Path) -> None:
    rows = [{"toolName": "find", "match": {"id": 1}, "error": {"code": "GONE"}}, {"toolName": "find", "response": 2}]
    assert list(tool_mocks(written(tmp_path, json.dumps(rows)))) == rows


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: [", "cannot be read"),
        ("just words", "a mapping, tool: answer, or a list"),
        ("- {response: 1}", "mock 1 has no toolName"),
        ("- {toolName: a, answer: 1}", "mock 1 has 'answer'"),
        ("\n".join(f"t{n}: 1" for n in range(51)), "51 mocks; a session takes 50"),
    ],
)
def test_another_form_is_refused_with_what_to_do(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        tool_mocks(written(tmp_path, text))


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"nowhere\.yaml cannot be read"):
        tool_mocks(str(tmp_path / "nowhere.yaml"))


@pytest.mark.parametrize("folder", MOCKED, ids=lambda folder: folder.name)
def test_an_example_has_an_answer_for_each_of_its_tools(folder: Path) -> None:
    output = compile_project(Project.from_files(project_texts(folder))).output
    tools = {
        tool["name"] for agent in output["agents"].values() for tool in agent["tools"] if tool.get("system") is not True
    }
    mocked = {one["toolName"] for one in tool_mocks(str(folder / "mocks.yaml"))}
    assert tools <= mocked
    assert not mocked - tools - {"send_pass_link"}  # a profile brings it


def test_most_examples_can_be_tried_without_their_tools() -> None:
    assert len(MOCKED) >= 14


@pytest.mark.parametrize(
    ("example", "agent", "words"),
    [
        ("parcel-desk", "parcel_desk", {'"transit"': "transit", '"missed"': "missed"}),
        ("airline-booking", "booking_desk", {"-> XA101": "XA101", "-> XA205": "XA205"}),
    ],
)
def test_the_answers_are_those_that_the_agent_looks_for(example: str, agent: str, words: dict[str, str]) -> None:
    text = (ROOT / "examples" / example / "agents" / f"{agent}.agent.abl").read_text(encoding="utf-8")
    mocks = str(tool_mocks(str(ROOT / "examples" / example / "mocks.yaml")))
    for written, answered in words.items():
        assert written in text
        assert f"'{answered}'" in mocks
