"""SET, CALL, STORE and TRANSFORM. Spec: abl-language 3.5, 3.10, 3.11, 5.2, 5.4."""

import pytest

from abl.source import Pos
from abl.syntax.memory import Store
from abl.syntax.steps import Argument, Assignment, Call


def pairs(step):
    return [(one.variable, one.expression) for one in step.set]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        (" a = 1", [("a", "1")]),
        (" a = 1  # said", [("a", "1")]),
        (' name = "x, y"', [("name", '"x, y"')]),
        (" user.tier = tier", [("user.tier", "tier")]),
        (" a = 1, b = 2", [("a", "1"), ("b", "2")]),
        (" a = max(1, 2), b = [1, 2]", [("a", "max(1, 2)"), ("b", "[1, 2]")]),
        (" ok = a == b", [("ok", "a == b")]),
        ("\n  a = 1\n  b = 2", [("a", "1"), ("b", "2")]),
        ("\n  - a = 1\n  - b = 2", [("a", "1"), ("b", "2")]),
        ("\n  a: 1\n  b: c", [("a", "1"), ("b", "c")]),
        ("\n  a = 1\n\n  b = 2", [("a", "1"), ("b", "2")]),
        ("\n  a = 1  # said\n  # said\n  b = 2", [("a", "1"), ("b", "2")]),
        (" a = {x: 1,\n  y: 2}", [("a", "{x: 1, y: 2}")]),
        (" x = \"a == 'b'\"", [("x", "\"a == 'b'\"")]),
        ("\n  text = a ?\n    b : c", [("text", "a ? b : c")]),
    ],
)
def test_assignments_may_be_inline_or_on_lines_of_their_own(read, written, found):
    step = read.step(f"SET:{written}\nTHEN: COMPLETE")
    assert pairs(step) == found
    assert step.then == "COMPLETE"


@pytest.mark.parametrize("key", ["SET", "CLEAR"])
def test_a_blank_line_inside_a_block_does_not_end_it(read, key):
    item = "{} = 1" if key == "SET" else "- {}"
    step = read.step(f"{key}:\n  {item.format('a')}\n\n  {item.format('b')}\n\nTHEN: COMPLETE")
    assert len(step.set or step.clear) == 2


def test_several_lines_of_set_are_kept_in_order(read):
    assert pairs(read.step("SET: a = 1\nSET: b = 2\nSET:\n  c = 3")) == [("a", "1"), ("b", "2"), ("c", "3")]


@pytest.mark.parametrize("written", [" a = b", "\n  a = b", "\n  - a = b", " x = 1, a = b"])
def test_variable_and_expression_stand_where_the_node_says(read, written):
    one = read.step(f"SET:{written}").set[-1]
    assert one == Assignment(variable="a", expression="b")
    read.stands(one, "variable")
    read.stands(one, "expression")
    assert one.pos.offset == one.at["variable"]


@pytest.mark.parametrize("written", ["a", "a ==  1", "a =", "= 1", "when it rains"])
def test_what_is_no_assignment_is_reported_and_kept(read, written):
    step = read.step(f"SET: {written}   #! INVALID_SET\nTHEN: COMPLETE")
    assert [one.expression for one in step.set] == [written]
    assert step.then == "COMPLETE"


CALLS = [
    ("find", Call(tool="find")),
    ("find()", Call(tool="find", arguments=[])),
    ("find(code)", Call(tool="find", arguments=[Argument(expression="code")])),
    ("find(code) AS p", Call(tool="find", arguments=[Argument(expression="code")], as_="p")),
    ("find(code) -> p", Call(tool="find", arguments=[Argument(expression="code")], as_="p")),
    ("find AS p", Call(tool="find", as_="p")),
    (
        "find(code: c, n = 2)",
        Call(tool="find", arguments=[Argument(name="code", expression="c"), Argument(name="n", expression="2")]),
    ),
    ("find(a == b)", Call(tool="find", arguments=[Argument(expression="a == b")])),
    (
        'find("a, b", f(1, 2))',
        Call(tool="find", arguments=[Argument(expression='"a, b"'), Argument(expression="f(1, 2)")]),
    ),
    ("find\n  WITH: {code: c}\n  AS: p", Call(tool="find", with_={"code": "c"}, as_="p")),
    (
        'find\n  WITH:\n    code: c\n    name: "x"\n\n    n: 1\n  AS: p',
        Call(tool="find", with_={"code": "c", "name": '"x"', "n": "1"}, as_="p"),
    ),
    ("find(code)\n  as: p", Call(tool="find", arguments=[Argument(expression="code")], as_="p")),
    (
        "find(\n  a,\n  b\n  ) AS p",
        Call(tool="find", arguments=[Argument(expression="a"), Argument(expression="b")], as_="p"),
    ),
    ("find(a)  # said", Call(tool="find", arguments=[Argument(expression="a")])),
]


