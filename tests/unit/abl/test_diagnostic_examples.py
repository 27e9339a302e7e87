"""Every row of the catalogue keeps its word: its wrong example gives its code, its right one does not."""

import pytest

from abl import parse, parse_agent, parse_supervisor, parse_yaml_abl, tokenize
from abl.compiler import CompileOptions
from abl.diagnostics.catalogue import RULES
from abl.project import Project, check_project
from abl.validation import validate_abl

COUNTRY = {"name": "country", "type": "string", "description": "Two letters"}
CATALOGUE = {"list_hubs": {"parameters": [COUNTRY], "returns": "object"}}
ROWS = [row for row in RULES.values() if row.wrong]


def alone(options):
    def found(text):
        project = Project.from_files({"desk.agent.abl": text})
        return check_project(project, CompileOptions(single_agent=True, **options))

    return found


def project_of(text):
    files, path = {}, ""
    for line in text.splitlines(keepends=True):
        if line.startswith("=== "):
            path = line[4:].strip()
            files[path] = ""
        else:
            files[path] += line
    return check_project(Project.from_files(files))


FINDERS = {
    "": validate_abl,
    "a project": project_of,
    'type="agent-based"': lambda text: parse(text, "agent-based").findings,
    'type="tools"': lambda text: parse(text, "tools").findings,
    "parse_agent": lambda text: parse_agent(text).findings,
    "parse_supervisor": lambda text: parse_supervisor(text).findings,
    "parse_yaml_abl": lambda text: parse_yaml_abl(text).findings,
    "the option tool_catalog, in which list_hubs has the parameter country": alone({"tool_catalog": CATALOGUE}),
    "compiling, with configuration variables that lack DESK_NAME": alone({"config_variables": {"REGION": "EU"}}),
}
"""What a row needs to show its finding -> the function that finds it."""


def codes(row, text):
    """Return the codes found in an example; notes count only when the row is a note."""
    found = FINDERS[row.needs](text)
    return {one.code for one in found if one.severity != "info" or row.severity == "info"}


def by_code(row):
    return row.code


def test_every_need_of_a_row_is_known():
    assert {row.needs for row in ROWS} <= {*FINDERS, "tokenize"}


@pytest.mark.parametrize("row", [row for row in ROWS if row.needs != "tokenize"], ids=by_code)
def test_the_wrong_example_gives_its_code_and_no_other(row):
    found = codes(row, row.wrong)
    assert row.code in found
    assert found <= {row.code, *row.also}


@pytest.mark.parametrize("row", [row for row in ROWS if row.needs != "tokenize"], ids=by_code)
def test_the_right_example_does_not_give_the_code(row):
    assert row.code not in codes(row, row.right)


@pytest.mark.parametrize("row", [row for row in ROWS if row.needs != "tokenize"], ids=by_code)
def test_the_right_example_has_no_errors(row):
    assert not [(one.code, one.message) for one in FINDERS[row.needs](row.right) if one.is_error]


@pytest.mark.parametrize("row", [row for row in ROWS if row.needs == "tokenize"], ids=by_code)
def test_an_example_for_the_tokens_is_refused_and_then_read(row):
    assert tokenize(row.wrong).errors
    assert not tokenize(row.right).errors
