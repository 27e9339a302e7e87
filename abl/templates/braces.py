"""Single braces: `{path}` in endpoints, summaries and reasons. Spec: abl-language 6.8."""

from __future__ import annotations

import re

from abl.expressions.environment import Variables
from abl.expressions.limits import MAX_OUTPUT_CHARS
from abl.expressions.lookups import lookup
from abl.expressions.values import text_of

_BRACES = re.compile(r"(?<!\{)\{([^\W\d]\w*(?:\.\w+)*)\}(?!\})")


def interpolate_braces(text: str, variables: Variables) -> str:
    """Return `text` with every `{path}` of a known variable replaced; unknown ones stay as they are.

    >>> interpolate_braces("/parcels/{code}/{part}", {"code": "X1"})
    '/parcels/X1/{part}'
    """

    def replaced(found: re.Match[str]) -> str:
        value = lookup(tuple(found[1].split(".")))(variables)
        return found[0] if value is None else text_of(value)

    return _BRACES.sub(replaced, text)[:MAX_OUTPUT_CHARS] if "{" in text else text
