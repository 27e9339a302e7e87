from __future__ import annotations

from domain.clock import CountingIds, FixedClock, iso_ms, parse_iso


def test_a_moment_survives_being_written_and_read() -> None:
    clock = FixedClock()
    clock.move(seconds=1.5)
    assert iso_ms(clock.now()) == "2026-03-02T09:00:01.500Z"
    assert parse_iso(iso_ms(clock.now())) == clock.now()


def test_counting_ids_never_repeat() -> None:
    ids = CountingIds()
    assert [ids.new("msg"), ids.new("msg"), len(ids.new(""))] == ["msg_1", "msg_2", 25]
