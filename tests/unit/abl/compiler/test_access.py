from __future__ import annotations

import pytest

TOOL = 'TOOLS:\n  f() -> object\n    description: "d"\n    context_access:\n      READ: [{}]\n'
DECLARED = """GATHER:
  code:
    prompt: Code?
MEMORY:
  session:
    - attempts
  persistent:
    - user.tier
"""


@pytest.mark.parametrize(
    "name", ["code", "attempts", "user.tier", "tier", "session.attempts", "env.REGION", "code.part"]
)
def test_declared_names_may_be_accessed(codes_of, name: str) -> None:
    assert codes_of(TOOL.format(name) + DECLARED) == []


def test_an_undeclared_name_is_reported_at_its_place(compile_text) -> None:
    found = compile_text(TOOL.format("code, atempts") + DECLARED).findings
    assert [(one.code, one.line) for one in found] == [("CONTEXT_ACCESS_UNDECLARED", 7)]
    assert "Did you mean attempts?" in found[0].message
