"""Languages as data: what each one's words mean and how the built-in sentences are said in it.

A pack is a YAML file beside this module, or in the folder `languages` of a project. Spec: abl-language 3.14, 5.7.
"""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

from abl.languages.folding import fold, folded, folded_phrase, words_only
from abl.languages.forms import form_pattern
from abl.languages.pack import BUILT_IN_WORDS, SENTENCES, Pack
from abl.languages.reading import PackError, PackProblem, merged, read_keys, read_pack

__all__ = [
    "BUILT_IN_WORDS",
    "DEFAULT_TAG",
    "SENTENCES",
    "TAGS",
    "Pack",
    "PackError",
    "PackProblem",
    "base_tag",
    "fold",
    "folded",
    "folded_phrase",
    "form_pattern",
    "load_pack",
    "merged",
    "read_keys",
    "read_pack",
    "tag_named",
    "words_only",
]

DEFAULT_TAG = "en"
TAGS = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "tr", "ar", "hi", "ja")
"""Languages whose packs are shipped."""


def base_tag(language: str) -> str:
    """Return the language of a tag without region and script.

    >>> base_tag("de-AT"), base_tag("pt_BR")
    ('de', 'pt')
    """
    return language.strip().replace("_", "-").split("-", maxsplit=1)[0].lower()


@lru_cache(maxsize=1_024)
def tag_named(language: str) -> str:
    """Return the tag of the shipped language that a tag or a name means, empty when none does.

    >>> tag_named("de-AT"), tag_named("German"), tag_named("Deutsch"), tag_named("Klingon")
    ('de', 'de', 'de', '')
    """
    tag = base_tag(language)
    if tag in TAGS:
        return tag
    wanted = words_only(language)
    return next((one for one in TAGS if any(words_only(name) == wanted for name in load_pack(one).names)), "")


@lru_cache(maxsize=64)
def load_pack(tag: str) -> Pack:
    """Return a shipped pack, read once.

    Raises:
        LookupError: No pack of this tag is shipped.
    """
    if tag not in TAGS:
        raise LookupError(f'There is no language pack "{tag}"; there are {", ".join(TAGS)}')
    name = f"{tag}.yaml"
    return read_pack(files("abl.languages").joinpath(name).read_text(encoding="utf-8"), name)
