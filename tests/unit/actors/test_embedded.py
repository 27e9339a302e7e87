"""Whether an installation has an embedded model, and what it is called."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from actors import embedded
from actors.embedded import EmbeddedModel, find_embedded, with_embedded
from actors.settings import ModelProvider, Settings
from domain.errors import InvalidInput, NotFound
from providers.embedded.weights import known_weights
from providers.registry import ModelRegistry
from providers.specs import ProviderSpec
from tests.support.until import until

SMALL, LARGE = known_weights()


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "has_engine", lambda: True)


def put(folder: Path, weights: Any) -> None:
    with (folder / weights.file).open("wb") as file:
        file.truncate(weights.size_bytes)  # a file of holes


def found(tmp_path: Path, **given: Any) -> EmbeddedModel | None:
    settings = Settings(data_dir=str(tmp_path / "data"), **{"models_dir": str(tmp_path), **given})
    model = find_embedded(settings)
    if model is not None:
        asyncio.run(model.stop())
    return model


def test_without_a_file_there_is_none_unless_it_is_to_be_pulled(tmp_path: Path) -> None:
    assert found(tmp_path) is None
    assert found(tmp_path, pull_model=True) is not None


def test_a_file_that_is_here_is_taken_when_no_other_model_is_set(tmp_path: Path) -> None:
    put(tmp_path, SMALL)
    model = found(tmp_path)
    assert model is not None
    assert model.model == "embedded/qwen2.5-0.5b"
    assert found(tmp_path, default_model="openai/x") is None
    assert found(tmp_path, providers=(ModelProvider(name="openai"),)) is None


def test_it_says_how_far_it_is(tmp_path: Path) -> None:
    model = found(tmp_path, pull_model=True)
    assert model is not None
    assert model.state.startswith("0 % of the embedded model is here")
    put(tmp_path, SMALL)
    assert model.state.startswith("The embedded model is being loaded")


def test_it_can_be_asked_for_beside_another_model_and_switched_off(tmp_path: Path) -> None:
    put(tmp_path, SMALL)
    assert found(tmp_path, default_model="openai/x", embedded_model="0.5b") is not None
    assert found(tmp_path, embedded_model="off") is None


def test_the_hosts_of_a_cluster_have_none(tmp_path: Path) -> None:
    put(tmp_path, SMALL)
    assert found(tmp_path, ray_address="10.0.0.1:6379") is None


def test_a_file_of_ones_own_is_called_by_its_name(tmp_path: Path) -> None:
    own = tmp_path / "my-model.gguf"
    with pytest.raises(InvalidInput, match="no file"):
        found(tmp_path, embedded_model=str(own))
    own.touch()
    model = found(tmp_path, embedded_model=str(own), models_dir="")
    assert model is not None
    assert (model.model, model.here()) == ("embedded/my-model", None)


def test_an_unknown_size_is_answered_with_those_there_are(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match=r"0\.5b or 1\.5b"):
        found(tmp_path, embedded_model="70b")


def test_what_is_missing_to_run_it_is_said_only_to_those_who_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, SMALL)
    monkeypatch.setattr(embedded, "has_engine", lambda: False)
    assert found(tmp_path) is None
    assert found(tmp_path, pull_model=True) is None
    with pytest.raises(InvalidInput, match="xllamacpp"):
        found(tmp_path, embedded_model="0.5b")


def test_it_is_an_ordinary_provider_and_the_default_where_there_is_no_other(tmp_path: Path) -> None:
    put(tmp_path, LARGE)
    model = found(tmp_path, embedded_model="1.5b")
    assert model is not None
    settings = with_embedded(Settings(), model)
    assert settings.default_model == "embedded/qwen2.5-1.5b"
    assert with_embedded(Settings(default_model="openai/x"), model).default_model == "openai/x"
    one = settings.providers[0]
    registry = ModelRegistry([ProviderSpec(one.name, one.kind, one.base_url, one.api_key, one.models, one.options)])
    assert registry.full_name("embedded") == "embedded/qwen2.5-1.5b"


async def told_by(model: EmbeddedModel) -> list[str]:
    told: list[str] = []
    following = asyncio.create_task(model.follow(told.append))
    await until(lambda: bool(told))
    following.cancel()
    await asyncio.gather(following, return_exceptions=True)
    return told


def test_how_far_the_download_is_is_told(tmp_path: Path) -> None:
    async def run() -> list[str]:
        model = EmbeddedModel(Settings(data_dir=str(tmp_path), pull_model=True), SMALL, tmp_path / SMALL.file)
        try:
            return await told_by(model)
        finally:
            await model.stop()

    assert asyncio.run(run())[0].startswith("embedded model: 0 % of 491 MB")
