"""The bounds of expressions: how long, how deep, how much work and how much text they may make."""

from __future__ import annotations

MAX_EXPRESSION_CHARS = 10_000
"""Longest text that is read as an expression."""

MAX_NESTING = 64
"""Deepest nesting of brackets, calls, NOT and `?:` in an expression, and of blocks in a template."""

MAX_HEIGHT = 128
"""Greatest height of a tree: a chain such as `a OR b OR c ...` grows one level per operator."""

MAX_DATA_DEPTH = 64
"""Deepest nesting of lists and maps that is compared or printed."""

MAX_STEPS = 100_000
"""Elements visited by one comparison or one function over a list."""

MAX_TEXT_CHARS = 100_000
"""Longest text an operator or a function makes; what is longer is cut."""

MAX_INT_BITS = 64
"""Integers beyond this size become floating point numbers."""

MAX_OUTPUT_CHARS = 1_000_000
"""Longest text a template renders; what is longer is cut."""

MAX_RENDER_STEPS = 100_000
"""Segments and list elements one rendering of a template visits."""
