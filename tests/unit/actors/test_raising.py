"""A host's refusal comes back as the error it was."""

import pytest

from actors.messages import Done, Failed
from actors.raising import BUSY, PLAIN, error_of
from actors.session.replies import refusal
from domain.errors import AppError, Conflict, QueueFull, Unavailable
from storage.errors import Closing, ConnectionLost, StaleEpoch


@pytest.mark.parametrize("name", [*PLAIN, *BUSY])
def test_every_error_survives_the_way_to_the_gateway(name: str) -> None:
    kind = {**PLAIN, **BUSY}[name]
    busy = {"retry_after_ms": 70} if name in BUSY else {}
    told = error_of(refusal(kind("A sentence", details={"reason": "X"}, **busy)))
    assert type(told) is kind
    assert (told.message, told.details) == ("A sentence", {"reason": "X"})


@pytest.mark.parametrize(("error", "kind"), [(ConnectionLost, Unavailable), (StaleEpoch, Conflict)])
def test_an_error_that_only_the_store_knows_is_told_as_the_one_that_it_is_a_kind_of(error, kind) -> None:
    assert type(error_of(refusal(error("gone")))) is kind


def test_a_host_whose_store_is_closed_sends_the_asker_elsewhere() -> None:
    assert refusal(Closing("The server is ending.")).moved
    assert not refusal(ConnectionLost("away")).moved


def test_the_time_to_come_again_survives() -> None:
    told = error_of(Failed(kind="QueueFull", message="full", retry_after_ms=70))
    assert isinstance(told, QueueFull)
    assert told.retry_after_ms == 70


def test_what_nobody_knows_is_an_error_of_ours() -> None:
    assert type(error_of(Failed(kind="Strange", message="?"))) is AppError
    assert type(error_of(Done())) is AppError
    assert isinstance(error_of(Failed(kind="Conflict", message="!")), Conflict)