@pytest.mark.parametrize(("written", "call"), CALLS)
def test_a_call_has_a_tool_arguments_and_a_result(read, written, call):
    step = read.step(f"CALL: {written}\nTHEN: COMPLETE")
    assert step.call == call
    assert step.then == "COMPLETE"


def test_the_parts_of_a_call_stand_where_the_node_says(read):
    call = read.step("CALL: find(code, n: two) AS parcel").call
    read.stands(call, "tool", "find")
    read.stands(call, "as_", "parcel")
    for argument, text in zip(call.arguments, ("code", "two"), strict=True):
        read.stands(argument, "expression", text)
    assert call.pos == Pos(6, 11, read.text.index("find("))


def test_no_parentheses_are_not_empty_parentheses(read):
    assert read.step("CALL: find").call.arguments is None
    assert read.step("CALL: find()").call.arguments == []


@pytest.mark.parametrize("written", ["find(a", "find a b", "(a)"])
def test_what_is_no_call_is_reported(read, written):
    step = read.step(f"CALL: {written}   #! INVALID_CALL\nTHEN: COMPLETE")
    assert step.then == "COMPLETE"


@pytest.mark.parametrize(
    ("written", "store"),
    [
        ("code -> user.last", Store(value="code", target="user.last")),
        ("{code, status} -> user.last", Store(fields=["code", "status"], target="user.last")),
        ("a + 1 -> user.count", Store(value="a + 1", target="user.count")),
        ('"code -> user.last"', Store(value="code", target="user.last")),
        ("code \u2192 user.last", Store(value="code", target="user.last")),
        ("{a: 1} -> user.last", Store(value="{a: 1}", target="user.last")),
        ("\n  value: code\n  target: user.last", Store(value="code", target="user.last")),
    ],
)
def test_a_store_has_a_value_and_a_target(read, written, store):
    body = "- WHEN: a\n  STORE: " + written.replace("\n", "\n  ")
    (completion,) = read.under("COMPLETE", body).complete
    assert completion.store == store
    read.stands(completion.store, "target")


def test_a_remembered_value_has_a_time_to_live(read):
    (one,) = read.under(
        "MEMORY", 'remember:\n  - WHEN: a == 1\n    STORE: code -> user.last\n    TTL: "30d"'
    ).memory.remember
    assert (one.when, one.store.target, one.ttl) == ("a == 1", "user.last", "30d")


def test_a_transform_has_source_item_target_and_clauses(read):
    made = read.step("""
        TRANSFORM: parcel.events AS event INTO shown
          FILTER: event.kind == "scan"
          MAP:
            at: event.at
            text: upper(event.text)
          SORT_BY: at DESC
          LIMIT: 5
        THEN: COMPLETE
        """).transform
    assert (made.source, made.item_var, made.target) == ("parcel.events", "event", "shown")
    assert made.filter == 'event.kind == "scan"'
    assert made.map == {"at": "event.at", "text": "upper(event.text)"}
    assert (made.sort_by, made.limit) == ("at DESC", "5")
    for field in ("source", "item_var", "target", "filter"):
        read.stands(made, field)


def test_what_is_no_transform_is_reported_and_kept(read):
    step = read.step("TRANSFORM: events INTO shown   #! INVALID_TRANSFORM\n  LIMIT: 5")
    assert (step.transform.source, step.transform.limit) == ("events INTO shown", "5")


def test_a_sign_that_does_not_assign_has_its_mend(read):
    read.step("SET: tries += 1   #! INVALID_SET\nTHEN: COMPLETE")
    assert "`+=` does not assign" in read.finding("INVALID_SET").message
    assert "SET: tries = tries + 1\n" in read.mended("INVALID_SET")


@pytest.mark.parametrize("under", ["AS: p", "AS p", "-> p", "as p"])
def test_the_result_of_a_call_may_be_named_below_it(read, under):
    step = read.step(f"CALL: find(code)\n  {under}\nTHEN: COMPLETE")
    assert step.call == Call(tool="find", arguments=[Argument(expression="code")], as_="p")
    read.stands(step.call, "as_")
