"""What a language has to say for itself: the words its readers look for. Spec: abl-language 5.7."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one language."""

    builtin: dict[str, tuple[str, ...]]
    """Built-in word of ON_INPUT -> the phrases that mean it."""

    months: tuple[str, ...]
    weekdays: tuple[str, ...]
    days: dict[str, int]
    """Phrase -> days from today."""

    numbers: dict[str, int]
    scales: dict[str, int]
    units: dict[str, str]
    """Word -> `day`, `week`, `month` or `year`."""

    true_words: tuple[str, ...]
    false_words: tuple[str, ...]
    lead_ins: tuple[str, ...]
    """What people say before a value."""

    corrections: tuple[str, ...]
    """Patterns of a correction; what follows is the new value."""

    currencies: dict[str, str]
    times: dict[str, str] = field(default_factory=dict)
