"""Tools of agents and of libraries have the same names, and a slip is said of the side that made it."""

import pytest

LIBRARY = """
    TOOLS:
      {tool}(code: string) -> object
        type: http
        endpoint: "https://api.parcels.example/find"
"""
DESK = """
    AGENT: {name}
    GOAL: "Help"
    TOOLS:
      {tool}(code: string) -> object
        description: "Looks one up"
"""
CALL = """
    FLOW:
      look:
        REASONING: false
        CALL: {tool}("x") AS found
        RESPOND: "{{{{found}}}}"
        THEN: COMPLETE
"""


def found_in(in_project, **files):
    return [(one.code, one.file, one.line, one.fix.edits[0].text) for one in in_project(**files) if one.fix]


def test_names_that_agree_are_fine(in_project):
    desk = DESK.format(name="Desk", tool="find_parcel")
    assert not found_in(in_project, desk=desk, lib=LIBRARY.format(tool="find_parcel"))


def test_with_one_mention_on_each_side_it_is_the_agent_that_is_asked(in_project):
    desk = DESK.format(name="Desk", tool="fnd_pracel")
    assert found_in(in_project, desk=desk, lib=LIBRARY.format(tool="find_parcel")) == [
        ("TOOL_NOT_IN_LIBRARY", "desk", 4, "find_parcel")
    ]


@pytest.mark.parametrize(
    "files",
    [
        {"desk": DESK.format(name="Desk", tool="fxnd_box") + CALL.format(tool="fxnd_box")},
        {name: DESK.format(name=name, tool="fxnd_box") for name in ("desk", "other")},
    ],
    ids=["declared and called", "declared by two agents"],
)
def test_where_the_agents_agree_it_is_the_library_that_is_misspelt(in_project, files):
    found = found_in(in_project, **files, lib=LIBRARY.format(tool="fnxd_box"))
    assert found == [("LIBRARY_TOOL_UNUSED", "lib", 2, "fxnd_box")]


def test_words_that_the_texts_know_speak_for_the_agent(in_project):
    desk = DESK.format(name="Desk", tool="find_parcel").replace('"Help"', '"Find each parcel"')
    found = found_in(in_project, desk=desk, lib=LIBRARY.format(tool="fnid_parcel"))
    assert found == [("LIBRARY_TOOL_UNUSED", "lib", 2, "find_parcel")]


def test_a_word_behind_tools_of_a_library_is_told_and_an_error_when_an_agent_takes_it(in_project):
    library = LIBRARY.replace("TOOLS:", "TOOLS: parcels").format(tool="find_parcel")
    (found,) = (one for one in in_project(lib=library) if one.code.startswith("TOOL_"))
    assert (found.code, found.severity, found.line) == ("TOOL_ONLY_NAMED", "warning", 1)

    desk = DESK.format(name="Desk", tool="parcels") + CALL.format(tool="parcels")
    found = [(one.code, one.severity, one.file) for one in in_project(desk=desk, lib=library)]
    assert ("TOOL_NOT_BOUND", "error", "desk") in found

    assert not [one for one in in_project(lib=LIBRARY.format(tool="find_parcel")) if one.code.startswith("TOOL_")]
