"""Any JSON gives a result: nothing raises, and the work stays linear."""

from hypothesis import given
from hypothesis import strategies as st

from abl.checks import FAMILIES, CheckContext, check_fields, run_checks
from abl.diagnostics.catalogue import RULES

KEYS = st.sampled_from(
    "flow definitions steps entry_point then on_input condition when check call call_spec tool as set variable "
    "expression gather fields name depends_on tools parameters returns hints coordination handoffs to context pass "
    "on_return map delegates agent input returns memory session recall event persistent path constraints guardrails "
    "action type kind routing rules default_agent behavior_profiles tools_hide flow_modifications skip overrides "
    "insertions metadata completion conditions respond identity goal reasoning_zone staticGraph edges entities".split()
)
LEAVES = (
    st.none() | st.booleans() | st.integers() | st.sampled_from(["", "x", "a == ", "{{x", "agent", "COMPLETE", "a.b"])
)
JSON = st.recursive(LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6))


@given(JSON)
def test_any_json_gives_findings(value):
    assert isinstance(run_checks(value), list)
    assert isinstance(check_fields(value), list)


@given(st.dictionaries(KEYS, JSON, max_size=8), JSON)
def test_any_object_gives_findings_of_known_codes(ir, other):
    context = CheckContext({"A": ir, "B": other})
    assert {one.code for one in run_checks(ir, context)} <= set(RULES)


def test_every_code_of_the_rules_is_in_the_catalogue():
    assert {check.code for checks in FAMILIES.values() for check in checks} <= set(RULES)


def test_deep_nesting_is_no_problem():
    value = deep = {}
    for _ in range(5000):
        deep["flow"] = {}
        deep = deep["flow"]
    assert isinstance(run_checks(value), list)


def test_findings_of_one_code_are_bounded():
    steps = {f"s{at}": {"respond": "x", "then": f"nowhere{at}"} for at in range(1000)}
    found = run_checks({"flow": {"entry_point": "s0", "definitions": steps}})
    assert sum(one.code == "DANGLING_STEP_REF" for one in found) == 200
