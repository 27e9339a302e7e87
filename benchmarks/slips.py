"""More single mistakes for the diagnostics benchmark: names that point nowhere, and lines that were left out.

Importing this module registers its rules beside those of `mutations`.
"""

from __future__ import annotations

import re

from benchmarks.mutations import DELETED, RULES, Rule, Spot, misspell

WORDS = {
    "template_name": r"(.*?\{\{)(?!else\b|this\b)([a-z_]{4,})((?:\.\w+)*(?: *\|[^}]*)?\}\}.*)",
    "call_argument": r"(\s+(?:- )?CALL: \w+\((?:\w+, )*)([a-z_]{4,})([,)].*)",
    "set_value": r"(\s+(?:- )?SET: [\w.]+ = (?:\w+\()?)(?!true\b|false\b|null\b)([a-z_]{4,})((?![\w(\"']).*)",
    "endpoint_placeholder": r"(.*endpoint: .*(?<!\{)\{)([a-z_]{4,})(\}.*)",
    "passed_name": r"(\s+pass: \[(?:\w+, )*)([a-z_]{4,})([,\]].*)",
    "stored_name": r"(\s+STORE: \{?(?:\w+, )*)([a-z_]{4,})(.*->.*)",
    "hook_name": r"(  )(before_agent|after_agent|before_turn|after_turn)(:)",
    "handler_name": r"(\s+HANDLER: )([a-z_]{4,})()",
    "immutable_name": r"(\s+immutable: \[(?:\w+, )*)([a-z_]{4,})([,\]].*)",
    "recalled_path": r"(\s+PATHS: \[(?:[\w.]+, )*\w+\.)([a-z_.]{4,})([,\]].*)",
    "offered_tool": r"(\s+AVAILABLE_TOOLS: \[(?:\w+, )*)([a-z_]{4,})([,\]].*)",
    "button_id": r"(\s+- BUTTON: .* -> )([a-z_-]{4,})()",
    "input_or_returns_key": r"(\s+(?:INPUT|RETURNS|MAP): \{)([a-z_]{4,})(:.*)",
    "unknown_filter": r"(.*\{\{[^}|]+\| ?)(upper|lower|json)(.*)",
    "unknown_template": r"(.*RESPOND: TEMPLATE\()(\w{4,})(\).*)",
    "misspelt_rule_kind": r"(\s+- )(REQUIRE|RESTRICT|LIMIT)( .*)",
    "unknown_dependency": r"(\s+depends_on: \[)(\w{4,})(.*)",
    "used_profile": r"(USE BEHAVIOR_PROFILE: )([a-z_-]{4,})()",
}
"""Rule -> the line it strikes; the second group is the word that gets a slip of the pen."""

_SIGNATURE = re.compile(r"(  )([a-z_]{5,})(\(.*\)(?: -> .*)?)")
_FIRST_PARAMETER = re.compile(r"(  [a-z_]+\()([a-z_]{4,})(\??: .*)")
_KEY = re.compile(r"(\s+)([a-z_]{4,})(:.*)")
_FIELD = re.compile(r"(\s+)([a-z_]{4,})(:)")
_STEP = re.compile(r"(\s+(?:SKIP: \[|- BEFORE: |- AFTER: ))([a-z_]{4,})(\]?)")
_ITEM = re.compile(r"(\s+- )([a-z_]{4,})((?:: (?:required|optional))?)")
_BINDING = re.compile(r"\s+(?:endpoint|server|code|workflow_id|connector|action): ?[^|\s].*")


def _misspelt(pattern: str | re.Pattern[str], spot: Spot) -> str | None:
    found = re.fullmatch(pattern, spot.line)
    return found[1] + misspell(found[2], spot.chance) + found[3] if found else None


def _of_word(name: str, pattern: str) -> None:
    def strike(spot: Spot) -> str | None:
        return _misspelt(pattern, spot)

    strike.__name__ = name
    RULES[name] = strike


for _name, _pattern in WORDS.items():
    _of_word(_name, _pattern)


def rule(function: Rule) -> Rule:
    """Register a rule under its name."""
    RULES[function.__name__] = function
    return function


def _above(spot: Spot) -> str:
    """Return the first word of the line that the spot's line belongs to."""
    at = spot.owner
    return spot.lines[at].strip().removeprefix("- ").split(":")[0] if at >= 0 else ""


@rule
def tool_in_signature(spot: Spot) -> str | None:
    """A tool an agent declares, under another name than in the library."""
    return _misspelt(_SIGNATURE, spot) if _above(spot) == "TOOLS" and not spot.is_library else None


@rule
def tool_in_library(spot: Spot) -> str | None:
    """A tool that a library defines, under another name than the agents use."""
    return _misspelt(_SIGNATURE, spot) if _above(spot) == "TOOLS" and spot.is_library else None


@rule
def changed_field(spot: Spot) -> str | None:
    """A field that a profile changes."""
    return _misspelt(_FIELD, spot) if _above(spot) == "FIELD_OVERRIDES" else None


@rule
def changed_step(spot: Spot) -> str | None:
    """A step that a profile skips, or puts another beside."""
    return _misspelt(_STEP, spot)


@rule
def parameter_in_signature(spot: Spot) -> str | None:
    """`find(code: string)` -> `find(cdoe: string)` in an agent."""
    return _misspelt(_FIRST_PARAMETER, spot) if _above(spot) == "TOOLS" and not spot.is_library else None


@rule
def parameter_in_block(spot: Spot) -> str | None:
    """A name under `parameters:`."""
    return _misspelt(_KEY, spot) if _above(spot) == "parameters" else None


@rule
def argument_under_with(spot: Spot) -> str | None:
    """A name under `WITH:`."""
    return _misspelt(_KEY, spot) if _above(spot) == "WITH" else None


@rule
def gathered_item(spot: Spot) -> str | None:
    """A field in the GATHER of a step."""
    return _misspelt(_ITEM, spot) if _above(spot) == "GATHER" else None


@rule
def binding_left_out(spot: Spot) -> str | None:
    """The one line that says where a tool leads, deleted."""
    owner = spot.lines[spot.owner] if spot.owner >= 0 else ""
    return DELETED if _BINDING.fullmatch(spot.line) and _SIGNATURE.fullmatch(owner) else None


ALL_RULES = RULES
"""Every rule, those of this module included."""
