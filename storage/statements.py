"""Statement: SQL with `:named` parameters, turned into positions once, at import."""

from __future__ import annotations

import re
from collections.abc import Mapping

_NAME = re.compile(r"(?<!:):([a-z_]+)")  # :name, but not the ::type of a cast
_READS = re.compile(r"\s*(?:SELECT|WITH)\b(?!.*\b(?:nextval|INSERT|UPDATE|DELETE|MERGE)\b)", re.DOTALL)


class Statement:
    """One SQL statement with `:name` parameters.

    Attributes:
        sql: The text with `$1`, `$2` in the place of names.
        names: The names in the order of their positions.
        is_repeatable: It may be sent again when nobody knows whether it took effect: it only reads, or its author says
            that twice is the same as once, its answer included.
    """

    __slots__ = ("is_repeatable", "names", "sql")

    def __init__(self, text: str, *, is_repeatable: bool = False) -> None:
        self.is_repeatable = is_repeatable or _READS.match(text) is not None
        self.names = tuple(dict.fromkeys(_NAME.findall(text)))
        self.sql = _NAME.sub(lambda found: f"${self.names.index(found[1]) + 1}", text)

    def arguments(self, given: Mapping[str, object]) -> list[object]:
        """Return the values by position.

        Raises:
            TypeError: A value is missing, or has no place in the statement.
        """
        if given.keys() != set(self.names):
            raise TypeError(f"expected the parameters {sorted(self.names)}, got {sorted(given)}")
        return [given[name] for name in self.names]
