"""What a tool sees of the session besides its arguments. Spec: abl-language 3.2 (context_access), platform-api 4.1.

Names that the texts of a binding mention, and those that `context_access.read` declares. What a caller says beside a
message is seen only by a tool that declares it, since the page of an end user may write there.
"""

from __future__ import annotations

from typing import Any

from domain.json_values import JsonObject
from engine.run import Run
from engine.state import with_path

METADATA = "message_metadata"
METADATA_NAMES = frozenset({METADATA, "messageMetadata", "metadata"})
CODE = frozenset({"sandbox", "lambda"})
"""Kinds whose code reads names: one without a value is null there, not unknown."""
_NEVER = frozenset({"secrets", "env", "config"})


def given(run: Run, tool: JsonObject, binding: JsonObject, kind: str, arguments: JsonObject) -> JsonObject:
    """Return name -> value of what a tool sees; arguments of the same name come before it."""
    declared = sorted(str(one) for one in (tool.get("context_access") or {}).get("read") or ())
    paths = [one.removeprefix("session.").split(".") for one in declared]
    sees_metadata = any(path[0] in METADATA_NAMES for path in paths)
    found: JsonObject = {}
    for path in paths:
        if path[0] in METADATA_NAMES:
            found[METADATA] = run.state.turn.metadata or None
        if len(path) == 1 or path[0] in METADATA_NAMES:
            found[path[0]] = run.scope.get(path[0])
        else:
            found = with_path(found, path, run.value(".".join(path)))
    for name in _mentioned(run, binding):
        if name not in METADATA_NAMES or sees_metadata:
            found[name] = run.scope.get(name)
    return {
        name: value for name, value in found.items() if name not in arguments and (value is not None or kind in CODE)
    }


def _mentioned(run: Run, binding: Any) -> list[str]:
    """Return the root names the texts of a binding mention."""
    if isinstance(binding, str):
        if "{{" not in binding:
            return []
        return [name for name in run.program.mentioned(binding) if name not in _NEVER]
    values = binding.values() if isinstance(binding, dict) else binding if isinstance(binding, list) else ()
    return list(dict.fromkeys(name for value in values for name in _mentioned(run, value)))
