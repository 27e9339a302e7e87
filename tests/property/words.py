"""Hypothesis strategies for words, texts, conditions and JSON values, with what breaks naive writers in them."""

from __future__ import annotations

from hypothesis import strategies as st

WORDS = ("parcel", "hub_1", "x", "Region", "claim_amount", "user_id", "status", "Überweg", "_hidden", "b2")
PIECES = (
    *("word", "Two words", "it's", '"quoted"', '"', "'", "# no comment", "#12", "a: b", ": ", "{", "}", "{{x.y}}"),
    *("[1, 2]", "|", ">", "->", "→", "é𝄞", "„so“", "\\n", "\\", "// not", "/* no */", "- dash", "50 %", "(", ")", ","),
    *(
        "true",
        "null",
        "1.0",
        "GOAL: x",
        "IF a == b",
        "=",
        "---",
        "```",
        "&a",
        "*b",
        "!c",
        "@d",
        "?",
        "~",
        "\t",
        "```abl",
    ),
)
NAMES = st.sampled_from([word for word in WORDS if word.isascii()]) | st.from_regex(
    r"[a-z]{1,3}_[a-z0-9]{1,4}", fullmatch=True
)
PATHS = NAMES | st.tuples(NAMES, NAMES).map(".".join)


def cleaned(text: str) -> str:
    """Return a text as documents hold it."""
    return "\n".join([line.rstrip() for line in text.split("\n")]).strip()


def _joined(parts: list[str]) -> str:
    return cleaned("".join(parts))


LINES = (
    st.lists(st.sampled_from(PIECES) | st.sampled_from([" ", " "]), min_size=1, max_size=6).map(_joined).filter(bool)
)
TEXTS = LINES | st.lists(LINES | st.just("") | LINES.map("  ".__add__), min_size=2, max_size=4).map("\n".join).map(
    cleaned
).filter(bool)
STRINGS = st.sampled_from(['"lost"', "'found it'", '"a: b"', '"# 1"', '"x -> y"', '"é"', '"{{x}}"', '""', '"\\d+"'])
OPERANDS = PATHS | STRINGS | st.sampled_from(["1", "2.5", "true", "null", "[1, 2]", "LENGTH(x)", "UPPER(a.b)"])
COMPARISONS = st.tuples(PATHS, st.sampled_from(["==", "!=", "<=", ">", "CONTAINS", "NOT IN", "MATCHES"]), OPERANDS).map(
    " ".join
) | PATHS.map("{} IS SET".format)
CONDITIONS = COMPARISONS | st.tuples(
    COMPARISONS, st.sampled_from(["AND", "OR"]), COMPARISONS.map("NOT ({})".format)
).map(" ".join)
EXPRESSIONS = OPERANDS | st.tuples(PATHS, st.sampled_from(["+", "-", "*"]), OPERANDS).map(" ".join) | STRINGS
NUMBERS = st.integers(0, 1000) | st.integers(0, 100).map(lambda n: n / 100)
JSON_TEXTS = LINES.filter(lambda text: not ('"' in text and "'" in text and "#" in text))
JSON = st.recursive(
    st.booleans() | st.integers(-9, 999) | st.none() | JSON_TEXTS | NAMES | NUMBERS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | st.just("two words"), inner, max_size=3),
    max_leaves=8,
)
LITERALS = (
    st.booleans() | NUMBERS | LINES | NAMES | st.lists(NAMES | NUMBERS, max_size=3)
    | st.dictionaries(NAMES, NAMES | NUMBERS | st.booleans(), max_size=3)
)  # fmt: skip
