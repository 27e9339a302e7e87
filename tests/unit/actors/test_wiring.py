"""What the composition root makes of settings."""

from __future__ import annotations

import pytest

from actors.health import OK
from actors.settings import ModelProvider, Settings
from actors.wiring import NO_MODEL, NO_PROVIDER, _model_state

HERE = (ModelProvider(name="here", models=("m",)),)


@pytest.mark.parametrize(
    ("model", "is_set", "state"),
    [
        ("here/m", True, OK),
        ("nowhere/m", True, NO_PROVIDER.format("nowhere/m")),
        ("", False, NO_MODEL),
    ],
)
def test_a_model_that_no_provider_has_is_missing_and_none_at_all_is_not(model: str, is_set: bool, state: str) -> None:
    found = _model_state(Settings(providers=HERE, default_model=model), None)()
    assert (found.is_set, found.state) == (is_set, state)
