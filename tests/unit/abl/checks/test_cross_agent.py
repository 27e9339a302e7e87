"""Whether agents name agents that exist, and read what those produce."""

import pytest

from abl.checks import CheckContext, CheckOptions, check_cross_agent


def named(name, **more):
    return {"metadata": {"name": name, "type": "agent"}, **more}


def handoff(to="Claims_Dsek", **more):
    return {"coordination": {"handoffs": [{"to": to, "when": "true", **more}]}}


def codes(agents, name, **options):
    context = CheckContext(agents, CheckOptions(**options), remote=options.pop("remote", ()))
    return [one.code for one in check_cross_agent(agents[name], context)]


@pytest.mark.parametrize(
    "more",
    [
        handoff(),
        {"flow": {"definitions": {"s": {"on_input": [{"handoff": "Claims_Dsek"}]}}}},
        {"action_handlers": [{"action_id": "a", "do": [{"handoff": "Claims_Dsek"}]}]},
        {"error_handling": {"handlers": [{"type": "x", "then": "handoff", "handoff_target": "Claims_Dsek"}]}},
        {"constraints": {"constraints": [{"on_fail": {"type": "handoff", "target": "Claims_Dsek"}}]}},
        {"coordination": {"escalation": {"on_human_complete": [{"action": "HANDOFF to Claims_Dsek"}]}}},
    ],
)
def test_a_handoff_to_nobody_is_reported(in_ir, more):
    ir = named("Front", **more)
    found = in_ir(ir, "INVALID_HANDOFF_TARGET", agents={"Front": ir, "Claims_Desk": named("Claims_Desk")})
    assert len(found) == 1
    assert "Did you mean Claims_Desk?" in found[0].message


@pytest.mark.parametrize("options", [{"single_agent": True}, {"project_agents": ("Claims_Dsek",)}])
def test_agents_elsewhere_are_not_missed(options):
    ir = named("Front", **handoff())
    assert not codes({"Front": ir}, "Front", **options)


def test_a_remote_agent_is_not_missed():
    ir = named("Front", **handoff(remote={"endpoint": "https://agents.example"}))
    assert not codes({"Front": ir}, "Front")


def test_a_handoff_to_itself_is_reported_even_alone():
    ir = named("Front", **handoff("Front"))
    assert codes({"Front": ir}, "Front", single_agent=True) == ["SELF_HANDOFF_TARGET"]
    assert not codes({"Front": named("Front", **handoff("Other"))}, "Front", single_agent=True)


def test_delegates_are_checked_in_the_same_way():
    ir = named("Front", coordination={"delegates": [{"agent": "Nobody"}, {"agent": "Front"}, {"agent": "Other"}]})
    agents = {"Front": ir, "Other": named("Other")}
    assert codes(agents, "Front") == ["INVALID_DELEGATE_TARGET", "SELF_DELEGATE_TARGET"]


@pytest.mark.parametrize("delegate", ["Nobody", {"agent": "Nobody", "return": True}])
def test_a_delegate_inside_a_branch_is_checked(delegate):
    ir = named("Front", flow={"definitions": {"s": {"on_input": [{"delegate": delegate}]}}})
    assert codes({"Front": ir}, "Front") == ["INVALID_DELEGATE_TARGET"]


def test_routing_rules_of_a_supervisor_are_checked():
    routing = {"rules": [{"to": "Nobody"}, {"to": "Front"}, {"to": "Other"}], "default_agent": "Missing"}
    ir = {"metadata": {"name": "Front", "type": "supervisor"}, "routing": routing}
    found = codes({"Front": ir, "Other": named("Other")}, "Front")
    assert found == ["INVALID_ROUTING_TARGET", "INVALID_DEFAULT_ROUTING_TARGET", "SELF_ROUTING_TARGET"]


def test_routing_rules_of_an_agent_only_repeat_its_handoffs():
    ir = named("Front", **handoff("Nobody"), routing={"rules": [{"to": "Nobody"}], "default_agent": "Nobody"})
    assert codes({"Front": ir}, "Front") == ["INVALID_HANDOFF_TARGET"]


CHILD = {
    "gather": {"fields": [{"name": "email"}]},
    "tools": [{"name": "open", "returns": {"type": "object", "fields": {"claim_id": {"type": "string"}}}}],
    "on_start": {"set": [{"variable": "rate", "expression": "1"}]},
    "identity": {"goal": "Return the verdict of the insurer"},
}


@pytest.mark.parametrize("key", ["email", "claim_id", "rate", "open.claim_id", "result", "verdict", "user.x"])
def test_what_the_child_produces_or_speaks_of_comes_back(key):
    child = named("Claims", **CHILD)
    ir = named("Front", **handoff("Claims", on_return={"map": {key: "ours"}}))
    assert not codes({"Front": ir, "Claims": child}, "Front")


def test_what_the_child_never_produces_is_reported(in_ir):
    child = named("Claims", **CHILD)
    ir = named("Front", **handoff("Claims", on_return={"map": {"emial": "ours"}}))
    (found,) = in_ir(ir, "UNKNOWN_HANDOFF_RETURN_FIELD", agents={"Front": ir, "Claims": child})
    assert found.path == "coordination.handoffs.0.on_return.map.emial"
    assert "Did you mean email?" in found.message
    delegating = named("Front", coordination={"delegates": [{"agent": "Claims", "returns": {"emial": "ours"}}]})
    assert codes({"Front": delegating, "Claims": child}, "Front") == ["UNKNOWN_DELEGATE_RETURN_FIELD"]


def test_a_return_field_is_mended_in_the_text(in_project):
    desk = """
        AGENT: Desk
        GOAL: "Help"
        HANDOFF:
          - TO: Claims
            WHEN: input CONTAINS "claim"
            RETURN: true
            ON_RETURN:
              MAP:
                claim_nmuber: open_claim
    """
    claims = """
        AGENT: Claims
        GOAL: "Handle claims"
        ON_START:
          SET: claim_number = UNIQUE_ID()
    """
    (found,) = in_project("UNKNOWN_HANDOFF_RETURN_FIELD", desk=desk, claims=claims)
    assert (found.file, found.line) == ("desk", 9)
