from __future__ import annotations

import pytest
from prometheus_client.parser import text_string_to_metric_families

from gateway.metrics import Metrics


def numbers(metrics: Metrics, runtime: list[tuple[str, dict[str, str], float]] | None = None) -> dict[str, float]:
    """Return what Prometheus reads, by name and labels."""
    text = metrics.text(runtime or []).decode()
    return {
        " ".join([sample.name, *(f"{name}={value}" for name, value in sorted(sample.labels.items()))]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_an_exchange_is_counted_and_measured_by_route() -> None:
    metrics = Metrics()
    for seconds in (0.004, 0.2, 200.0):
        metrics.request("GET", "/a", 200, seconds)
    metrics.request("GET", "/a", 429, 0.001)
    told = numbers(metrics)
    assert told["abl_http_requests_total method=GET route=/a status=200"] == 3
    assert told["abl_http_request_seconds_bucket le=0.005 method=GET route=/a"] == 2
    assert told["abl_http_request_seconds_bucket le=0.25 method=GET route=/a"] == 3
    assert told["abl_http_request_seconds_bucket le=+Inf method=GET route=/a"] == 4
    assert told["abl_http_request_seconds_count method=GET route=/a"] == 4
    assert told["abl_http_request_seconds_sum method=GET route=/a"] == pytest.approx(200.205)
    assert told["abl_rate_limited_total route=/a"] == 1


def test_a_time_on_a_bound_belongs_to_it() -> None:
    metrics = Metrics()
    metrics.request("GET", "/a", 200, 0.01)
    told = numbers(metrics)
    assert told["abl_http_request_seconds_bucket le=0.005 method=GET route=/a"] == 0
    assert told["abl_http_request_seconds_bucket le=0.01 method=GET route=/a"] == 1


def test_sockets_counters_and_the_runtime_are_told_too() -> None:
    metrics = Metrics(lambda: [("abl_rate_store_up", {}, 1.0)])
    metrics.socket_opened()
    metrics.socket_opened()
    metrics.socket_closed()
    told = numbers(metrics, [("abl_live", {"host": "a"}, 2.0), ("abl_live", {"host": "b"}, 3.0)])
    assert (told["abl_sockets"], told["abl_rate_store_up"]) == (1, 1)
    assert (told["abl_live host=a"], told["abl_live host=b"]) == (2, 3)


def test_what_only_rises_is_told_as_a_counter_with_what_it_means() -> None:
    text = Metrics().text([("abl_model_calls_total", {"host": "host-0", "end": "ok"}, 3.0), ("abl_hosts", {}, 1.0)])
    told = {one.name: one for one in text_string_to_metric_families(text.decode())}
    assert (told["abl_model_calls"].type, told["abl_hosts"].type) == ("counter", "gauge")
    assert "how they ended" in told["abl_model_calls"].documentation
