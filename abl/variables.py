"""`variables.yaml` of a project: what `{{config.KEY}}` and `{{env.KEY}}` stand for in its texts. Decision: 0064.

Spec: abl-language 6.8, platform-api 6.5.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import yaml

from abl.compiler.config import MAX_KEY_CHARS, MAX_VALUE_CHARS, MAX_VARIABLES

FILES: Final = ("variables.yaml", "variables.yml")
"""Names of the file, in the folder of the project itself."""
KINDS: Final = ("config", "env")
MAX_ENV_CHARS: Final = 16_384
MAX_CHARS: Final = {"config": MAX_VALUE_CHARS, "env": MAX_ENV_CHARS}
"""Kind -> the most characters of a value."""
_ENV = re.compile(r"\{\{\s*env\.([A-Za-z_]\w*)\s*\}\}", re.ASCII)
_KEY = re.compile(r"[A-Za-z_][\w.-]*", re.ASCII)


class VariablesFault(ValueError):
    """A variable, or the file of variables, has the wrong form; the sentence says where and how to write it."""


@dataclass(frozen=True, slots=True)
class Variables:
    """Values of `{{config.KEY}}` and of `{{env.KEY}}`, by key."""

    config: Mapping[str, str] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


def is_variables_file(path: str) -> bool:
    """Return whether a path relative to the project's folder is its file of variables.

    >>> is_variables_file("variables.yaml"), is_variables_file("tools/variables.yaml")
    (True, False)
    """
    return path in FILES


def read_variables(text: str, path: str) -> Variables:
    """Return what a file of variables says; values are texts, as they are written.

    Raises:
        VariablesFault: It is no YAML, or has another form than `config:` and `env:` with `KEY: value` under them.
    """
    try:
        root = yaml.compose(text, Loader=yaml.BaseLoader)
    except (yaml.YAMLError, ValueError) as error:
        raise VariablesFault(f"{path} cannot be read: {' '.join(str(error).split())}") from error
    found: dict[str, dict[str, str]] = {kind: {} for kind in KINDS}
    for kind, node, line in _pairs(root, path, "`config:` and `env:`, with `KEY: value` under them"):
        if kind not in found:
            raise VariablesFault(f"{path}:{line}: nobody reads {kind!r}; write `config:` or `env:`")
        for key, value, place in _pairs(node, path, "`KEY: value`"):
            if not isinstance(value, yaml.ScalarNode):
                raise VariablesFault(f"{path}:{place}: {key} is a text, a number or true or false")
            if key in found[kind]:
                raise VariablesFault(f"{path}:{place}: {key} is said twice")
            check_variable(kind, key, value.value, f"{path}:{place}")
            found[kind][key] = value.value
    if len(found["config"]) > MAX_VARIABLES:
        raise VariablesFault(f"{path}: a project has at most {MAX_VARIABLES} variables under config:")
    return Variables(found["config"], found["env"])


def check_variable(kind: str, key: str, value: str, where: str) -> None:
    """Refuse a key or a value that no text could use.

    Raises:
        VariablesFault: The key is no name, or one of both is too long.
    """
    if _KEY.fullmatch(key) is None or len(key) > MAX_KEY_CHARS:
        raise VariablesFault(
            f"{where}: {key[:MAX_KEY_CHARS]!r} is no name of a variable: "
            f"at most {MAX_KEY_CHARS} letters, digits and _, not beginning with a digit"
        )
    if len(value) > MAX_CHARS[kind]:
        raise VariablesFault(f"{where}: the value of {key} has more than {MAX_CHARS[kind]} characters")
    if "\0" in value:
        raise VariablesFault(f"{where}: the value of {key} holds a NUL, which no text can")


class Use(NamedTuple):
    """Where `{{env.KEY}}` stands for the first time."""

    key: str
    file: str
    line: int


def unset_env(files: Mapping[str, str], known: Collection[str]) -> list[Use]:
    """Return where the texts of a project use an `env.` variable that is not among the known ones, each key once.

    >>> unset_env({"a.abl": "AGENT: A\\n# {{env.OLD}}\\nGOAL: {{env.URL}}"}, ["HOUSE"])
    [Use(key='URL', file='a.abl', line=3)]
    """
    found: dict[str, Use] = {}
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1) if "env." in text else ():
            for key in () if line.lstrip().startswith(("#", "//")) else _ENV.findall(line):
                if key not in known:
                    found.setdefault(key, Use(key, path, number))
    return list(found.values())


def _pairs(node: Any, path: str, form: str) -> list[tuple[str, Any, int]]:
    if node is None or (isinstance(node, yaml.ScalarNode) and not node.value):
        return []
    if not isinstance(node, yaml.MappingNode):
        raise VariablesFault(f"{path}:{node.start_mark.line + 1}: write {form}")
    return [(str(key.value), value, key.start_mark.line + 1) for key, value in node.value]
