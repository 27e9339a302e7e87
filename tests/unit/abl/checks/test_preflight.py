"""What an agent needs before it can run."""

import pytest

ZONES = {"flow": {"definitions": {"a": {"reasoning_zone": {"goal": "g"}}, "b": {"reasoning_zone": {"goal": "g"}}}}}
CODE = "REASONING_ZONE_NO_MODEL"


def test_the_first_zone_without_a_model_is_reported(in_ir):
    assert [one.path for one in in_ir(ZONES, CODE)] == ["flow.definitions.a.reasoning"]


@pytest.mark.parametrize("execution", [{"model": "small"}, {"operation_models": {"reasoning": "small"}}])
def test_a_model_is_enough(in_ir, execution):
    assert not in_ir({**ZONES, "execution": execution}, CODE)


def test_a_default_of_the_deployment_is_enough(in_ir):
    assert not in_ir(ZONES, CODE, default_model=True)


def test_an_agent_without_a_flow_runs_on_the_default(in_ir):
    assert not in_ir({"identity": {"goal": "g"}}, CODE)
