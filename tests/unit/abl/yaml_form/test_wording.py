"""Findings about a YAML text speak of its own keys."""

from abl import validate_abl
from abl.diagnostics.model import Diagnostic
from abl.project import Project, check_project
from abl.yaml_form import parse_yaml
from abl.yaml_form.wording import reworded

BODY = "goal: x\nhandoff:\n  - when: lost\n    priority: many\nflow:\n  steps:\n    a:\n      reasoning: maybe\n"


def said(findings):
    return [one.message.split(".")[0] for one in findings]


def test_properties_are_named_in_lowercase():
    assert {"reasoning must be true or false, not maybe", "priority must be a whole number, not many"} <= set(
        said(parse_yaml("agent: A\n" + BODY).findings)
    )


def test_what_the_checks_find_is_said_in_the_same_words():
    text = "agent: A\n" + BODY
    assert "Nothing is called lost (when)" in said(validate_abl(text))
    files = {"a.agent.yaml": text, "b.abl": "AGENT: B\nGOAL: x\nCOMPLETE:\n  - WHEN: found\n    RESPOND: Bye\n"}
    found = said(check_project(Project.from_files(files)))
    assert "Nothing is called lost (when)" in found
    assert "Nothing is called found (WHEN)" in found


def test_words_that_the_text_has_in_capitals_stay():
    one = Diagnostic("X", "WHEN is no GOAL of ABL.", "error")
    assert [kept.message for kept in reworded([one], "goal: WHEN\n")] == ["WHEN is no goal of ABL."]
