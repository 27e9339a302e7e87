"""What a caller can ask of a compile. Spec: abl-language 2.4."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from abl.diagnostics.reporter import did_you_mean
from abl.diagnostics.suggest import closest

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Options of a compile; the defaults are the lenient compile of a text on its own.

    Attributes:
        config_variables: Values for `{{config.X}}`; None: not known here, so that a text on its own lacks none.
        tool_catalog: Tool name -> definition (a Tool node, or a mapping in the form of the IR or of the YAML form).
        behavior_profiles: Profiles known elsewhere: name -> Profile, profile document or mapping; or a list of these.
        project_agents: Names of agents known elsewhere.
        messages: Platform texts of the project, below those of the document.
        entry_agent: Name of the agent that begins.
        timeout_ms: Most time the compile may take, in milliseconds; when it is over, the error E727 says how many
            agents were compiled. Has no effect without `clock`.
        clock: Gives monotonic seconds, for example `time.monotonic`; the compiler reads no clock of its own.
        strict: Deprecated forms are errors, bindings inside agents are not attached.
        single_agent: Agents, libraries and profiles outside the given documents are not missed.
        compiled_at: ISO time written into the output.
        allowed_hosts: Private hosts that destinations may name.
        languages: Tags of languages beside the shipped ones.
        project_runtime_config, omnichannel: Passed through into every agent.
    """

    config_variables: Mapping[str, Any] | None = None
    tool_catalog: Mapping[str, Any] | None = None
    behavior_profiles: Any = None
    project_agents: Iterable[str] = ()
    messages: Mapping[str, str] = field(default_factory=dict)
    entry_agent: str = ""
    timeout_ms: float | None = None
    clock: Callable[[], float] | None = None
    strict: bool = False
    single_agent: bool = False
    compiled_at: str | None = None
    allowed_hosts: Iterable[str] = ()
    languages: Iterable[str] = ()
    project_runtime_config: Any = None
    omnichannel: Any = None

    @classmethod
    def read(cls, options: Any) -> CompileOptions:
        """Return options from a mapping (snake_case or camelCase), ready options or None.

        Values of a wrong type count as not given.

        Raises:
            TypeError: The mapping has a name that is no option; a misspelt option would silently do nothing.
        """
        if isinstance(options, cls):
            return options
        if not isinstance(options, Mapping):
            return cls()
        given: dict[str, Any] = {}
        for key, value in options.items():
            name = _CAMEL.sub("_", str(key)).lower()
            if name not in _ACCEPTS:
                raise TypeError(_unknown(str(key), name))
            if value is not None and _ACCEPTS[name](value):
                given[name] = value
        return cls(**given)


def _unknown(key: str, name: str) -> str:
    return f"there is no option {key}. {did_you_mean(closest(name, _ACCEPTS))}Options are: {', '.join(_ACCEPTS)}"


def _is_mapping(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_names(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_bool(value: Any) -> bool:
    return isinstance(value, bool)


def _is_anything(_value: Any) -> bool:
    return True


_ACCEPTS: dict[str, Callable[[Any], bool]] = {
    "config_variables": _is_mapping,
    "tool_catalog": _is_mapping,
    "behavior_profiles": _is_names,
    "project_agents": _is_names,
    "messages": _is_mapping,
    "entry_agent": _is_text,
    "languages": _is_names,
    "timeout_ms": _is_number,
    "clock": callable,
    "strict": _is_bool,
    "single_agent": _is_bool,
    "compiled_at": _is_text,
    "allowed_hosts": _is_names,
    "project_runtime_config": _is_anything,
    "omnichannel": _is_anything,
}
assert set(_ACCEPTS) == {one.name for one in fields(CompileOptions)}
