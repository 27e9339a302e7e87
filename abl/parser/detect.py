"""Which kind of document a text is. Spec: abl-language 2.2, 2.3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from abl.parser.lines import is_ruler
from abl.source import normalise
from abl.syntax.document import LEGACY_SECTIONS, SECTIONS

YAML_KEYS = frozenset(
    "agent supervisor mode goal persona identity tools gather constraints guardrails flow handoff return_handlers "
    "delegate escalate complete on_error on_start memory execution language version description limitations messages "
    "templates hooks system_prompt nlu conversation action_handlers".split()
)
"""First keys by which a text counts as the YAML form."""

PROFILE_KEY = "behavior_profile:"
"""What opens a profile in the YAML form; the reference knows none, so that `is_yaml_format` does not either."""
_SHOUTED = re.compile(r"^[A-Z][A-Z_]+\s*:", re.MULTILINE)
_YAML_KEY = re.compile(r"([a-z_]+)\s*:")
_FIRST = re.compile(r"(AGENT|SUPERVISOR|TOOLS|BEHAVIOR_PROFILE)\s*:")
_HEADER = re.compile(r"^[ \t]*(?:AGENT|SUPERVISOR)\s*:", re.MULTILINE)
_MODE = re.compile(r"^[ \t]*MODE\s*:", re.MULTILINE)
_MODE_WORD = re.compile(r"MODE(?<!\SMODE)\s*:")
"""The same anywhere in a line: as it begins with a plain word, it is looked for in a fraction of the time."""
_NUMBERED = re.compile(r"STEPS:[^\n]*+\n(?:[ \t]*+\n|[ \t]*+(?:#|//)[^\n]*+\n)*+[ \t]*+\d++\.\s")
_INTENT_ROUTES = re.compile(r"INTENTS:[^\n]*+\n(?:[ \t]*+\n)*+[ \t]*+(?:-[ \t]*+)?\[[^\]\n]*+\][ \t]*+(?:->|\u2192)")
_SIGNATURE = re.compile(r"^[ \t]+\w+\([^\n]*\)[^\n]*->", re.MULTILINE)
_SECTION_LINE = re.compile(rf"^(?:{'|'.join(word for word in SECTIONS if ' ' not in word)})\s*:", re.MULTILINE)
_SPLIT = re.compile(r"^(?:AGENT|SUPERVISOR)\s*:", re.MULTILINE)


def first_line(text: str) -> str:
    """Return the first significant line, trimmed: blank lines, comments and markdown fences are skipped."""
    in_comment = False
    start = 0
    while start < len(text):
        stop = text.find("\n", start)
        stop = len(text) if stop < 0 else stop
        line = text[start:stop].strip()
        start = stop + 1
        if line[:1].isalpha() and not in_comment:
            return line
        if in_comment:
            in_comment = not line.endswith("*/")
        elif line.startswith("/*"):
            in_comment = "*/" not in line
        elif line and not line.startswith(("#", "//", "```", "~~~")) and not is_ruler(line):
            return line
    return ""


def is_yaml_format(text: object) -> bool:
    """Return whether the first key of `text` is one of the lowercase keys of the YAML form.

    >>> is_yaml_format("agent: Parcel_Tracer")
    True
    >>> is_yaml_format("AGENT: Parcel_Tracer")
    False
    """
    return isinstance(text, str) and _opens_yaml(first_line(normalise(text)))


def _opens_yaml(first: str) -> bool:
    found = _YAML_KEY.match(first)
    return found is not None and found[1] in YAML_KEYS


def detect(text: str) -> str | None:
    """Return `yaml`, `tools`, `agent-based`, `supervisor` or `agent`; None when nothing fits."""
    text = normalise(text)
    first = first_line(text)
    found = _FIRST.match(first)
    if found is None:
        is_yaml = _opens_yaml(first) or first.startswith(PROFILE_KEY)
        return "yaml" if is_yaml and not _is_shouted(text, first) else _by_any_section(text, first)
    word = found[1]
    if word == "TOOLS":
        return "agent-based" if _has_header(text) else "tools"
    if word == "BEHAVIOR_PROFILE" or has_mode(text):
        return "agent-based"
    return word.lower()


def _is_shouted(text: str, first: str) -> bool:
    """Return whether a text that begins with a lower-case key is an ABL text with that one word in the wrong case."""
    if first.startswith("tools:"):
        return _SIGNATURE.search(text) is not None
    if first.startswith(PROFILE_KEY):
        return _SHOUTED.search(text) is not None
    return first.startswith(("agent:", "supervisor:")) and _SECTION_LINE.search(text) is not None


def _by_any_section(text: str, first: str) -> str | None:
    """Return `agent` for a text that begins with another section, or with a header in the wrong case."""
    lowered = first.lower()
    if lowered.startswith("tools"):
        return "tools"
    if lowered.startswith(("agent:", "supervisor:", "agent ", "supervisor ")):
        return lowered.split(":")[0].split()[0]
    if _has_header(text):
        return "agent-based" if has_mode(text) else "agent"
    return None


def _has_header(text: str) -> bool:
    return ("AGENT" in text or "SUPERVISOR" in text) and _HEADER.search(text) is not None


def has_mode(text: str) -> bool:
    """Return whether a line of `text` begins with `MODE:`, the mark of the older generation."""
    return _MODE_WORD.search(text) is not None and _MODE.search(text) is not None


def is_legacy(text: str) -> bool:
    """Return whether a text has a line that only the numbered grammar has."""
    text = _at_the_margin(normalise(text))
    if any(_has_line(f"{word}:", text) for word in LEGACY_SECTIONS):
        return True
    if _has_line("FLOW:", text):
        return False
    return any(
        form.match(text, at) is not None
        for word, form in (("STEPS:", _NUMBERED), ("INTENTS:", _INTENT_ROUTES))
        for at in _lines_with(word, text)
    )


def _at_the_margin(text: str) -> str:
    """Return a text that is indented as a whole without the indent of its first significant line (spec 1.1)."""
    first = first_line(text)
    at = text.find(first)
    indent = text[text.rfind("\n", 0, at) + 1 : at]
    if not indent or not indent.isspace():
        return text
    return "\n".join([line.removeprefix(indent) for line in text.split("\n")])


def _has_line(word: str, text: str) -> bool:
    """Return whether a line begins with `word`."""
    return f"\n{word}" in text or text.startswith(word)


def _lines_with(word: str, text: str) -> Iterator[int]:
    """Yield where lines begin with `word`; a plain search costs a tenth of one for a pattern."""
    at = text.find(word)
    while at >= 0:
        if at == 0 or text[at - 1] == "\n":
            yield at
        at = text.find(word, at + 1)


def split_documents(text: str) -> list[str]:
    """Cut a text that holds several agents before each unindented AGENT or SUPERVISOR header.

    >>> split_documents("AGENT: A\\nGOAL: x\\nAGENT: B\\nGOAL: y\\n")
    ['AGENT: A\\nGOAL: x\\n', 'AGENT: B\\nGOAL: y\\n']
    """
    text = normalise(text)
    starts = [found.start() for found in _SPLIT.finditer(text)]
    if len(starts) < 2:
        return [text]
    cuts = [0, *starts[1:], len(text)]
    return [text[begin:stop] for begin, stop in pairwise(cuts)]
