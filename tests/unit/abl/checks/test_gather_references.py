"""Whether fields wait for fields that exist, and not for each other."""

import pytest


def fields(**waits):
    return {"gather": {"fields": [{"name": name, "depends_on": on} for name, on in waits.items()]}}


def test_an_unknown_field_is_reported_with_the_near_one(in_text, mended):
    text = """
        GATHER:
          code:
            prompt: "Which code?"
          amount:
            prompt: "How much?"
            depends_on: [cdoe]
    """
    (found,) = in_text(text)
    assert (found.code, found.line, found.column) == ("INVALID_DEPENDS_ON_REF", 8, 18)
    assert "depends_on: [code]" in mended(found, text)


def test_fields_of_the_agent_and_of_steps_know_each_other(in_ir):
    step = {"gather": {"fields": [{"name": "b", "depends_on": ["a"]}]}}
    assert not in_ir({**fields(a=["b"][:0]), "flow": {"definitions": {"s": step}}}, "INVALID_DEPENDS_ON_REF")


def test_a_field_that_a_step_takes_over_is_reported_once(in_ir):
    step = {"gather": {"fields": [{"name": "a", "depends_on": ["x"]}]}}
    ir = {**fields(a=["x"]), "flow": {"definitions": {"s": step}}}
    assert len(in_ir(ir, "INVALID_DEPENDS_ON_REF")) == 1


@pytest.mark.parametrize(
    ("waits", "rings"),
    [
        ({"a": ["b"], "b": ["a"]}, ["a -> b -> a"]),
        ({"a": ["a"]}, ["a -> a"]),
        ({"a": ["b"], "b": ["c"], "c": ["b"]}, ["b -> c -> b"]),
        ({"a": ["b", "b"], "b": ["a", "a"]}, ["a -> b -> a"]),
        ({"a": ["b"], "b": ["a"], "c": ["d"], "d": ["c"]}, ["a -> b -> a", "c -> d -> c"]),
        ({"a": ["b", "c"], "b": ["c"], "c": []}, []),
        ({"a": ["x"]}, []),
    ],
)
def test_rings_are_found_once(in_ir, waits, rings):
    found = in_ir(fields(**waits), "CIRCULAR_DEPENDS_ON")
    assert [ring in one.message for ring, one in zip(rings, found, strict=True)] == [True] * len(rings)


def test_a_long_chain_is_no_ring(in_ir):
    chain = {f"f{at}": [f"f{at + 1}"] for at in range(5000)}
    assert not in_ir(fields(**chain, f5000=[]), "CIRCULAR_DEPENDS_ON")
