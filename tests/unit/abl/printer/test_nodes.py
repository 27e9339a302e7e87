"""Order of properties, extras, entries."""

from abl.printer import serialize
from abl.printer.nodes import FIRST, rows_of
from abl.syntax.document import Document
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import Gather, GatherField, StepGather
from abl.syntax.node import NODES


def test_every_row_is_written_once():
    for cls in NODES.values():
        assert sorted(row.field for row in rows_of(cls)) == sorted(row.field for row in cls.PROPS)


def test_the_table_of_first_fields_names_fields_that_exist():
    for name, fields in FIRST.items():
        assert set(fields) <= set(NODES[name].BY_FIELD), name


def test_a_field_named_like_a_property_of_its_section_gets_the_wrapper():
    gather = Gather(fields=[GatherField(name="strategy")])
    assert serialize(Document(name="A", goal="x", gather=gather)).endswith("GATHER:\n  fields:\n    strategy:\n")


def test_a_step_field_named_like_a_property_is_no_dash_item():
    step = Step(name="s", gather=StepGather(fields=[GatherField(name="default", required=True)]))
    written = serialize(Document(name="A", goal="x", flow=Flow(steps=[step])))
    assert written.endswith("    GATHER:\n      default:\n        required: true\n")
