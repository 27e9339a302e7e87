"""Spellings of the YAML form."""

from abl.printer.yaml_names import yaml_name, yaml_rows
from abl.syntax.coordination import Handoff
from abl.syntax.document import Document
from abl.syntax.gather import GatherField
from abl.syntax.node import NODES, Kind
from abl.syntax.steps import Branch


def test_sections_have_the_names_of_the_text_form():
    assert yaml_name(Document, "delegates") == "delegate"
    assert yaml_name(Document, "handoffs") == "handoff"


def test_underscores_that_avoid_python_words_are_left_out():
    assert yaml_name(Handoff, "return_") == "return"
    assert yaml_name(Branch, "rich_content") == "formats"


def test_names_of_the_text_form_and_camel_case_are_read_too():
    rows = yaml_rows(GatherField)
    assert rows["VALIDATE"] is rows["VALIDATION"]
    assert yaml_rows(NODES["Pipeline"])["TOOLFILTER"].field == "tool_filter"


def test_no_two_properties_of_a_class_share_a_name():
    for cls in NODES.values():
        names = [yaml_name(cls, row.field) for row in cls.PROPS if row.kind is not Kind.FLAT and not row.group]
        assert len(names) == len(set(names)), cls.__name__
