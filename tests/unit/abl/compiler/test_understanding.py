from __future__ import annotations

import pytest


def test_entities_come_from_three_places(agent_of) -> None:
    entities = agent_of("""ENTITIES:
  carrier:
    TYPE: enum
    VALUES: [dhx, upx]
    SYNONYMS:
      dhx: ["D H X", yellow]
    VALIDATION: "must exist"
NLU:
  entities:
    - NAME: weight
      TYPE: number
GATHER:
  size:
    prompt: s
    options: [s, m]
""")["entities"]
    assert entities == [
        {
            "name": "carrier",
            "type": "enum",
            "values": ["dhx", "upx"],
            "synonyms": {"dhx": ["D H X", "yellow"]},
            "intrinsic_validation": "must exist",
            "source": "explicit",
        },
        {"name": "weight", "type": "number", "source": "nlu_lowered"},
        {"name": "size", "type": "enum", "values": ["s", "m"], "source": "gather_inline"},
    ]


def test_two_types_for_one_entity_are_reported(codes_of) -> None:
    text = "ENTITIES:\n  a:\n    TYPE: enum\n    VALUES: [x]\nNLU:\n  entities:\n    - NAME: a\n      TYPE: number\n"
    assert codes_of(text) == ["ENTITY_CONFLICT"]
    assert codes_of(text.replace("number", "enum")) == []


def test_a_pattern_of_an_entity_is_checked(codes_of) -> None:
    assert codes_of('ENTITIES:\n  a:\n    TYPE: pattern\n    PATTERN: "(a"\n') == ["INVALID_REGEX"]


def test_multi_intent_has_its_defaults(agent_of) -> None:
    assert agent_of("MULTI_INTENT:\n  max_intents: 2\n")["intent_handling"] == {
        "multi_intent": {
            "enabled": True,
            "strategy": "primary_queue",
            "max_intents": 2,
            "confidence_threshold": 0.6,
            "queue_max_age_ms": 600_000,
        }
    }
    assert "intent_handling" not in agent_of("")


def test_intents_are_kept_with_their_fallback(agent_of) -> None:
    handling = agent_of('INTENTS:\n  trace: "Where is it"\n  LEXICAL_FALLBACK: always\n')["intent_handling"]
    assert handling == {"intents": [{"name": "trace", "description": "Where is it"}], "lexical_fallback": "always"}


def test_lookup_tables_have_normalised_values(agent_of) -> None:
    text = "LOOKUP_TABLES:\n  hubs:\n    source: inline\n    values: [Berlin, Wien]\n  codes:\n    source: mongodb\n    collection: c\n    case_sensitive: true\n    timeout_ms: 5\n"
    tables = agent_of(text)["lookup_tables"]
    assert tables["hubs"] == {
        "source": "inline",
        "values": ["Berlin", "Wien"],
        "case_sensitive": False,
        "fuzzy_match": False,
        "fuzzy_threshold": 0.85,
        "normalized_values": ["berlin", "wien"],
    }
    assert (tables["codes"]["source"], tables["codes"]["table_name"], tables["codes"]["timeout_ms"]) == (
        "collection",
        "c",
        5,
    )


def test_nlu_keys_are_camel_case(agent_of) -> None:
    nlu = agent_of("""NLU:
  languages: [de, en]
  default_language: de
  allow_code_switching: true
  intents:
    - NAME: trace
      EXAMPLES: [where]
      EXAMPLES_FILE: more.txt
  evaluation:
    log_predictions: true
  embeddings:
    cache_ttl: 5
""")["nlu"]
    assert nlu == {
        "languages": ["de", "en"],
        "defaultLanguage": "de",
        "allowCodeSwitching": True,
        "intents": [{"name": "trace", "examples": ["where"], "examplesFile": "more.txt"}],
        "evaluation": {"logPredictions": True},
        "embeddings": {"cacheTtl": 5},
    }


INTENTS = "INTENTS:\n  trace: Where\n"


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ('intent.category == "trase"', ["UNDECLARED_INTENT"]),
        ('"trase" == intent', ["UNDECLARED_INTENT"]),
        ('intent.category IN ["trace", "trase"]', ["UNDECLARED_INTENT"]),
        ('intent.category == "trace"', []),
        ('intent.category == "greeting"', []),
        ('intent == "cancel"', []),
        ('topic == "trase"', []),
    ],
)
def test_intents_named_in_conditions_are_declared(codes_of, condition: str, codes: list[str]) -> None:
    assert codes_of(f"{INTENTS}COMPLETE:\n  - WHEN: {condition}\n") == codes


def test_without_declared_intents_all_names_are_free(codes_of) -> None:
    assert codes_of('COMPLETE:\n  - WHEN: intent.category == "anything"\n') == []


def test_an_undeclared_intent_is_marked_itself(compile_text) -> None:
    found = compile_text(INTENTS + 'COMPLETE:\n  - WHEN: intent.category == "trase"\n').findings[0]
    assert (found.line, found.column, found.length) == (6, 31, 5)
