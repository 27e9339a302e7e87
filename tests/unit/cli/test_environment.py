import re
from pathlib import Path

import pytest

from cli import environment
from cli.environment import SPANS, settings_from
from domain.errors import InvalidInput


def test_nothing_said_means_ray_with_a_host_for_each_core_and_everything_embedded() -> None:
    settings = settings_from({})
    assert (settings.runtime, settings.hosts, settings.ray_address, settings.database_url) == ("ray", 0, "", "")


def test_an_option_comes_before_the_environment() -> None:
    settings = settings_from({"ABL_RUNTIME": "process", "ABL_HOSTS": "4"}, runtime="local")
    assert (settings.runtime, settings.hosts) == ("local", 4)


def test_an_unknown_runtime_is_refused_by_its_name() -> None:
    with pytest.raises(InvalidInput, match="runtime"):
        settings_from({"ABL_RUNTIME": "thread"})


def test_a_ray_cluster_needs_a_database_that_its_machines_reach() -> None:
    with pytest.raises(InvalidInput, match="DATABASE_URL"):
        settings_from({}, address="10.0.0.1:6379")
    settings = settings_from({"DATABASE_URL": "postgresql://db/abl"}, address="10.0.0.1:6379")
    assert settings.ray_address == "10.0.0.1:6379"


def test_how_long_a_quiet_session_stays_awake_is_said_in_seconds() -> None:
    limits = settings_from({"ABL_SESSION_IDLE_S": "1.5"}).limits
    assert (limits.idle_s, limits.sweep_s) == (1.5, 1.5)
    with pytest.raises(InvalidInput, match="ABL_SESSION_IDLE_S"):
        settings_from({"ABL_SESSION_IDLE_S": "soon"})


@pytest.mark.parametrize("name", ["ABL_HOSTS", "ABL_MAX_HOSTS", "ABL_MAX_DEDICATED", "ABL_PORT"])
def test_what_is_no_number_is_refused_by_the_name_of_its_variable(name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        settings_from({name: "many"})


def test_a_runtime_that_does_not_exist_is_answered_with_those_that_do() -> None:
    with pytest.raises(InvalidInput, match="take ray, process or local"):
        settings_from({}, runtime="rey")


def test_fewer_hosts_than_none_are_refused() -> None:
    with pytest.raises(InvalidInput, match="0 for one per core"):
        settings_from({}, hosts=-3)


def test_what_is_kept_for_long_and_the_keys_of_secrets_can_be_set() -> None:
    settings = settings_from(dict.fromkeys(SPANS.values(), "7") | {"ABL_MASTER_KEYS": "a,b"})
    assert [getattr(settings, one) for one in SPANS] == [7.0] * len(SPANS)
    assert settings.master_keys == "a,b"


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_a_time_or_a_count_of_nothing_is_refused_by_the_name_of_its_variable(value: str) -> None:
    with pytest.raises(InvalidInput, match="ABL_TRACE_DAYS"):
        settings_from({"ABL_TRACE_DAYS": value})


def test_half_a_connection_is_refused() -> None:
    with pytest.raises(InvalidInput, match="database_connections"):
        settings_from({"ABL_DATABASE_CONNECTIONS": "1.5"})


def test_the_page_of_settings_names_exactly_the_variables_that_are_read() -> None:
    variable = re.compile(r"\b(?:ABL_[A-Z_]+|OPENAI_API_KEY|DATABASE_URL|REDIS_URL)\b")
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    read = set(variable.findall(Path(environment.__file__).read_text("utf-8")))
    assert set(variable.findall(page)) == read
