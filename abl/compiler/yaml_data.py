"""Data that a text writes in YAML; a module of its own, since most agents have none and PyYAML takes 12 ms to load."""

from __future__ import annotations

from typing import Any

import yaml

from abl.compiler.plain import MAX_NESTING


class _Loader(yaml.SafeLoader):
    """A safe loader without aliases (they can grow without bound) and with bounded nesting."""

    _depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Compose one node, refusing aliases and nesting beyond the bound."""
        if self.check_event(yaml.events.AliasEvent) or self._depth >= MAX_NESTING:
            raise yaml.YAMLError("aliases and deep nesting are not read")
        self._depth += 1
        try:
            return super().compose_node(parent, index)
        finally:
            self._depth -= 1


def yaml_data(text: str) -> Any:
    """Return the data that `text` writes in YAML, None if it is no YAML or more than plain data."""
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a subclass of the safe loader
    except (yaml.YAMLError, ValueError):
        return None
