"""One test over many cases: each is tried by itself, and those that fail are told together, by name.

A test of its own costs the run several milliseconds in collecting, in fixtures and in reports, which for cheap cases is
most of it. Where a case needs fixtures of its own, or takes long, `pytest.mark.parametrize` is the right word.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

NAME_MAX_CHARS = 100
Test = Callable[..., Any]
Values = Mapping[str, Any]


class Failures:
    """What was wrong with which case."""

    def __init__(self) -> None:
        self._told: list[str] = []
        self._first: Exception | None = None

    def add(self, name: str, error: Exception) -> None:
        """Note that a case has failed."""
        self._first = self._first or error
        self._told.append(f"{name}: {_where(error)}{_said(error)}")

    def check(self, cases: int) -> None:
        """Raise AssertionError when a case has failed: it names all that did, and comes from the first of them."""
        if self._told:
            told = "\n".join(self._told)
            raise AssertionError(f"{len(self._told)} of {cases} cases:\n{told}") from self._first


def over(
    names: str | Sequence[str],
    cases: Iterable[Any],
    *,
    ids: Callable[[Any], str] | Iterable[str] | None = None,
    fresh: Mapping[str, Callable[[], Any]] | None = None,
) -> Callable[[Test], Test]:
    """Make a test of one case a test of all; its attribute `cases` says how many there are.

    Args:
        names: The parameters that a case fills, as for `pytest.mark.parametrize`; the others are fixtures still.
        cases: The value of each, or their values where there are several parameters. At least one.
        ids: The names of the cases, or what gives the name of one.
        fresh: Parameter, where the test has it -> what makes its value, anew for each case.
    """
    told = [one.strip() for one in names.split(",")] if isinstance(names, str) else list(names)
    all_cases = list(cases)
    named = [*ids] if ids is not None and not callable(ids) else [(ids or _name)(case) for case in all_cases]
    values = [dict(zip(told, case if len(told) > 1 else (case,), strict=True)) for case in all_cases]
    listed = list(zip(named, values, strict=True))

    def decorate(test: Test) -> Test:
        assert listed, f"{test.__name__} has no case"
        signature = inspect.signature(test)
        makers = {name: make for name, make in (fresh or {}).items() if name in signature.parameters}
        made = (_asynchronous if inspect.iscoroutinefunction(test) else _plain)(test, listed, makers)
        left = [one for name, one in signature.parameters.items() if name not in {*told, *makers}]
        made.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        made.cases = len(listed) * getattr(test, "cases", 1)  # type: ignore[attr-defined]
        return made

    return decorate


def _plain(test: Test, listed: list[tuple[str, Values]], fresh: Mapping[str, Callable[[], Any]]) -> Test:
    @wraps(test)
    def made(**given: Any) -> None:
        failures = Failures()
        for name, values in listed:
            try:
                test(**given, **values, **{one: make() for one, make in fresh.items()})
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is told
                failures.add(name, error)
        failures.check(len(listed))

    return made


def _asynchronous(test: Test, listed: list[tuple[str, Values]], fresh: Mapping[str, Callable[[], Any]]) -> Test:
    @wraps(test)
    async def made(**given: Any) -> None:
        failures = Failures()
        for name, values in listed:
            try:
                await test(**given, **values, **{one: make() for one, make in fresh.items()})
            except Exception as error:  # noqa: BLE001 - whatever goes wrong is told
                failures.add(name, error)
        failures.check(len(listed))

    return made


def _name(case: Any) -> str:
    return (case if isinstance(case, str) else repr(case))[:NAME_MAX_CHARS]


def _where(error: Exception) -> str:
    """Return the last place in a test that an error has passed, with a blank; empty when there is none."""
    places = [f"{path.name}:{line}: " for path, line in _places(error) if path.name.startswith("test_")]
    return places[-1] if places else ""


def _places(error: Exception) -> Iterator[tuple[Path, int]]:
    trace = error.__traceback__
    while trace is not None:
        yield Path(trace.tb_frame.f_code.co_filename), trace.tb_lineno
        trace = trace.tb_next


def _said(error: Exception) -> str:
    return str(error) if isinstance(error, AssertionError) else repr(error)
