from __future__ import annotations

import pytest

from abl.compiler import CompileOptions, Unit, compile_documents
from abl.compiler.memory import lower_store
from abl.compiler.places import Places
from abl.compiler.scope import Scope
from abl.syntax.document import Document
from abl.syntax.memory import Memory, Recall, Store


def test_session_variables_and_paths_have_their_defaults(agent_of) -> None:
    memory = agent_of("""MEMORY:
  session:
    - parcel_status
    - NAME: attempts
      INITIAL: 0
      TYPE: number
      RESET: per_step
  persistent:
    - PATH: "user.claims"
      TYPE: number
      DEFAULT_VALUE: 0
      SENSITIVE: true
""")["memory"]
    assert memory["session"] == [
        {"name": "parcel_status", "reset": "per_session"},
        {"name": "attempts", "initial_value": 0, "reset": "per_step", "type": "number"},
    ]
    assert memory["persistent"] == [
        {
            "path": "user.claims",
            "scope": "user",
            "type": "number",
            "default_value": 0,
            "access": "readwrite",
            "sensitive": True,
        }
    ]


def test_reads_and_writes_become_paths(agent_of) -> None:
    paths = agent_of("MEMORY:\n  READS:\n    - user.a\n    - user.b\n  WRITES:\n    - user.b\n    - user.c\n")[
        "memory"
    ]["persistent"]
    assert [(one["path"], one["access"]) for one in paths] == [
        ("user.a", "read"),
        ("user.b", "readwrite"),
        ("user.c", "write"),
    ]


def test_remember_and_recall(agent_of) -> None:
    memory = agent_of("""MEMORY:
  remember:
    - WHEN: parcel_status == "delivered"
      STORE: tracking_code -> user.last_parcel
      TTL: "30d"
  recall:
    - ON: session:start
      PATHS: [user.tier]
    - ON: tool:find_parcel:after
      INSTRUCTION: "Mention the hub"
    - ON: agent:*:before
      DOMAIN: parcels
""")["memory"]
    assert memory["remember"] == [
        {
            "when": 'parcel_status == "delivered"',
            "store": {"value": "tracking_code", "target": "user.last_parcel"},
            "ttl": "30d",
        }
    ]
    assert [one["action"] for one in memory["recall"]] == ["inject_context", "prompt_llm", "load_memory"]


def test_a_record_is_stored_with_its_names() -> None:
    document = Document(name="Desk")
    scope = Scope(Unit(document), document, CompileOptions(), Places(), [])
    assert lower_store(Store(fields=["a", "b"], target="user.c"), scope) == {
        "value": "{a, b}",
        "fields": ["a", "b"],
        "target": "user.c",
    }


def recalled(event: str, *, strict: bool = False):
    unit = Unit(Document(name="Desk", memory=Memory(recall=[Recall(event=event, instruction="x")])))
    result = compile_documents([unit], CompileOptions(strict=strict))
    return result.output["agents"]["Desk"]["memory"]["recall"], result.findings


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ON_START", "session:start"),
        ("session_start", "session:start"),
        ("ON_END", "session:end"),
        ("session_end", "session:end"),
        ("agent_enter", "agent:*:before"),
        ("agent_exit", "agent:*:after"),
        ("delegate_complete", "agent:*:after"),
        ("ON_SEARCH", "tool:*:after"),
    ],
)
def test_old_event_names_are_read_as_todays(old: str, new: str) -> None:
    recall, findings = recalled(old)
    assert recall[0]["event"] == new
    assert [(one.code, one.severity) for one in findings] == [("LEGACY_RECALL_EVENT_ALIAS", "warning")]
    assert new in findings[0].message
    assert recalled(old, strict=True)[1][0].severity == "error"


def test_nothing_is_recalled_before_a_tool() -> None:
    recall, findings = recalled("tool:find_parcel:before")
    assert recall == []
    assert [one.code for one in findings] == ["BLOCKED_RECALL_TOOL_BEFORE_EVENT"]
    assert "tool:find_parcel:after" in findings[0].message
