"""What the gateway counts, and how it is told to Prometheus with what the runtime counts. Spec: platform-api 14.8."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from time import monotonic

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"
SECONDS_BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0)
RATE_LIMITED = 429

Sample = tuple[str, dict[str, str], float]
"""Name, labels and value of one number of the runtime."""


class Metrics:
    """The gateway's own numbers."""

    def __init__(self) -> None:
        self._began = monotonic()
        self._registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self._requests = Counter("abl_http_requests", "Requests by route.", labels, registry=self._registry)
        self._seconds = Histogram(
            "abl_http_request_seconds",
            "Time from request to the end of the reply.",
            ("method", "route"),
            registry=self._registry,
            buckets=SECONDS_BUCKETS,
        )
        self._limited = Counter("abl_rate_limited", "Requests refused by a limit.", ("route",), registry=self._registry)
        self._sockets = Gauge("abl_sockets", "Open WebSockets.", registry=self._registry)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count one exchange."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)
        if status == RATE_LIMITED:
            self._limited.labels(route).inc()

    def socket_opened(self) -> None:
        """Count a WebSocket that is open now."""
        self._sockets.inc()

    def socket_closed(self) -> None:
        """Count a WebSocket that is open no more."""
        self._sockets.dec()

    def uptime_s(self) -> float:
        """Return how long this gateway has been up."""
        return monotonic() - self._began

    def text(self, runtime: Sequence[Sample]) -> bytes:
        """Return all numbers as Prometheus reads them."""
        others = CollectorRegistry()
        others.register(_RuntimeNumbers(runtime))
        return generate_latest(self._registry) + generate_latest(others)


class _RuntimeNumbers(Collector):
    """Numbers of the runtime, grouped by name."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples

    def collect(self) -> Iterable[Metric]:
        """Yield one family for each name."""
        families: dict[str, GaugeMetricFamily] = {}
        for name, labels, value in self._samples:
            family = families.setdefault(name, GaugeMetricFamily(name, name, labels=tuple(labels)))
            family.add_metric(list(labels.values()), value)
        yield from families.values()
