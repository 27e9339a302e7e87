"""Which label a text is nearest to, with a fake encoder; and where there is no engine for it."""

from __future__ import annotations

import numpy as np
import pytest

from providers.embedded import intents
from providers.embedded.intents import EmbeddingClassifier, find_classifier

pytestmark = pytest.mark.anyio

WORDS = ("card", "save", "room")


class Encoder:
    """Counts words: as many dimensions as there are words."""

    def __init__(self) -> None:
        self.read: list[str] = []

    def _vector(self, text: str) -> np.ndarray:
        vector = np.array([float(word in text.casefold()) for word in WORDS])
        return vector / (np.linalg.norm(vector) or 1.0)

    def query(self, text: str) -> np.ndarray:
        return self._vector(text)

    def passage(self, text: str) -> np.ndarray:
        self.read.append(text)
        return self._vector(text)


async def test_each_label_is_as_near_as_the_nearest_of_its_texts() -> None:
    encoder = Encoder()
    classifier = EmbeddingClassifier(lambda: encoder)
    labels = {"card": ["a lost card", "something else"], "saving": ["wants to save"], "empty": []}
    assert await classifier.scores("my card", labels) == {"card": 1.0, "saving": 0.0}
    await classifier.scores("my card again", labels)
    assert encoder.read == ["a lost card", "something else", "wants to save"], "texts of labels are read once"
    await classifier.close()


async def test_texts_that_are_kept_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intents, "MAX_KEPT", 2)
    encoder = Encoder()
    classifier = EmbeddingClassifier(lambda: encoder)
    await classifier.scores("x", {"a": ["1", "2", "3"]})
    await classifier.scores("x", {"a": ["3", "1"]})
    assert encoder.read == ["1", "2", "3", "1"]
    await classifier.close()


async def test_too_many_at_once_get_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intents, "MAX_WAITING", 0)
    classifier = EmbeddingClassifier(Encoder)
    assert await classifier.scores("my card", {"card": ["card"]}) == {}
    await classifier.close()


async def test_without_the_wheel_there_is_no_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(intents, "ENGINE", "no_such_module")
    assert find_classifier() is None
