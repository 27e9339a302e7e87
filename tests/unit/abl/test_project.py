"""Texts that belong together: what is resolved between them, and where findings are said to be."""

import pytest

from abl.compilation import compile_abl_to_ir
from abl.compiler import CompileOptions
from abl.folders import group_projects, is_project_file
from abl.project import Project, check_project, compile_project

LIBRARY = """\
TOOLS:
  base_url: "https://api.parcels.example"
  find_parcel(code: string) -> {status: string}
    description: "Look a parcel up"
    type: http
    endpoint: "/parcels/{code}"
    parameters:
      code:
        description: "Tracking code"
"""
DESK = """\
AGENT: Desk
GOAL: Help
TOOLS:
  find_parcel(code: string) -> {status: string}
    description: "Look a parcel up"
    parameters:
      code:
        description: "Tracking code"
"""


def found(files, strict=False, **options):
    findings = check_project(Project.from_files(files, strict=strict), CompileOptions(**options))
    return [(one.file, one.line, one.code) for one in findings if one.severity != "info"]


def handing_over(name, target):
    return f"AGENT: {name}\nGOAL: Help\nHANDOFF:\n  - TO: {target}\n    WHEN: true\n"


def test_kinds_are_told_by_content_not_by_name():
    project = Project.from_files(
        {
            "a.txt": DESK,
            "b.txt": LIBRARY,
            "c.txt": "BEHAVIOR_PROFILE: calm\nPRIORITY: 1\nWHEN: true\n",
            "d.txt": "agent: Clerk\ngoal: Help\n",
        }
    )
    assert list(project.agents) == ["Desk", "Clerk"]
    assert list(project.libraries) == ["b.txt"]
    assert list(project.profiles) == ["calm"]


def test_a_tool_gets_its_binding_from_the_library_of_the_project():
    output = compile_project(Project.from_files({"agents/desk.abl": DESK, "tools/parcels.tools.abl": LIBRARY})).output
    tool = output["agents"]["Desk"]["tools"][0]
    assert tool["http_binding"]["endpoint"] == "https://api.parcels.example/parcels/{code}"
    assert found({"agents/desk.abl": DESK, "tools/parcels.tools.abl": LIBRARY}, strict=True) == []


def test_an_import_is_found_relative_to_its_file():
    desk = 'AGENT: Desk\nGOAL: Help\nTOOLS:\n  FROM "../tools/parcels.tools.abl" USE: find_parcel\n'
    assert found({"agents/desk.abl": desk, "tools/parcels.tools.abl": LIBRARY}) == [("agents/desk.abl", 4, "E720")]
    assert ("agents/desk.abl", 4, "E721") in found({"agents/desk.abl": desk})


def test_targets_in_other_files_are_known():
    files = {"a.abl": handing_over("A", "B"), "b.abl": "AGENT: B\nGOAL: Help\n"}
    assert found(files) == []
    assert found({"a.abl": files["a.abl"]}) == [("a.abl", 4, "INVALID_HANDOFF_TARGET")]
    assert found({"a.abl": files["a.abl"]}, single_agent=True) == []


def test_agents_pasted_together_are_read_one_by_one_and_placed_in_their_file():
    text = (
        "AGENT: A\nGOAL: Help\n\nAGENT: B\nGAOL: Help\nHANDOFF:\n  - TO: A\n    WHEN: true\n  - TO: C\n    WHEN: done\n"
    )
    project = Project.from_files({"both.abl": text})
    assert list(project.agents) == ["A", "B"]
    findings = {one.code: one for one in check_project(project)}
    assert {one.file for one in findings.values()} == {"both.abl"}
    misspelt = findings["UNKNOWN_SECTION"]
    assert (misspelt.line, misspelt.column) == (5, 1)
    assert text[misspelt.offset :].startswith("GAOL")
    assert "\nGOAL: Help\nHANDOFF" in misspelt.fix.apply(text)
    target = findings["INVALID_HANDOFF_TARGET"]
    assert (target.line, text[target.offset : target.offset + target.length]) == (9, "C")


def test_the_output_of_a_compile_names_file_and_line_of_the_part_too():
    text = "AGENT: A\nGOAL: Help\nAGENT: B\nGOAL: Help\nCOMPLETE:\n  - WHEN: true\n    RESPOND: TEMPLATE(bye)\n"
    output = compile_project(Project.from_files({"both.abl": text})).output
    assert [(one["code"], one["file"], one["line"]) for one in output["errors"]] == [("E601", "both.abl", 7)]
    assert output["compilation_errors"] == output["errors"]


def test_a_fault_of_reading_stands_in_the_output():
    output = compile_abl_to_ir({"a.abl": "AGENT: A\nGAOL: Help\n", "b.abl": 7})
    assert [(one["code"], one["file"]) for one in output["compilation_errors"]] == [
        ("UNKNOWN_SECTION", "a.abl"),
        ("NOT_TEXT", "b.abl"),
    ]
    assert list(output["agents"]) == ["A"]


@pytest.mark.parametrize("several", [list, tuple])
def test_a_text_a_document_and_several_of_them_can_be_compiled(several):
    document = Project.from_files({"b.abl": "AGENT: B\nGOAL: Help\n"}).units[0].document
    assert list(compile_abl_to_ir("AGENT: A\nGOAL: Help\n")["agents"]) == ["A"]
    assert list(compile_abl_to_ir(document)["agents"]) == ["B"]
    assert list(compile_abl_to_ir(several(["AGENT: A\nGOAL: Help\n", document]))["agents"]) == ["A", "B"]


def test_options_of_a_compile_are_a_mapping_or_ready():
    text = "AGENT: A\nMODE: reasoning\nGOAL: Help\n"
    assert "compilation_errors" not in compile_abl_to_ir(text)
    for options in ({"strict": True}, CompileOptions(strict=True)):
        assert compile_abl_to_ir(text, options)["compilation_errors"][0]["code"] == "MODE_DEPRECATED"


def test_the_same_finding_is_said_once():
    library = LIBRARY.replace('    description: "Look a parcel up"\n', "")
    agents = {name: DESK.replace("Desk", name) for name in ("Desk_A", "Desk_B")}
    places = found({**agents, "parcels.tools.abl": library})
    assert len(places) == len(set(places))


def test_nothing_gives_nothing():
    assert check_project(Project.from_files({})) == []
    assert compile_project(Project.from_files({})).output["agents"] == {}


def test_a_folder_of_projects_is_several_projects():
    paths = [
        "bank/agents/desk.abl",
        "bank/tools/t.abl",
        "more/clinic/desk.abl",
        "more/clinic/deep/x.abl",
        "more/hotel/agents/eu/desk.abl",
    ]
    assert group_projects(paths) == [paths[:2], paths[2:4], paths[4:]]


def test_a_folder_with_files_of_its_own_is_one_project_with_all_below_it():
    for own in ("desk.abl", "agents/desk.abl", "tools/deep/t.abl", "profiles/p.abl"):
        paths = [own, "bank/agents/desk.abl", "clinic/desk.abl"]
        assert group_projects(paths) == [paths]
    assert group_projects([]) == []


def test_a_file_belongs_to_a_project_by_its_name():
    assert [name for name in ("a.abl", "A.ABL", "x.agent.yaml", "x.agent.yml", "compose.yaml", "abl", "a.abl.bak") if is_project_file(name)] == [
        "a.abl", "A.ABL", "x.agent.yaml", "x.agent.yml",
    ]  # fmt: skip
