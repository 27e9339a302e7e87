"""Every row of the catalogue keeps its word: its wrong example gives its code, its right one does not."""

import re

import pytest

from abl import parse, parse_agent, parse_supervisor, validate_ir
from abl.compiler import CompileOptions, Unit, compile_documents
from abl.diagnostics.catalogue import RULES
from abl.project import Project, check_project
from abl.validation import validate_abl
from tests.support.cells import over

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
    "parse_yaml_abl": lambda text: parse(text, "yaml").findings,
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
    assert {row.needs for row in ROWS} == set(FINDERS)


@over("row", ROWS, ids=by_code)
def test_the_wrong_example_gives_its_code_and_no_other(row):
    found = codes(row, row.wrong)
    assert row.code in found
    assert found <= {row.code, *row.also}


@over("row", ROWS, ids=by_code)
def test_the_right_example_does_not_give_the_code(row):
    assert row.code not in codes(row, row.right)


@over("row", ROWS, ids=by_code)
def test_the_right_example_has_no_errors(row):
    assert not [(one.code, one.message) for one in FINDERS[row.needs](row.right) if one.is_error]


# --- codes that no short text shows ---------------------------------------------------------------------------------


def routed(*targets, default=None):
    """Return what is found in a supervisor's IR whose routing was written by hand."""
    rules = [{"to": target, "when": "true"} for target in targets]
    routing = {"rules": rules} | ({"default_agent": default} if default else {})
    hub = {"metadata": {"name": "Hub", "type": "supervisor"}, "routing": routing}
    return validate_ir({"agents": {"Hub": hub, "Desk": {"metadata": {"name": "Desk", "type": "agent"}}}})


def compiled_too_late():
    clock = iter(range(100))
    options = CompileOptions(clock=lambda: next(clock), timeout_ms=1)
    return compile_documents(
        [Unit(parse(text).document) for text in ("AGENT: A\nGOAL: x", "AGENT: B\nGOAL: x")], options
    ).findings


LARGE_TABLE = (
    "AGENT: A\nGOAL: x\nLOOKUP_TABLES:\n  cities:\n    fuzzy_match: true\n    values: ["
    + ", ".join(f"c{n}" for n in range(1001))
    + "]\n"
)
LONG_TEMPLATE = "AGENT: A\nGOAL: x\nTEMPLATES:\n  t: " + "word " * 20_000 + "\nCOMPLETE:\n"
MADE = {
    "REPEATED_TOO_OFTEN": lambda: validate_abl(LONG_TEMPLATE + "  - WHEN: input == 1\n    RESPOND: TEMPLATE(t)\n" * 50),
    "NOT_TEXT": lambda: validate_abl(b"AGENT: A"),
    "TOO_MANY_DIAGNOSTICS": lambda: validate_abl("AGENT: A\nGOAL: x\n" + "GAOL: x\n" * 5000),
    "TEXT_TOO_LARGE": lambda: validate_abl("AGENT: A\nGOAL: x\n" + "\n" * 300_000),
    "TOO_MANY_TOOLS": lambda: validate_abl("TOOLS:\n" + "".join(f"  f{n}() -> object\n" for n in range(501))),
    "LOOKUP_TABLE_LARGE": lambda: validate_abl(LARGE_TABLE),
    "E727": compiled_too_late,
    "INVALID_IR": lambda: validate_ir(None),
    "INVALID_ROUTING_TARGET": lambda: routed("Nobody"),
    "INVALID_DEFAULT_ROUTING_TARGET": lambda: routed("Desk", default="Nobody"),
    "SELF_ROUTING_TARGET": lambda: routed("Hub"),
}
"""Code -> what finds it, for the rows that have a note in place of an example."""


def test_every_code_of_the_catalogue_is_found_in_an_example_or_here():
    assert {code for code, row in RULES.items() if not row.wrong} == set(MADE)


@pytest.mark.parametrize("code", MADE)
def test_a_code_without_a_short_example_is_found_too(code):
    assert code in {one.code for one in MADE[code]()}


NOTES = {
    "AGENT_NAME_STYLE": "advice on style",
    "W823": "abl-language 3.6 and 13.1: a label informs, its rules are checked like all others",
}
"""All notes of the catalogue, with why they are no warnings."""
NO_EFFECT = re.compile(
    r"no effect|without effect|ignored|does nothing|do nothing|nothing reads|is kept|dropped"
    r"|never (?:used|runs?|reached|checked|finds|has|stored?|produced|called)|says nothing",
    re.IGNORECASE,
)
"""How a row says that what was written is read and does nothing."""
WITHOUT_EFFECT = [row for row in ROWS if NO_EFFECT.search(f"{row.message} {row.explanation}")]
LEAST_WITHOUT_EFFECT = 40


def test_there_are_no_other_notes():
    assert {row.code for row in RULES.values() if "info" in (row.severity, row.severity_when(strict=True))} == set(
        NOTES
    )


@over("row", WITHOUT_EFFECT, ids=by_code)
def test_what_is_read_and_has_no_effect_is_a_warning_or_an_error(row):
    told = [one.severity for one in FINDERS[row.needs](row.wrong) if one.code == row.code]
    assert told
    assert set(told) <= {"warning", "error"}


def test_many_rows_speak_of_what_has_no_effect():
    assert len(WITHOUT_EFFECT) >= LEAST_WITHOUT_EFFECT
