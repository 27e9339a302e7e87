"""What a node is, and that every node class describes its properties completely. Spec: abl-language 11.1."""

import json
import keyword
from copy import deepcopy
from dataclasses import fields

import pytest

import abl.parser
import abl.printer
import abl.yaml_form  # noqa: F401 - registers the readers of the YAML form
from abl.parser.reader import READ, SCALARS, TABLES
from abl.printer.nodes import WRITE
from abl.source import Pos
from abl.syntax.document import HEADERS, LEGACY_SECTIONS, SECTIONS, Document
from abl.syntax.flow import Flow, Step
from abl.syntax.gather import GatherField
from abl.syntax.node import NODES, Kind, fold
from abl.syntax.result import ParseResult
from abl.syntax.steps import Assignment, Branch, Call
from abl.syntax.tools import TypeExpr
from abl.yaml_form.reader import READ as READ_YAML
from tests.support.cells import over

each_class = over("cls", NODES.values(), ids=NODES)
TEXTS = {Kind.TEXT, Kind.NAME, Kind.CODE, Kind.CONDITION, Kind.EXPRESSION, Kind.TARGET, Kind.CHOICE, Kind.RESPOND}
MADE_OF_NODES = {
    Kind.NODE, Kind.ENTRIES, Kind.CALL, Kind.ACTION, Kind.STORE, Kind.FLOW, Kind.STEP_GATHER, Kind.TRANSFORM,
    Kind.HISTORY, Kind.ELEMENTS,
}  # fmt: skip


@over("kind", list(Kind))
def test_every_kind_of_value_has_a_reader_a_writer_and_a_yaml_reader(kind):
    assert callable(READ[kind])
    assert callable(READ_YAML[kind])
    assert kind is Kind.FLAT or callable(WRITE[kind])  # what a wrapper holds is written with its owner


@each_class
def test_every_row_says_what_the_property_is(cls):
    for row in cls.PROPS:
        assert row.key.strip() == row.key != "", row
        assert row.doc.endswith((".", '"')), row
        assert row.field in {one.name for one in fields(cls)}, row
        assert row.repeat in {"error", "merge", "append", "replace"}, row
        assert row.spellings == (row.key, *row.aliases), row
        assert row.plain_name == row.field.rstrip("_"), row


@each_class
def test_every_row_has_what_its_kind_needs(cls):
    wrappers = {row.key for row in cls.PROPS if row.kind is Kind.FLAT}
    for row in cls.PROPS:
        assert (row.unit in {"ms", "s"}) is (row.kind is Kind.DURATION), row
        assert row.node in NODES if row.node or row.kind in MADE_OF_NODES else True, row
        assert row.style in {"map", "dash"}, row
        assert not row.group or row.group in wrappers, row
        assert row.kind is not Kind.CHOICE or len(set(row.choices)) == len(row.choices) > 1, row
        assert row.minimum is None or row.maximum is None or row.minimum < row.maximum, row
        assert not row.formula or row.kind is Kind.MAP, row


EMPTY = {
    **dict.fromkeys(TEXTS, ""),
    **dict.fromkeys(
        (Kind.INTEGER, Kind.NUMBER, Kind.DURATION, Kind.LITERAL, Kind.FREE, *MADE_OF_NODES - {Kind.ENTRIES})
    ),
    **{kind: [] for kind in (Kind.SET, Kind.BRANCHES, Kind.RULES, Kind.ENTRIES, Kind.TOOLS, Kind.PROFILES, Kind.HUMAN)},
    Kind.MAP: {},
    Kind.FLAG: False,
}
"""Kind -> the value of a field that is not written."""


@each_class
def test_an_absent_value_is_empty(cls):
    wrong = [row.field for row in cls.PROPS if row.kind in EMPTY and cls.DEFAULTS[row.field] != EMPTY[row.kind]]
    assert wrong == []


@each_class
def test_no_two_properties_of_a_class_share_a_spelling(cls):
    spelt = [(fold(spelling), row.field) for row in cls.PROPS for spelling in row.spellings]
    assert len({spelling for spelling, _ in spelt}) == len(spelt)
    assert {spelling: cls.BY_KEY[spelling].field for spelling, _ in spelt} == dict(spelt)


@each_class
def test_no_spelling_in_snake_case_hides_another(cls):
    assert all(cls.BY_KEY[fold(spelling)] is row for row in cls.PROPS for spelling in row.spellings)


@each_class
def test_no_two_properties_of_a_class_share_a_yaml_name(cls):
    names = [row.yaml or row.plain_name for row in cls.PROPS]
    assert len(set(names)) == len(names)


@each_class
def test_the_special_fields_of_a_class_exist(cls):
    known = {one.name for one in fields(cls)}
    assert {cls.MAIN, cls.INLINE, cls.REST, *cls.SHOWN} - {""} <= known
    assert cls.INLINE == "" or cls.INLINE in cls.BY_FIELD
    assert cls.REST == "" or cls.BY_FIELD[cls.REST].kind is Kind.ENTRIES


