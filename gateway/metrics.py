"""What the gateway counts, and how it is told to Prometheus with what the runtime counts. Spec: platform-api 14.8.

Counting one exchange is a few additions to plain numbers; they become Prometheus families when they are asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import accumulate
from time import monotonic
from types import MappingProxyType
from typing import Literal

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from actors.counters import Sample

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
RATE_LIMITED = 429
COUNTED = "_total"
HELP: Mapping[str, str] = MappingProxyType(
    {
        "abl_turns_total": "Turns that were asked for here.",
        "abl_turns_failed_total": "Turns that were answered with an error.",
        "abl_turns_running": "Turns that this gateway waits for.",
        "abl_hosts": "Session hosts that are alive.",
        "abl_queue_turns": "Turns that wait for another one of their session, in all hosts.",
        "abl_uncounted_turns": "Turns that analytics pass over until their master key is configured, at most 10000.",
        "abl_host_live_sessions": "Sessions in memory.",
        "abl_host_running_turns": "Turns that run.",
        "abl_host_waiting_turns": "Turns that wait for another one of their session.",
        "abl_host_resident_bytes": "Resident memory.",
        "abl_model_calls_total": "Calls of models by how they ended: ok, or the kind of the error.",
        "abl_tool_calls_total": "Calls of tools by how they ended: ok, or the kind of the error.",
        "abl_rate_store_up": "Whether limits hold over all processes.",
        "abl_rate_store_failures_total": "How often the store of limits did not answer.",
        "abl_limited_total": "What a limit refused, by the limit.",
    }
)
"""What the numbers of others mean; those that end in `_total` only rise."""
Transport = Literal["json", "sse", "socket"]
TRANSPORTS: tuple[Transport, ...] = ("json", "sse", "socket")
STREAMS: tuple[Transport, ...] = ("sse", "socket")


class Durations:
    """How long exchanges of one route took."""

    __slots__ = ("counts", "total_s")

    def __init__(self) -> None:
        self.counts = [0] * (len(SECONDS_BUCKETS) + 1)
        self.total_s = 0.0

    def add(self, seconds: float) -> None:
        """Count one exchange."""
        self.counts[bisect_left(SECONDS_BUCKETS, seconds)] += 1
        self.total_s += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """Return how many took at most so long, for each bound."""
        bounds = [*(str(bound) for bound in SECONDS_BUCKETS), "+Inf"]
        return [(bound, float(count)) for bound, count in zip(bounds, accumulate(self.counts), strict=True)]


class Metrics(Collector):
    """The gateway's own numbers."""

    def __init__(self, counters: Callable[[], Sequence[Sample]] = tuple) -> None:
        self._began = monotonic()
        self._counters = counters
        self._requests: dict[tuple[str, str, int], int] = {}
        self._durations: dict[tuple[str, str], Durations] = {}
        self._limited: dict[str, int] = {}
        self._turns = {transport: Durations() for transport in TRANSPORTS}
        self._first_tokens = {transport: Durations() for transport in STREAMS}
        self.sockets = 0

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one exchange."""
        told = (method, route, status)
        self._requests[told] = self._requests.get(told, 0) + 1
        durations = self._durations.get((method, route))
        if durations is None:
            durations = self._durations[method, route] = Durations()
        durations.add(seconds)
        if status == RATE_LIMITED:
            self._limited[route] = self._limited.get(route, 0) + 1

    def turn(self, transport: Transport, seconds: float) -> None:
        """Count a turn that was answered."""
        self._turns[transport].add(seconds)

    def first_token(self, transport: Transport, seconds: float) -> None:
        """Count how long a turn took to say its first words."""
        self._first_tokens[transport].add(seconds)

    def socket_opened(self) -> None:
        """Count a WebSocket that is open now."""
        self.sockets += 1

    def socket_closed(self) -> None:
        """Count a WebSocket that is open no more."""
        self.sockets -= 1

    def uptime_s(self) -> float:
        """Return how long this gateway has been up."""
        return monotonic() - self._began

    def text(self, runtime: Sequence[Sample]) -> bytes:
        """Return all numbers as Prometheus reads them."""
        registry = CollectorRegistry()
        registry.register(self)
        registry.register(_Samples([*runtime, *self._counters()]))
        return generate_latest(registry)

    def collect(self) -> Iterable[Metric]:
        """Yield the gateway's own families."""
        requests = CounterMetricFamily("abl_http_requests", "Requests by route.", labels=("method", "route", "status"))
        for (method, route, status), count in self._requests.items():
            requests.add_metric((method, route, str(status)), count)
        yield requests
        yield _histogram(
            "abl_http_request_seconds",
            "Time from request to the end of the reply.",
            ("method", "route"),
            self._durations.items(),
        )
        turns = [((transport,), durations) for transport, durations in self._turns.items()]
        yield _histogram("abl_turn_seconds", "Time from message to the end of its turn.", ("transport",), turns)
        firsts = [((transport,), durations) for transport, durations in self._first_tokens.items()]
        yield _histogram("abl_first_token_seconds", "Time from message to first words.", ("transport",), firsts)
        limited = CounterMetricFamily("abl_rate_limited", "Requests refused by a limit.", labels=("route",))
        for route, count in self._limited.items():
            limited.add_metric((route,), count)
        yield limited
        yield GaugeMetricFamily("abl_sockets", "Open WebSockets.", value=self.sockets)


def _histogram(
    name: str, text: str, labels: tuple[str, ...], told: Iterable[tuple[Sequence[str], Durations]]
) -> HistogramMetricFamily:
    family = HistogramMetricFamily(name, text, labels=labels)
    for values, durations in told:
        family.add_metric(values, durations.buckets(), durations.total_s)
    return family


class _Samples(Collector):
    """Numbers of others, grouped by name."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def collect(self) -> Iterable[Metric]:
        """Yield one family for each name."""
        families: dict[str, CounterMetricFamily | GaugeMetricFamily] = {}
        for name, labels, value in self._samples:
            family = families.get(name)
            if family is None:
                kind = CounterMetricFamily if name.endswith(COUNTED) else GaugeMetricFamily
                family = families[name] = kind(name, HELP.get(name, name), labels=tuple(labels))
            family.add_metric(list(labels.values()), value)
        yield from families.values()
