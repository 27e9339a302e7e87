from __future__ import annotations

from abl.compiler import CompileOptions, Places, Unit
from abl.compiler.scope import Scope
from abl.compiler.types import lower_parameter, lower_returns, lower_type, signature
from abl.syntax.document import Document
from abl.syntax.tools import Parameter, TypeExpr


def scope() -> Scope:
    document = Document(name="Desk")
    return Scope(Unit(document), document, CompileOptions(), Places(), [])


def test_types_are_nested_objects() -> None:
    kind = TypeExpr(base="array", items=TypeExpr(base="object", fields=[Parameter(name="a", optional=True)]))
    assert lower_type(kind) == {
        "type": "array",
        "items": {"type": "object", "fields": {"a": {"type": "string", "optional": True}}},
    }
    assert lower_type(TypeExpr(base="string", values=["a", "b"])) == {"type": "string", "enum": ["a", "b"]}


def test_a_missing_type_is_a_string_and_a_missing_result_an_object() -> None:
    assert lower_type(None) == {"type": "string"}
    assert lower_returns(None) == {"type": "object"}


def test_a_parameter_with_a_default_or_a_question_mark_is_optional() -> None:
    assert lower_parameter(Parameter(name="a"), scope())["required"] is True
    assert lower_parameter(Parameter(name="a", optional=True), scope())["required"] is False
    assert lower_parameter(Parameter(name="a", default=0), scope())["required"] is False
    assert lower_parameter(Parameter(name="a", optional=True, required=True), scope())["required"] is True


def test_object_parameters_have_properties_and_arrays_items() -> None:
    kind = TypeExpr(base="object", fields=[Parameter(name="x")])
    assert lower_parameter(Parameter(name="a", type=kind), scope()) == {
        "name": "a", "type": "object", "required": True,
        "properties": [{"name": "x", "type": "string", "required": True}],
    }  # fmt: skip
    items = Parameter(type=TypeExpr(base="number"), description="One")
    assert lower_parameter(Parameter(name="a", type=TypeExpr(base="array"), items=items), scope())["items"] == {
        "type": "number",
        "description": "One",
    }


def test_the_library_lends_what_is_missing() -> None:
    theirs = Parameter(name="a", description="The code", enum=["x"], validate="^x")
    lowered = lower_parameter(Parameter(name="a", description="Mine"), scope(), theirs)
    assert (lowered["description"], lowered["enum"], lowered["validation"]) == ("Mine", ["x"], "^x")


def test_a_signature_reads_like_the_text() -> None:
    made = [lower_parameter(Parameter(name="a"), scope()), lower_parameter(Parameter(name="b", default=1), scope())]
    assert signature(made) == "(a: string, b?: string)"
