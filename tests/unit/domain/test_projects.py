"""Settings and slugs of projects. Spec: platform-api 6.1."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from domain.projects import settings_of, slug_of, with_settings


def test_a_project_without_settings_has_the_defaults_of_the_specification() -> None:
    assert msgspec.to_builtins(settings_of({})) == {
        "sessionIdleTimeoutSec": 1_800,
        "turnTimeoutSec": 120,
        "callbackTtlSec": 86_400,
        "drainTimeoutSec": 3_600,
        "traceRetentionDays": 30,
        "evalRetentionDays": 90,
        "maxMessageChars": 1_048_576,
        "voice": {"mode": "pipeline", "voice": None, "language": None},
    }


def test_a_change_leaves_the_rest_and_what_else_is_stored() -> None:
    stored = with_settings({"models": {"tiers": {}}, "voice": {"voice": "ada"}}, {"turnTimeoutSec": 60, "other": 1})
    stored = with_settings(stored, {"voice": {"language": "de"}})
    assert stored == {"models": {"tiers": {}}, "turnTimeoutSec": 60, "voice": {"voice": "ada", "language": "de"}}
    assert settings_of(stored).voice.language == "de"


@pytest.mark.parametrize(
    "changed",
    [
        {"sessionIdleTimeoutSec": 59},
        {"turnTimeoutSec": 0},
        {"turnTimeoutSec": 601},
        {"callbackTtlSec": 59},
        {"callbackTtlSec": 2_592_001},
        {"drainTimeoutSec": -1},
        {"traceRetentionDays": 0},
        {"evalRetentionDays": "30"},
        {"maxMessageChars": 0},
        {"maxMessageChars": 1_048_577},
        {"voice": {"mode": "loud"}},
        {"voice": 3},
    ],
)
def test_a_value_out_of_its_bounds_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        with_settings({}, changed)


@pytest.mark.parametrize(
    ("name", "slug"), [("Order Desk (EU)", "order-desk-eu"), ("Übung", "bung"), ("!", ""), ("x" * 80, "x" * 60)]
)
def test_a_slug_is_made_of_a_name(name: str, slug: str) -> None:
    assert slug_of(name) == slug
