"""Keys that stand beside the property they belong to. Spec: abl-language 3.8, 5.2."""

import pytest

from abl.syntax.coordination import MemoryGrant, OnReturn


@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
def test_with_beside_a_call_is_attached_to_it(read, strict, severity):
    step = read.step("CALL: find\nWITH: {code: c}   #! WITH_OUTSIDE_CALL\nTHEN: COMPLETE", strict=strict)
    assert (step.call.with_, step.then) == ({"code": "c"}, "COMPLETE")
    found = read.finding("WITH_OUTSIDE_CALL")
    assert found.severity == severity
    assert "must be nested under CALL" in found.message
    assert "\n      WITH: {code: c}\n" in read.mended("WITH_OUTSIDE_CALL")


def test_as_beside_a_call_is_attached_to_it(read):
    assert read.step("CALL: find\nAS: found   #! WITH_OUTSIDE_CALL").call.as_ == "found"


def test_a_nested_map_beside_a_call_is_attached_with_all_its_lines(read):
    step = read.step("CALL: find\nWITH:   #! WITH_OUTSIDE_CALL\n  code: c\n  n: 1")
    assert step.call.with_ == {"code": "c", "n": "1"}
    assert "      WITH:\n        code: c\n        n: 1\n" in read.mended("WITH_OUTSIDE_CALL")


def test_without_a_call_the_key_is_kept(read):
    step = read.step("AS: found   #! WITH_OUTSIDE_CALL")
    assert step.extras == {"AS": "found"}
    assert step.call is None


@pytest.mark.parametrize(
    ("section", "body", "get"),
    [
        ("ON_START", "CALL: f()\nWITH: {a: b}\nAS: c", lambda d: d.on_start),
        ("HOOKS", "after_turn:\n  CALL: f()\n  WITH: {a: b}\n  AS: c", lambda d: d.hooks[0]),
        ("ACTION_HANDLERS", "go:\n  CALL: f()\n  WITH: {a: b}\n  AS: c", lambda d: d.action_handlers[0]),
        (
            "ACTION_HANDLERS",
            "go:\n  DO:\n    - CALL: f()\n      WITH: {a: b}\n      AS: c",
            lambda d: d.action_handlers[0].do[0],
        ),
        ("ON_START", "- CALL: f()\n  WITH: {a: b}\n  AS: c", lambda d: d.on_start),
    ],
)
def test_elsewhere_both_places_are_right(read, section, body, get):
    call = get(read.under(section, body)).call
    assert (call.with_, call.as_) == ({"a": "b"}, "c")


def test_on_start_may_be_written_with_bullets(read):
    plain = read.under("ON_START", "SET: a = 1\nCALL: f()\n  AS: c\nDELEGATE: B\nRESPOND: Hi").on_start
    assert plain == read.under("ON_START", "- SET: a = 1\n- CALL: f()\n  AS: c\n- DELEGATE: B\n- RESPOND: Hi").on_start
    assert (plain.set[0].variable, plain.call.as_, plain.delegate.agent, plain.respond) == ("a", "c", "B", "Hi")


PARTS = [
    ("MAP: {a: b}", OnReturn(action="continue", map={"a": "b"})),
    ("MAP:\n    a: b", OnReturn(action="continue", map={"a": "b"})),
    ("HANDLER: after", OnReturn(action="continue", handler="after")),
]


@pytest.mark.parametrize(("row", "made"), PARTS)
@pytest.mark.parametrize(("strict", "severity"), [(False, "warning"), (True, "error")])
def test_a_part_of_on_return_beside_it_is_read_as_its_part(read, row, made, strict, severity):
    head, _, rest = row.partition("\n")
    (handoff,) = read.under(
        "HANDOFF",
        f"- TO: B\n  ON_RETURN: continue\n  {head}   #! MISPLACED_ON_RETURN\n{rest}\n  WHEN: c",
        strict=strict,
    ).handoffs
    assert handoff.on_return == made
    assert handoff.when == "c"
    assert read.finding("MISPLACED_ON_RETURN").severity == severity


def test_a_part_of_on_return_may_stand_alone(read):
    (handoff,) = read.under("HANDOFF", "- TO: B\n  RETURN: true\n  ACTION: continue   #! MISPLACED_ON_RETURN").handoffs
    assert handoff.on_return == OnReturn(action="continue")


@pytest.mark.parametrize("outer", ["CONTEXT:\n    ", ""])
def test_the_old_name_of_memory_grants_is_an_error_that_points_to_the_new_one(read, outer):
    read.raw(f"AGENT: A\nGOAL: b\nHANDOFF:\n  - TO: B\n    {outer.replace('    ', '      ')}grant_memory: [user.a]\n")
    assert [(one.code, one.severity) for one in read.findings] == [("GRANT_MEMORY_RENAMED", "error")]
    assert "memory_grants" in read.findings[0].message
    assert read.document.handoffs[0].memory_grants == [MemoryGrant(path="user.a")]
    assert "memory_grants: [user.a]" in read.mended("GRANT_MEMORY_RENAMED")


@pytest.mark.parametrize(
    ("written", "grants"),
    [
        (" [user.a, user.b]", [MemoryGrant(path="user.a"), MemoryGrant(path="user.b")]),
        (
            "\n  - user.a\n  - path: user.b\n    access: readwrite",
            [MemoryGrant(path="user.a"), MemoryGrant(path="user.b", access="readwrite")],
        ),
    ],
)
def test_a_grant_is_a_path_or_a_path_with_access(read, written, grants):
    body = "- TO: B\n  CONTEXT:\n    memory_grants:" + written.replace("\n", "\n    ")
    assert read.under("HANDOFF", body).handoffs[0].memory_grants == grants
