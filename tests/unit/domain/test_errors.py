from __future__ import annotations

from domain.errors import AppError, Overloaded, QueueFull


def test_a_full_queue_is_an_overload_that_says_when_to_come_back() -> None:
    error = QueueFull("Execution queue full", retry_after_ms=250)
    assert isinstance(error, Overloaded)
    assert isinstance(error, AppError)
    assert (error.message, error.retry_after_ms, str(error)) == ("Execution queue full", 250, "Execution queue full")
