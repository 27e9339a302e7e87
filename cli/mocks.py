"""Answers of tools from a file, to try agents whose tools are not there.

The file is YAML or JSON: tool -> its answer, or a list of `toolMocks` as in platform-api 4.1, which can also tell by
`match` when an answer holds, or answer with an `error`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from domain.errors import InvalidInput
from domain.limits import TOOL_MOCKS_MAX


class _Plain(yaml.SafeLoader):
    """YAML whose dates stay the texts they are written as: answers are JSON."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - the attribute of the base class
        first: [(tag, form) for tag, form in found if tag != "tag:yaml.org,2002:timestamp"]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }


NAME = "toolName"
KEYS = frozenset({NAME, "response", "error", "delayMs", "times", "match"})


def tool_mocks(path: str) -> tuple[dict[str, Any], ...]:
    """Return the mocks of a file, none for no file.

    Raises:
        InvalidInput: It cannot be read, has another form, or names too many tools; the sentence says which.
    """
    if not path:
        return ()
    try:
        written = yaml.load(Path(path).read_text(encoding="utf-8"), _Plain)  # noqa: S506 - a SafeLoader
    except (OSError, ValueError, yaml.YAMLError) as error:
        raise InvalidInput(f"the mocks in {path} cannot be read: {error}") from error
    mocks: list[Any]
    if isinstance(written, dict):
        mocks = [{NAME: str(name), "response": answer} for name, answer in written.items()]
    elif isinstance(written, list):
        mocks = written
    else:
        raise InvalidInput(f"{path}: mocks are a mapping, tool: answer, or a list of {{toolName, response, match}}")
    for place, one in enumerate(mocks, 1):
        if not isinstance(one, dict) or not isinstance(one.get(NAME), str):
            raise InvalidInput(f"{path}: mock {place} has no toolName")
        if unknown := sorted(set(one) - KEYS):
            raise InvalidInput(f"{path}: mock {place} has {unknown[0]!r}; known are {', '.join(sorted(KEYS))}")
    if len(mocks) > TOOL_MOCKS_MAX:
        raise InvalidInput(f"{path}: {len(mocks)} mocks; a session takes {TOOL_MOCKS_MAX}")
    return tuple(mocks)