@each_class
def test_every_class_is_documented_and_can_be_made_empty(cls):
    assert len(cls.__doc__.strip()) > 10
    assert cls() == cls()
    assert cls().to_dict() == {name: cls.DEFAULTS[name] for name in cls.SHOWN}
    assert not any(keyword.iskeyword(name) for name in cls.FIELDS)


@each_class
def test_the_table_of_a_reader_knows_every_spelling(cls):
    table = TABLES[cls]
    for row in cls.PROPS:
        for spelling in row.spellings:
            assert table[fold(spelling)][1] is row
            assert table[spelling.lower()][1] is row


def test_only_kinds_of_one_piece_of_text_take_nothing_below_them():
    assert TEXTS - {Kind.RESPOND} <= SCALARS
    assert not SCALARS & MADE_OF_NODES


def test_places_are_not_part_of_equality():
    one = Step(name="ask", pos=Pos(1, 1, 0), at={"name": 0})
    assert one == Step(name="ask", pos=Pos(9, 9, 9), at={})
    assert one != Step(name="look", pos=Pos(1, 1, 0))
    assert one != Branch()
    assert (one == "ask") is False


def test_extras_are_part_of_equality():
    assert Step(extras={"X": "1"}) != Step()


def test_nodes_below_are_compared_too():
    assert Flow(steps=[Step(name="a", pos=Pos(1, 1, 0))]) == Flow(steps=[Step(name="a")])
    assert Flow(steps=[Step(name="a")]) != Flow(steps=[Step(name="b")])


def test_nodes_cannot_be_keys():
    with pytest.raises(TypeError):
        hash(Step())


def test_fresh_nodes_share_nothing():
    one, two = GatherField(), GatherField()
    one.options.append("a")
    one.extras["x"] = "y"
    one.at["name"] = 1
    assert (two.options, two.extras, two.at) == ([], {}, {})
    assert GatherField.DEFAULTS["options"] == []


def test_a_list_that_nobody_wrote_is_made_once_and_kept():
    field = GatherField()
    assert field.options is field.options
    assert field.extras is field.extras
    assert GatherField.DEFAULTS["options"] is not field.options


def test_a_node_has_no_fields_but_its_own():
    with pytest.raises(TypeError, match="GatherField has no field 'colour'"):
        GatherField(colour="red")


def test_a_copy_shares_no_list_with_its_original():
    one = GatherField(name="a", options=["x"])
    two = deepcopy(one)
    two.options.append("y")
    two.extras["z"] = "z"
    assert (one.options, one.extras, two.name) == (["x"], {}, "a")
    assert one != two


def test_the_json_form_has_snake_case_keys_without_defaults():
    step = Step(
        name="ask",
        reasoning=False,
        call=Call(tool="f", with_={"a": "b"}, as_="c"),
        set=[Assignment(variable="x", expression="1")],
    )
    assert step.to_dict() == {
        "name": "ask",
        "reasoning": False,
        "call": {"tool": "f", "with": {"a": "b"}, "as": "c"},
        "set": [{"variable": "x", "expression": "1"}],
    }


def test_the_json_form_has_places_when_asked():
    document = Document(name="A", pos=Pos(1, 1, 0), flow=Flow(steps=[Step(name="s", pos=Pos(4, 3, 9))]))
    plain = document.to_dict(positions=True)
    assert plain["pos"] == {"line": 1, "column": 1, "offset": 0}
    assert plain["flow"]["steps"][0]["pos"] == {"line": 4, "column": 3, "offset": 9}
    assert "pos" not in document.to_dict()
    assert json.loads(json.dumps(plain)) == plain


def test_the_json_form_tells_false_from_absent_and_shows_what_is_always_shown():
    assert GatherField(required=False).to_dict() == {"required": False}
    assert GatherField(default=0).to_dict() == {"default": 0}
    assert TypeExpr().to_dict() == {"base": "string"}


def test_a_node_shows_what_differs_from_its_defaults():
    assert repr(GatherField(name="a", required=True)) == "GatherField(name='a', required=True)"
    assert list(GatherField(name="a").written()) == [("name", "a")]


def test_the_document_has_the_members_of_the_model():
    members = (
        "kind format detected_type name version description language goal persona instructions limitations system_prompt "
        "mode identity tools tool_imports gather attachments destinations entities intents nlu lookup_tables multi_intent "
        "memory constraints guardrails flow delegates handoffs return_handlers escalate complete on_start hooks on_error "
        "action_handlers templates messages execution conversation use_behavior_profiles behavior_profiles legacy extras"
    )
    assert set(members.split()) <= set(Document.FIELDS)


def test_words_of_headers_sections_and_the_numbered_grammar_differ():
    assert not set(SECTIONS) & set(HEADERS)
    assert not set(SECTIONS) & set(LEGACY_SECTIONS)


def test_a_result_is_true_when_there_is_a_document_and_no_error():
    error = object()
    assert ParseResult(Document(name="A"))
    assert ParseResult(Document(name="A"), warnings=[error])
    assert not ParseResult(Document(name="A"), errors=[error])
    assert not ParseResult(None)
    assert ParseResult(None, [error], ["note"]).findings == [error, "note"]
