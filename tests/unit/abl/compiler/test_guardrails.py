from __future__ import annotations

from abl.compiler import Unit, compile_documents
from abl.syntax.document import Document
from abl.syntax.rules import FailAction, Guardrail


def lowered(guardrail: Guardrail, form: str = "abl") -> list[dict]:
    unit = Unit(Document(name="Desk", format=form, guardrails=[guardrail]))
    return compile_documents([unit]).output["agents"]["Desk"]["constraints"]["guardrails"]


def test_both_gives_an_entry_for_each_direction() -> None:
    entries = lowered(Guardrail(name="toxic", kind="both", provider="builtin"))
    assert [(one["name"], one["kind"]) for one in entries] == [("toxic", "input"), ("toxic", "output")]


def test_the_defaults_of_the_text_form() -> None:
    assert lowered(Guardrail(name="g", check="contains_pii(input)")) == [
        {
            "name": "g",
            "kind": "output",
            "priority": 100,
            "tier": "local",
            "action": {"type": "warn"},
            "streaming": False,
            "check": "contains_pii(input)",
        }
    ]


def test_the_defaults_of_the_yaml_form() -> None:
    entry = lowered(Guardrail(name="g", check="true"), form="yaml")[0]
    assert (entry["kind"], entry["action"]) == ("input", {"type": "block"})


def test_the_tier_follows_from_what_judges() -> None:
    assert lowered(Guardrail(name="g", llm_check="polite"))[0]["tier"] == "llm"
    assert lowered(Guardrail(name="g", llm_check="polite", provider="builtin"))[0]["tier"] == "model"


def test_a_reask_has_one_try_by_default_and_camel_case_keys() -> None:
    node = Guardrail(
        name="g", llm_check="polite", action=FailAction(type="reask"), fix_strategy="mask", filter_min_length=3,
        streaming=True,
    )  # fmt: skip
    entry = lowered(node)[0]
    assert entry["action"] == {"type": "reask", "maxReasks": 1, "fixStrategy": "mask", "filterMinLength": 3}
    assert entry["llmCheck"] == "polite"
    assert entry["streamingInterval"] == "sentence"


def test_an_action_takes_its_text_along() -> None:
    assert lowered(Guardrail(name="g", action=FailAction(type="block", message="No.")))[0]["action"] == {
        "type": "block",
        "message": "No.",
    }
    assert lowered(Guardrail(name="g", message="M", action=FailAction(type="block")))[0]["action"]["message"] == "M"
