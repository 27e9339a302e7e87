"""The words the readers know, one table per language; another language is another entry. Spec: abl-language 5.7."""

from __future__ import annotations

from engine.extraction.german import GERMAN
from engine.extraction.words import Vocabulary

_DIGITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()

ENGLISH = Vocabulary(
    builtin={
        "back": ("back", "go back", "previous", "return"),
        "cancel": ("cancel", "nevermind", "never mind", "forget it", "stop"),
        "change": ("change", "modify", "update", "edit"),
        "help": ("help", "assist", "support", "confused"),
        "yes": ("yes", "yeah", "yep", "sure", "ok", "okay", "confirm"),
        "no": ("no", "nope", "nah", "not", "wrong"),
    },
    months=(
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ),
    weekdays=("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    days={"day after tomorrow": 2, "tomorrow": 1, "today": 0, "tonight": 0, "yesterday": -1},
    numbers={
        **{word: at for at, word in enumerate(_DIGITS)},
        **{word: 20 + 10 * at for at, word in enumerate(_TENS)},
        "a couple of": 2,
    },
    scales={"hundred": 100, "thousand": 1_000, "million": 1_000_000},
    units={
        "day": "day", "days": "day", "week": "week", "weeks": "week", "month": "month", "months": "month",
        "year": "year", "years": "year",
    },
    true_words=("yes", "yeah", "yep", "sure", "ok", "okay", "true", "of course", "please do", "definitely", "correct"),
    false_words=("no", "nope", "nah", "never", "false", "not", "don't", "do not", "none", "without"),
    lead_ins=(
        r"(?:my|the|our|her|his|their) (?:[\w-]+ ){0,3}?(?:is|are|was|:)", r"(?:my )?name(?:'s| is)",
        r"it(?:'s| is| was)",
        r"that(?:'s| is| would be)", r"i(?:'m| am)(?: called)?", r"this is", r"call me", r"we(?:'re| are)",
        r"(?:i|we)(?:'d| would) (?:like|say|prefer)(?: to (?:have|use|go))?", r"(?:i|we) (?:want|need|have|use|prefer)",
        r"make (?:it|that)", r"(?:well|so|sure|yes|ok|okay|please|um|hm)[,.]?",
    ),
    corrections=(
        r"^(?:no,? )?actually[,:]? *(.+)$",
        r"^(?:no|sorry|wait|oops)[,.!]+ *(?:i meant |it's |it is |make it |that's )?(.+)$",
        r"\bi meant?(?: to say)? *(.+)$",
        r"\b(?:change|correct|update|set) (?:it|that|my [\w ]+?|the [\w ]+?) (?:to|into) *(.+)$",
        r"\bmake (?:it|that) *(.+)$",
        r"^(?:it's |it is )?not [\w .@:/+-]+?, *(?:but )?(.+)$",
        r"^(.+?),? instead$",
        r"^(?:let me )?correct(?:ion)?[:,] *(.+)$",
    ),
    currencies={
        "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "$": "USD", "dollar": "USD", "dollars": "USD",
        "usd": "USD", "£": "GBP", "pound": "GBP", "pounds": "GBP", "gbp": "GBP", "chf": "CHF", "yen": "JPY",
    },
    times={"noon": "12:00", "midday": "12:00", "midnight": "00:00", "morning": "09:00", "evening": "18:00"},
)  # fmt: skip

VOCABULARIES = {"en": ENGLISH, "de": GERMAN}
"""Language -> its words; another language is another module like `german`."""


def vocabulary(language: str) -> Vocabulary:
    """Return the words of a language tag, English when the language is not known."""
    return VOCABULARIES.get(language.split("-", maxsplit=1)[0].lower(), ENGLISH)
