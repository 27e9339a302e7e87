"""Properties that nothing acts on are told, each with what to do instead."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import abl
from abl.checks.without_effect import AS_IT_IS, WITHOUT_EFFECT
from abl.syntax.node import NODES

ROOT = Path(__file__).parents[4]
ACTING = ("engine", "actors", "gateway", "providers", "storage")
SNAKE = re.compile(r"_(.)")

LOWERED = {
    ("Attachment", "allowed_types"): "allowed_mime_types",
    ("Attachment", "max_size_mb"): "max_file_size_bytes",
    ("ErrorHandler", "retry_delay"): "retry_delay_ms",
    ("ErrorHandler", "retry_max_delay"): "retry_max_delay_ms",
    ("Execution", "max_reasoning_iterations"): "max_iterations",
    ("Execution", "models"): "operation_models",
    ("GatherField", "entity_ref"): "enum_values",
    ("GatherField", "many"): "list",
    ("GatherField", "options"): "enum_values",
    ("GatherField", "validation_process"): "validation",
    ("Memory", "reads"): "persistent",
    ("Memory", "writes"): "persistent",
    ("Step", "behavior"): "reasoning_zone",
    ("Step", "do_after"): "do",
    ("Tool", "auth_jit"): "jit_auth",
    ("Tool", "auth_profile"): "auth_profile_ref",
    ("Tool", "confirmation_require"): "require",
    ("Tool", "context_read"): "context_access",
    ("Tool", "index_id"): "searchai_binding",
    ("Tool", "kb_name"): "searchai_binding",
    ("Tool", "search_instructions"): "searchai_binding",
    ("ToolChanges", "hide"): "tools_hide",
}
"""Property -> under which key the program has it, where that is another one."""
SHARED = {
    "carousel": "rich_content",
    "base_url": "endpoint",
    "auth_config": "auth",
    "retry_delay": "delay_ms",
    "rate_limit": "rate_limit_per_minute",
}
"""The same, of fields that several classes have."""
WHOLE = {
    "ActionSet": "the page shows it",
    "Element": "the page shows it",
    "HumanRouting": "the desk is handed all of it",
    "VoiceSettings": "the client of a spoken channel is handed all of it",
}
"""Class -> who is handed all that it says, so that nothing here names its parts."""
COMPILED = {
    ("AgentRef", "alias"): "rules that name it lead to its agent",
    ("Behavior", "can_respond_directly"): "direct_response_allowed",
    ("Branch", "otherwise"): "a branch without a condition",
    ("Document", "templates"): "answers that name one have its text",
    ("Document", "use_behavior_profiles"): "the profiles are in the program",
    ("Identity", "expertise"): "a line of the persona",
    ("Tool", "context_write"): "what its SET lines may name is checked",
    ("Tool", "function"): "such a tool stays unbound, with a warning",
    ("Tool", "identity_tier_required"): "NOT_ENFORCED refuses it",
    ("Tool", "immutable"): "the tool asks each time, and what was agreed to is what is called",
    ("Tool", "requires_auth"): "NOT_ENFORCED refuses it without credentials",
}
"""Property -> what the compiler itself makes of it."""
OWN_WORDS = {
    "categories", "components", "connection", "endpoint", "entities", "evaluation", "format", "languages", "latency",
    "models", "pattern", "preferences", "validation", "confirmation", "experience_mode",
}  # fmt: skip
"""Names without an effect that stand in the sources for something else, or have one in another class."""


@cache
def named() -> set[str]:
    """Return every text that is written in what acts: a property of a program is read by its name."""
    sources = [path.read_text("utf-8") for part in ACTING for path in (ROOT / part).rglob("*.py")]
    nodes = (node for source in sources for node in ast.walk(ast.parse(source)))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def keys_of(name: str, field: str) -> set[str]:
    """Return under which keys a program may have a property."""
    plain = LOWERED.get((name, field)) or SHARED.get(field) or field.rstrip("_")
    return {plain, SNAKE.sub(lambda found: found[1].upper(), plain)}


def test_each_is_a_property_of_the_language() -> None:
    tables = (*WITHOUT_EFFECT, *AS_IT_IS, *LOWERED, *COMPILED)
    assert all(field in NODES[name].BY_FIELD for name, field in tables)
    assert set(AS_IT_IS) <= set(WITHOUT_EFFECT)
    assert set(WHOLE) <= set(NODES)


def test_what_gets_an_effect_is_taken_out() -> None:
    told = {field for name, field in WITHOUT_EFFECT if not keys_of(name, field).isdisjoint(named())}
    assert told == OWN_WORDS & told


def test_what_has_no_effect_is_in_the_table() -> None:
    """Every property is named by what acts, is compiled into something that is, or an author who writes it is told."""
    silent = [
        f"{name}.{row.field}"
        for name, node in NODES.items()
        if name not in WHOLE and not name.startswith("Legacy")
        for row in node.PROPS
        if not row.legacy and (name, row.field) not in WITHOUT_EFFECT and (name, row.field) not in COMPILED
        and keys_of(name, row.field).isdisjoint(named())
    ]  # fmt: skip
    assert silent == []


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("EXECUTION:\n  enable_thinking: true\n  max_iterations: 4", ["enable_thinking"]),
        ("NLU:\n  default_language: sv", ["default_language"]),
        ("EXECUTION:\n  max_iterations: 4", []),
        ("TOOLS:\n  t() -> object\n    cacheable: true\n    latency: fast", ["cacheable", "latency"]),
        ("TOOLS:\n  t() -> object\n    cacheable: false\n    store_result: true\n    connection: shared", []),
        ("TOOLS:\n  t(a: string) -> object\n    parameters:\n      a:\n        validate: x", ["validate"]),
        ("ENTITIES:\n  e:\n    validation: x\n    values: [a]", ["VALIDATION"]),
        ("GATHER:\n  f:\n    prompt: Which?\n    semantics:\n      enum_set: [a]", ["enum_set"]),
        ("DESTINATIONS:\n  d:\n    url: https://a.example", ["DESTINATIONS"]),
        ("LOOKUP_TABLES:\n  t:\n    values: [a]\n    case_sensitive: true", ["case_sensitive"]),
        ("LOOKUP_TABLES:\n  t:\n    values: [a]\n    case_sensitive: false", []),
        ("DELEGATE:\n  - AGENT: B\n    EXPERIENCE_MODE: visible_handoff", ["EXPERIENCE_MODE"]),
        ("DELEGATE:\n  - AGENT: B\n    EXPERIENCE_MODE: silent_delegate", []),
        ("HANDOFF:\n  - TO: B\n    EXPERIENCE_MODE: visible_handoff", []),
        ("HANDOFF:\n  - TO: B\n    EXPERIENCE_MODE: human_escalation", ["EXPERIENCE_MODE"]),
    ],
)
def test_a_property_without_effect_is_a_warning(lines: str, names: list[str]) -> None:
    found = abl.validate_abl(f'AGENT: A\nGOAL: "Help"\n{lines}\n')
    told = [one for one in found if one.code == "WITHOUT_EFFECT"]
    assert [one.message.partition(" ")[0] for one in told] == names
