"""Work in a process of its own: its memory is its own, and gone when it ends."""

from __future__ import annotations

from collections.abc import Callable
from multiprocessing import get_context
from multiprocessing.connection import Connection
from typing import Any, TypeVar

Result = TypeVar("Result")


def in_child(work: Callable[..., Result], *arguments: Any, **named: Any) -> Result:
    """Return what `work` returns in a copy of this process.

    Raises:
        EOFError: The child ended without an answer: it raised, which it has printed, or was killed.
    """
    context = get_context("fork")  # a new process could not be handed functions without names
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=_answer, args=(sending, work, arguments, named))
    child.start()
    sending.close()
    try:
        result: Result = receiving.recv()
    finally:
        receiving.close()
        child.join()
    return result


def _answer(sending: Connection, work: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> None:
    sending.send(work(*arguments, **named))
    sending.close()
