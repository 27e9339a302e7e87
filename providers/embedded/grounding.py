"""Which values a small model may hand on: those that were said. It likes to fill in what nobody mentioned. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from domain.json_values import JsonObject, JsonValue
from providers.embedded.schemas import as_value

NUMBER_WORDS: Final = {
    word: float(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())
}
STEM_CHARS: Final = 4
SHORT_WORDS: Final = 3
LEAST_OVERLAP: Final = 0.6
_WORD: Final = re.compile(r"[^\W_]+(?:[-'][^\W_]+)*")
_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)?")
_YES_OR_NO: Final = frozenset("yes yeah yep sure no nope not never none don't".split())
_FILLERS: Final = frozenset(
    "a an and are as at be can do does for from have how i in is it me my need of on or please the this to want what "
    "when where which with would you your".split()
)


@dataclass(frozen=True, slots=True)
class Said:
    """Everything that was said, as values are looked up in it."""

    text: str
    words: frozenset[str]
    numbers: frozenset[float]

    @classmethod
    def of(cls, texts: Iterable[str]) -> Said:
        """Return the words and numbers of some texts."""
        text = " \n ".join(texts).casefold()
        words = frozenset(_WORD.findall(text))
        numbers = {float(one.replace(",", ".")) for one in _NUMBER.findall(text)}
        return cls(text, words, frozenset(numbers | {NUMBER_WORDS[word] for word in words if word in NUMBER_WORDS}))

    def holds(self, value: JsonValue, *, is_long: bool = False) -> bool:
        """Return whether a value was said: a number as a number, a text by its words; a long one by most of them."""
        match value:
            case bool() | None:
                return False
            case int() | float():
                return float(value) in self.numbers
            case str():
                return self._holds_text(value.strip().casefold(), is_long=is_long)
            case list():
                return bool(value) and all(self.holds(one, is_long=is_long) for one in value)
            case _:
                return False

    def _holds_text(self, text: str, *, is_long: bool) -> bool:
        written = _WORD.findall(text)
        words = [word for word in written if word not in _FILLERS] or written
        if not words:
            return False
        found = sum(self._has(word) for word in words)
        if is_long and len(words) > SHORT_WORDS:
            return found >= LEAST_OVERLAP * len(words)
        return found == len(words)

    def _has(self, word: str) -> bool:
        if word in self.words:
            return True
        if any(sign.isdigit() for sign in word):
            return _NUMBER.fullmatch(word) is not None and float(word.replace(",", ".")) in self.numbers
        stem = word[: max(STEM_CHARS, len(word) - 3)]
        return len(word) > STEM_CHARS and any(one.startswith(stem) for one in self.words)

    def content_words(self) -> frozenset[str]:
        """Return the words that carry a meaning of their own."""
        return self.words - _FILLERS

    def answers_yes_or_no(self) -> bool:
        """Return whether a plain yes or no is among the words."""
        return bool(self.words & _YES_OR_NO)

    def mentions(self, name: str) -> bool:
        """Return whether a word of a field's name was said: `uses_abroad` by "abroad"."""
        return any(self._has(word) for word in name.casefold().split("_") if len(word) > STEM_CHARS)


def name_words(name: str) -> frozenset[str]:
    """Return the words of a name: `data_gb` is `data` and `gb`."""
    return frozenset(name.casefold().split("_")) - _FILLERS


def known_arguments(parameters: JsonObject, known: Mapping[str, str]) -> JsonObject:
    """Return the arguments that the agent's own values give.

    A value belongs to a parameter of the same name, or of one whose words are all in the value's name (`data_gb` and
    `monthly_data_gb`).
    """
    found: JsonObject = {}
    for name, schema in (parameters.get("properties") or {}).items():
        written = known.get(name)
        if written is None:
            words = name_words(name)
            written = next((text for other, text in known.items() if words and words <= name_words(other)), None)
        value = as_value(written, schema)
        if value is not None and (not schema.get("enum") or value in schema["enum"]):
            found[name] = value
    return found


def grounded_arguments(arguments: JsonObject, parameters: JsonObject, said: Said) -> JsonObject | None:
    """Return the arguments that were said; None when one that is required was not.

    One of a few given words is taken as it is: there the model had to choose, not to remember.
    """
    required = parameters.get("required") or ()
    kept: JsonObject = {}
    for name, schema in (parameters.get("properties") or {}).items():
        value = as_value(arguments.get(name), schema)
        is_chosen = bool(schema.get("enum")) and value in schema["enum"] and name in required
        is_flag = isinstance(value, bool) and (name in required or said.mentions(name))
        if is_chosen or is_flag or said.holds(value, is_long=True):
            kept[name] = value
        elif name in required:
            return None
    return kept


def grounded_values(values: JsonObject, schemas: JsonObject, said: Said, *, is_answer: bool = False) -> JsonObject:
    """Return the values of a text as a model read them, with null for everything that the text does not say.

    `is_answer`: the text answers a question, so that a plain yes or no says something.
    """
    kept: JsonObject = {}
    for name, schema in schemas.items():
        value = as_value(values.get(name), schema)
        if isinstance(value, bool):
            is_said = said.mentions(name) or (is_answer and said.answers_yes_or_no())
        else:
            is_said = said.holds(value, is_long=not schema.get("enum"))
        kept[name] = value if is_said else None
    return kept
