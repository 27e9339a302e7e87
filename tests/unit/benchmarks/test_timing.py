"""Subjects take turns at every piece, and each is given the sum of its shortest times."""

from __future__ import annotations

from benchmarks.timing import piece_by_piece


def test_every_subject_has_its_turn_at_every_piece() -> None:
    seen: list[tuple[str, int]] = []
    quick, slow = piece_by_piece(
        [
            lambda piece: seen.append(("quick", piece)),
            lambda piece: seen.extend(("slow", piece) for _ in range(20_000)),
        ],
        [1, 2],
        rounds=2,
    )
    assert list(dict.fromkeys(seen)) == [("quick", 1), ("slow", 1), ("quick", 2), ("slow", 2)]
    assert seen.count(("quick", 1)) == 2
    assert 0 < quick < slow
