"""The examples of the catalogue: each wrong text gives its code when compiled, and no right text gives any."""

from __future__ import annotations

import re

import pytest

from abl.compiler import CompileOptions, Unit, compile_documents
from abl.diagnostics.catalogue import RULES
from abl.parser import parse_text
from abl.source import Source

CODES = (
    "E601 W602 E707 E721 W721 E728 W822 W823 W824 ENTITY_REF_CONFLICT UNKNOWN_ENTITY ENTITY_CONFLICT INVALID_REGEX "
    "VALIDATION_READ_BY_MODEL PRIVATE_DESTINATION LAMBDA_DEPRECATED INVALID_OPERATOR UNDEFINED_CONFIG_VARIABLE "
    "CONTEXT_ACCESS_UNDECLARED UNDECLARED_INTENT PROFILE_NOT_FOUND PROFILE_PRIORITY_CONFLICT LEGACY_RECALL_EVENT_ALIAS "
    "BLOCKED_RECALL_TOOL_BEFORE_EVENT"
).split()
OPTIONS = {
    "W721": {"tool_catalog": {"list_hubs": {"parameters": {"country": "string"}}}},
    "UNDEFINED_CONFIG_VARIABLE": {"config_variables": {"PHONE": "1"}},
}


def found(text: str, code: str) -> list[str]:
    parts = re.split(r"(?m)^=== (.*)\n", text)
    files = zip(parts[1::2], parts[2::2], strict=True) if len(parts) > 1 else [("desk.agent.abl", parts[0])]
    units = [Unit(parse_text(body).document, Source(body, path), path) for path, body in files]
    options = {"single_agent": len(units) == 1, **OPTIONS.get(code, {})}
    return [one.code for one in compile_documents(units, CompileOptions.read(options)).findings]


@pytest.mark.parametrize("code", CODES)
def test_the_wrong_example_gives_exactly_its_code(code: str) -> None:
    assert found(RULES[code].wrong, code) == [code]


@pytest.mark.parametrize("code", [code for code in CODES if code != "UNDEFINED_CONFIG_VARIABLE"])
def test_the_right_example_gives_none(code: str) -> None:
    assert found(RULES[code].right, code) == []
