"""The public face of the package: its names, their examples, and that importing it costs nothing."""

import doctest
import inspect
import subprocess
import sys

import pytest

import abl
from tests.support.repository import ROOT

SEED_FUNCTIONS = """
parse validate is_valid serialize parse_agent parse_supervisor parse_agent_based_abl parse_yaml_abl is_yaml_format
parse_condition parse_expression expression_to_python tokenize compile_abl_to_ir validate_abl validate_ir
validate_cross_agent_refs validate_field_references
""".split()
FUNCTIONS = sorted(name for name in abl.__all__ if inspect.isfunction(getattr(abl, name)))
EXAMPLED = ("abl.conversion", "abl.effects", "abl.folders", "abl.frontend", "abl.project", "abl.compilation", "abl")


def test_the_eighteen_functions_of_the_specification_are_there():
    assert len(SEED_FUNCTIONS) == 18
    assert set(SEED_FUNCTIONS) <= set(FUNCTIONS)
    assert {"split_documents", "format_text"} <= set(FUNCTIONS)


def test_findings_of_both_kinds_are_one_class():
    assert abl.ParseError is abl.ValidationDiagnostic is abl.Diagnostic


def test_all_public_names_are_listed_and_can_be_loaded():
    assert set(abl.__all__) <= set(dir(abl))
    assert all(getattr(abl, name) is not None for name in abl.__all__)


def test_a_name_nobody_knows_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'parse_everything'"):
        abl.parse_everything  # noqa: B018 - the access is the test


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_public_function_has_an_example_that_holds(name):
    function = getattr(abl, name)
    module = sys.modules[function.__module__]
    tests = doctest.DocTestFinder(recurse=False).find(function, name, module=module, globs=dict(vars(module)))
    examples = [example for test in tests for example in test.examples]
    assert examples, f"{name} needs an example in its docstring"
    runner = doctest.DocTestRunner()
    for test in tests:
        assert runner.run(test).failed == 0


@pytest.mark.parametrize("name", EXAMPLED)
def test_the_examples_of_the_modules_behind_it_hold(name):
    outcome = doctest.testmod(__import__(name, fromlist=["*"]))
    assert outcome.attempted > 0
    assert outcome.failed == 0


def test_importing_the_package_loads_nothing_heavy():
    code = "import sys, abl; print([name for name in sys.modules if name.startswith(('abl.', 'yaml', 're2', 'dataclasses'))])"
    finished = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert finished.stdout.strip() == "[]"


@pytest.mark.parametrize("value", [None, b"AGENT: A", 7, ["AGENT: A"], {"agent": "A"}])
@pytest.mark.parametrize("name", ["parse", "parse_agent", "parse_supervisor"])
def test_what_is_no_text_gives_one_error_and_no_document(name, value):
    result = getattr(abl, name)(value)
    assert result.document is None
    assert [error.code for error in result.errors] == ["NOT_TEXT"]
    assert type(value).__name__ in result.errors[0].message
    assert not result


@pytest.mark.parametrize("name", ["parse_agent_based_abl", "parse_yaml_abl"])
def test_two_functions_give_the_document_or_none(name):
    parse = getattr(abl, name)
    assert parse("agent: Desk\ngoal: Help\n").name == "Desk"
    assert [parse(value) for value in (None, b"AGENT: A", 7, "", "x: 1", "Hello there")] == [None] * 6


NAMELESS = {"metadata": {}, "identity": {"goal": "x"}}
FACELESS = {"metadata": {"name": "A"}}


@pytest.mark.parametrize(
    "value", [None, {}, "AGENT: A", 7, [], NAMELESS, FACELESS, {"agents": {}}, {"agents": {"A": FACELESS}}]
)
def test_what_is_no_ir_is_an_error(value):
    assert [(one.code, one.severity) for one in abl.validate_ir(value)] == [("INVALID_IR", "error")]


@pytest.mark.parametrize("value", [None, b"x", 7])
def test_every_other_function_survives_what_it_cannot_read(value):
    assert abl.validate(value)
    assert abl.validate_abl(value)
    assert not abl.is_valid(value)
    assert not abl.is_yaml_format(value)
    assert abl.tokenize(value).errors
    assert abl.compile_abl_to_ir(value)["compilation_errors"]


@pytest.mark.parametrize("value", [None, b"AGENT: A", 7, ["AGENT: A"]])
@pytest.mark.parametrize("name", ["format_text", "split_documents", "serialize"])
def test_what_gives_a_text_says_which_type_it_was_given(name, value):
    with pytest.raises(TypeError, match=f"not {type(value).__name__}$"):
        getattr(abl, name)(value)


def test_the_result_of_a_parse_is_not_its_document():
    with pytest.raises(TypeError, match="serialize takes a Document, not ParseResult"):
        abl.serialize(abl.parse("AGENT: A\nGOAL: x\n"))


def test_a_format_nobody_knows_is_named():
    with pytest.raises(ValueError, match="no format 'json'; the argument format takes abl, yaml"):
        abl.serialize(abl.parse("AGENT: A\nGOAL: x\n").document, "json")


def test_the_package_says_what_raises():
    assert "TypeError" in abl.__doc__
    assert "ValueError" in abl.__doc__
