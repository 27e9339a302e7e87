"""Plain nodes of types. Spec: abl-language 3.2."""

from abl.parser.type_nodes import MAX_ARRAY_SUFFIXES, arrays, of_base
from abl.syntax.tools import TypeExpr


def test_a_word_is_a_type_without_a_place():
    assert of_base("date") == TypeExpr(base="date")
    assert of_base("date").pos is None


def test_arrays_stand_around_a_type_up_to_a_bound():
    assert arrays(of_base("date"), 1) == TypeExpr(base="array", items=TypeExpr(base="date"))
    made = arrays(of_base("date"), 99)
    for _ in range(MAX_ARRAY_SUFFIXES):
        made = made.items
    assert made == TypeExpr(base="date")
