"""A key that one language pack gains, all have."""

from __future__ import annotations

from abl.languages import TAGS, load_pack
from tests.support.repository import ROOT


def test_every_language_pack_is_listed_and_whole() -> None:
    assert {path.stem for path in (ROOT / "abl" / "languages").glob("*.yaml")} == set(TAGS)
    assert [load_pack(tag).tag for tag in TAGS] == list(TAGS)
