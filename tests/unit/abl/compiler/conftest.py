"""Shared by the tests of the compiler: text in, compiled agent out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abl.compiler import Compilation, CompileOptions, Unit, compile_documents
from abl.parser import parse_text
from abl.source import Source

HEAD = "AGENT: Parcel_Desk\nGOAL: Find parcels\n"


@pytest.fixture
def compile_files() -> Callable[..., Compilation]:
    """Compile texts by path; keyword arguments are options."""

    def run(files: dict[str, str], **options: Any) -> Compilation:
        units = []
        for path, text in files.items():
            result = parse_text(text)
            assert result.document is not None, result.findings
            assert not result.errors, result.errors
            units.append(Unit(result.document, Source(text, path), path))
        return compile_documents(units, CompileOptions.read(options))

    return run


@pytest.fixture
def compile_text(compile_files: Callable[..., Compilation]) -> Callable[..., Compilation]:
    """Compile one agent; the text is what follows its name and goal."""

    def run(text: str, **options: Any) -> Compilation:
        return compile_files({"desk.agent.abl": HEAD + text}, **options)

    return run


@pytest.fixture
def agent_of(compile_text: Callable[..., Compilation]) -> Callable[..., dict[str, Any]]:
    """Return the AgentIR of one agent."""

    def run(text: str, **options: Any) -> dict[str, Any]:
        agent: dict[str, Any] = compile_text(text, **options).output["agents"]["Parcel_Desk"]
        return agent

    return run


@pytest.fixture
def codes_of(compile_text: Callable[..., Compilation]) -> Callable[..., list[str]]:
    """Return the codes the compiler finds in one agent."""

    def run(text: str, **options: Any) -> list[str]:
        return [one.code for one in compile_text(text, **options).findings]

    return run
