from __future__ import annotations

from engine.compaction import compacted, cut, digest


def test_only_essential_fields_are_kept_in_lists_too() -> None:
    assert compacted([{"id": 1, "raw": 2}], ("id",)) == [{"id": 1}]


def test_long_texts_are_cut_and_marked() -> None:
    assert compacted({"text": "x" * 30}, (), 10) == {"text": "xxxx [...]"}
    assert cut("short", 10) == "short"


def test_a_digest_says_how_many_there_were() -> None:
    assert digest({"items": list(range(9))}) == {"items": {"count": 9, "first": [0, 1, 2, 3, 4]}}
