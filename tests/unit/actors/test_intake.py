"""What was acknowledged waits until it can be run, however long that takes. Decision: 0046."""

from __future__ import annotations

from typing import Any, cast

import pytest

from actors.intake import RETRY_MAX_S, TOLD_EVERY_TRIES, Intake
from actors.messages import RunTurn, encode
from actors.runtime import ChatTurn
from domain.errors import Unavailable
from storage.repositories.accepted import AcceptedMessage, AcceptedMessages

pytestmark = pytest.mark.anyio


class Accepted:
    """Messages that are never claimed; notes what becomes of them."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.left: list[float] = []
        self.removed = 0

    async def read(self, one: AcceptedMessage) -> bytes:
        return self.raw

    async def leave(self, name: Any, delay_s: float) -> None:
        self.left.append(delay_s)

    async def remove(self, name: Any) -> None:
        self.removed += 1


class Away:
    """No host answers."""

    async def ask(self, message: Any, listener: Any = None) -> Any:
        raise Unavailable("No host")


@pytest.mark.parametrize("readable", [True, False])
async def test_a_message_that_nobody_can_run_is_never_given_up(
    readable: bool, caplog: pytest.LogCaptureFixture
) -> None:
    turn = ChatTurn(tenant_id="t", project_id="p", session_id="s", message="hello", idempotency_key="k")
    accepted = Accepted(encode(RunTurn(turn=turn)) if readable else b"\xc1 of a newer version")
    intake = Intake(cast("AcceptedMessages", accepted), cast("Any", Away()))
    for tries in range(1, 10 * TOLD_EVERY_TRIES + 1):
        one = AcceptedMessage((b"s", 1), 1, "t", "s", b"", tries)
        assert not await intake._run(one), "those behind it wait"
    assert accepted.removed == 0
    assert len(accepted.left) == 10 * TOLD_EVERY_TRIES
    assert max(accepted.left) == accepted.left[-1] == RETRY_MAX_S
    assert len([one for one in caplog.records if one.levelname == "ERROR"]) == 10
