"""No secret that a run was given comes back in its result."""

from __future__ import annotations

import asyncio
from typing import Any

from actors.secret_values import NotedCredentials
from domain.secret_spellings import MASK
from domain.tool_calls import ToolResult


class Given:
    async def secret(self, tool: str, name: str) -> str | None:
        return {"KEY": "s3cret/one", "LONG": "s3cret/one/more", "PIN": "123"}.get(name)

    async def profile(self, name: str) -> dict[str, Any] | None:
        return {"type": "bearer", "config": {"token": "from-profile"}} if name else None

    async def user_token(self, provider: str) -> str | None:
        return "user-token"

    def note(self, text: str) -> None:
        raise AssertionError("notes are kept outside")


def told(value: Any, message: str = "") -> ToolResult:
    async def use() -> ToolResult:
        noted = NotedCredentials(Given())
        for name in ("KEY", "LONG", "PIN", "NONE"):
            await noted.secret("t", name)
        await noted.profile("crm")
        await noted.profile("")
        await noted.user_token("crm")
        noted.note("callback-secret")
        return noted.masked(ToolResult(ok=not message, value=value, error_message=message))

    return asyncio.run(use())


def test_secrets_are_masked_wherever_they_stand() -> None:
    value = {"a": ["Bearer s3cret/one/more", {"s3cret/one": 1}], "b": "x=s3cret%2Fone&y", "c": 4, "d": None}
    assert told(value).value == {"a": [f"Bearer {MASK}", {MASK: 1}], "b": f"x={MASK}&y", "c": 4, "d": None}
    assert told("from-profile user-token callback-secret").value == f"{MASK} {MASK} {MASK}"
    assert told(None, "refused: s3cret/one").error_message == f"refused: {MASK}"


def test_an_error_that_was_cut_within_a_secret_ends_before_it() -> None:
    assert told(None, "refused: callback-s").error_message == f"refused: {MASK}"
    assert told(None, "refused: Y2FsbGJhY2st").error_message == f"refused: {MASK}"  # the same in base64
    assert told(None, "refused: call").error_message == "refused: call"
    assert told("so be it: callback-s").value == "so be it: callback-s", "values are not cut"


def test_what_is_too_short_to_be_a_secret_tears_no_words_apart() -> None:
    assert told("room 12345").value == "room 12345"


def test_a_run_that_used_no_secret_keeps_its_result_as_it_is() -> None:
    result = ToolResult(ok=True, value={"a": "s3cret/one"})
    assert NotedCredentials(Given()).masked(result) is result
