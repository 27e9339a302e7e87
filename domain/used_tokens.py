"""What one model call used: as far as the model has told, and else estimated from what was asked and said.

A model tells its tokens with the last piece of an answer, so whoever leaves before it has been told nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from domain.budgets import IMAGE_TOKENS
from domain.model_calls import Message, ModelDelta, Usage

CHARS_PER_TOKEN: Final = 4
"""What is taken for a token where nothing was told."""


class UsedTokens:
    """Counts what comes of one call."""

    def __init__(self, asked: Sequence[Message]) -> None:
        self._asked = asked
        self._told = Usage()
        self._said_chars = 0

    def add(self, delta: ModelDelta) -> None:
        """Take one piece of the answer."""
        self._told = delta.usage or self._told
        self._said_chars += len(delta.text)
        if delta.tool_call is not None:
            self._said_chars += len(delta.tool_call.name) + len(delta.tool_call.arguments)

    @property
    def is_estimated(self) -> bool:
        """Whether something was said and no tokens were told."""
        return bool(self._said_chars) and not self._told.input_tokens + self._told.output_tokens

    def usage(self) -> Usage:
        """Return the tokens of the call so far; none of a call that nothing came of."""
        if not self.is_estimated:
            return self._told
        asked_chars = sum(len(one.content) for one in self._asked)
        pictures = sum(len(one.images) for one in self._asked)
        return Usage(_tokens(asked_chars) + pictures * IMAGE_TOKENS, _tokens(self._said_chars))


def _tokens(characters: int) -> int:
    return -(-characters // CHARS_PER_TOKEN)
