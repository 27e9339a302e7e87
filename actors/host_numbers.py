"""What the hosts of an instance carry and have counted, as rows for Prometheus. Spec: platform-api 14.8.

The label `host` is the slot of a shared host, `dedicated` for all hosts of single sessions together, and `gateway` for
this process: it never names a session. Every gateway tells of all hosts.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from actors.directory import Member
from actors.placement import is_dedicated

DEDICATED: Final = "dedicated"
GATEWAY: Final = "gateway"
HELD: Final = 10_000
"""Hosts whose last word is remembered; the longest silent are forgotten."""
Row = tuple[str, dict[str, str], float]
"""Name, labels, value."""


class HostNumbers:
    """Sums of what processes tell one time after the other: counts never fall, whoever begins anew or is gone."""

    def __init__(self) -> None:
        self._last: OrderedDict[str, Mapping[str, int]] = OrderedDict()
        self._sums: dict[str, Counter[str]] = {}

    def rows(self, members: Iterable[Member], own: Mapping[str, int]) -> list[Row]:
        """Return what the hosts carry now, and what they and this process have counted, `own`."""
        carried: dict[str, Counter[str]] = {}
        for one in members:
            place = DEDICATED if is_dedicated(one.host_id) else one.host_id
            self._count(place, one.host_id, one.counts)
            carried.setdefault(place, Counter()).update(
                abl_host_live_sessions=one.sessions,
                abl_host_running_turns=one.turns,
                abl_host_waiting_turns=one.waiting,
                abl_host_resident_bytes=one.rss_bytes,
            )
        self._count(GATEWAY, "", own)
        now = [(name, {"host": place}, float(value)) for place, sums in carried.items() for name, value in sums.items()]
        return [*now, *self._counted()]

    def _count(self, place: str, process: str, counts: Mapping[str, int]) -> None:
        last = self._last.get(process, {})
        sums = self._sums.setdefault(place, Counter())
        begun_anew = any(counts.get(name, 0) < before for name, before in last.items())
        for name, count in counts.items():
            sums[name] += count if begun_anew else count - last.get(name, 0)
        self._last[process] = dict(counts)
        self._last.move_to_end(process)
        if len(self._last) > HELD:
            self._last.popitem(last=False)

    def _counted(self) -> Iterator[Row]:
        for place, sums in self._sums.items():
            for name, count in sorted(sums.items()):
                asked, _, end = name.partition(":")
                yield f"abl_{asked}_calls_total", {"host": place, "end": end}, float(count)
