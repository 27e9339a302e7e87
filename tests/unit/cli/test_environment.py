import re
from pathlib import Path

import pytest

from cli import environment, variables
from cli.environment import SPANS, models_from, settings_from
from cli.variables import AGENT_PREFIX, CONFIG_PREFIX
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


def test_mcp_servers_stand_in_a_file(tmp_path: Path) -> None:
    place = tmp_path / "servers.json"
    place.write_text('{"mcpServers": {"files": {"command": "uvx"}}}')
    assert settings_from({"ABL_MCP_SERVERS": str(place)}).mcp_servers["files"].command == "uvx"
    place.write_text('{"files": {}}')
    with pytest.raises(InvalidInput, match="ABL_MCP_SERVERS.*needs a command or a url"):
        settings_from({"ABL_MCP_SERVERS": str(place)})
    with pytest.raises(InvalidInput, match="ABL_MCP_SERVERS.*No such file"):
        settings_from({"ABL_MCP_SERVERS": str(tmp_path / "none")})


@pytest.mark.parametrize("value", ["0", "-1", "inf", "nan"])
def test_a_time_or_a_count_of_nothing_is_refused_by_the_name_of_its_variable(value: str) -> None:
    with pytest.raises(InvalidInput, match="ABL_TRACE_DAYS"):
        settings_from({"ABL_TRACE_DAYS": value})


def test_half_a_connection_is_refused() -> None:
    with pytest.raises(InvalidInput, match="database_connections"):
        settings_from({"ABL_DATABASE_CONNECTIONS": "1.5"})


def test_the_page_of_settings_names_exactly_the_variables_that_are_read() -> None:
    variable = re.compile(r"\b(?:ABL_[A-Z_]+|[A-Z]+_API_KEY|DATABASE_URL|REDIS_URL)\b")
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    readers = (environment.__file__, variables.__file__)
    read = {name for file in readers for name in variable.findall(Path(str(file)).read_text("utf-8"))}
    assert set(variable.findall(page)) == read


def test_several_providers_are_there_at_once_and_the_first_one_answers_where_nobody_is_named() -> None:
    keys = {"ANTHROPIC_API_KEY": "a", "GOOGLE_API_KEY": "g", "OPENAI_API_KEY": "o"}
    providers, default = models_from(keys)
    assert [(one.name, one.kind, one.api_key) for one in providers] == [
        ("openai", "openai_compatible", "o"),
        ("anthropic", "anthropic", "a"),
        ("gemini", "gemini", "g"),
    ]
    assert default == "openai/gpt-4o-mini"


@pytest.mark.parametrize(
    ("environment", "default"),
    [
        ({"ANTHROPIC_API_KEY": "a"}, "anthropic/claude-sonnet-5-5"),
        ({"GEMINI_API_KEY": "g"}, "gemini/gemini-3.8-flash"),
        ({"ANTHROPIC_API_KEY": "a", "ABL_MODEL": "claude-haiku-5-5"}, "anthropic/claude-haiku-5-5"),
        ({"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o", "ABL_MODEL": "claude-x"}, "anthropic/claude-x"),
        ({"GOOGLE_API_KEY": "g", "ABL_MODEL": "gemini/gemini-4-argon"}, "gemini/gemini-4-argon"),
        ({"ABL_MODEL_URL": "http://here/v1", "ABL_MODEL": "claude-like"}, "openai/claude-like"),
        ({"ABL_MODEL_URL": "http://here/v1", "ABL_MODEL": "meta-llama/Llama-4"}, "openai/meta-llama/Llama-4"),
        ({}, ""),
    ],
)
def test_a_model_is_named_with_its_provider(environment: dict[str, str], default: str) -> None:
    assert models_from(environment)[1] == default


@pytest.mark.parametrize(
    ("model", "key"),
    [
        ("claude-opus-5-5", "ANTHROPIC_API_KEY"),
        ("anthropic/claude-opus-5-5", "ANTHROPIC_API_KEY"),
        ("gemini-4-argon", "GEMINI_API_KEY or GOOGLE_API_KEY"),
        ("gpt-4o", "OPENAI_API_KEY"),
    ],
)
def test_a_model_without_a_key_is_refused_with_the_key_to_set(model: str, key: str) -> None:
    with pytest.raises(InvalidInput, match=key):
        models_from({"ABL_MODEL": model})


def test_prices_can_be_set(tmp_path: Path) -> None:
    file = tmp_path / "prices.json"
    file.write_text('{"openai/gpt-4o": {"input": 1.0, "output": 2.0}}')
    assert settings_from({"ABL_PRICES": str(file)}).prices["openai/gpt-4o"].output == 2.0
    file.write_text('{"gpt-4o": {"input": "cheap"}}')
    with pytest.raises(InvalidInput, match="ABL_PRICES"):
        settings_from({"ABL_PRICES": str(file)})


def test_the_table_of_variables_is_the_page_of_settings() -> None:
    page = (Path(__file__).parents[3] / "docs" / "settings.md").read_text("utf-8")
    on_the_page = set(re.findall(r"\bABL_[A-Z_]+\b", page))
    of_agents = (AGENT_PREFIX, CONFIG_PREFIX)
    assert {name for name in on_the_page if not name.startswith(of_agents)} == environment.VARIABLES


def test_a_collector_of_spans_and_its_headers() -> None:
    said = {"ABL_OTLP_ENDPOINT": "http://collector:4318", "ABL_OTLP_HEADERS": "X-Key=a=b, Other = c"}
    settings = settings_from(said)
    assert (settings.otlp_endpoint, settings.otlp_headers) == ("http://collector:4318", {"x-key": "a=b", "other": "c"})
    assert (settings_from({}).otlp_endpoint, settings_from({}).otlp_headers) == ("", {})
    with pytest.raises(InvalidInput, match="ABL_OTLP_HEADERS"):
        settings_from({"ABL_OTLP_HEADERS": "key"})


def test_the_proxies_that_are_trusted_are_addresses_or_networks() -> None:
    assert settings_from({}).trusted_proxies == ()
    settings = settings_from({"ABL_TRUSTED_PROXIES": "10.0.0.7, 10.1.0.0/16,fd00::/8"})
    assert settings.trusted_proxies == ("10.0.0.7", "10.1.0.0/16", "fd00::/8")
    for wrong in ("*", "balancer.internal", "10.0.0.7/8"):
        with pytest.raises(InvalidInput, match="ABL_TRUSTED_PROXIES"):
            settings_from({"ABL_TRUSTED_PROXIES": wrong})


def test_the_secrets_of_tokens_can_be_set() -> None:
    assert settings_from({"ABL_TOKEN_SECRETS": "new,old"}).token_secrets == "new,old"


def test_limits_of_the_instance_are_read_by_name() -> None:
    assert environment.settings_from({"ABL_RATES": "requestsPerSecond=9, toolCallsPerMinute = 0"}).rates == {
        "requestsPerSecond": 9,
        "toolCallsPerMinute": 0,
    }


@pytest.mark.parametrize("told", ["requestsPerSecond", "requestsPerSecond=-1", "requestsPerSecond=1.5", "speed=1"])
def test_what_is_no_limit_is_refused(told: str) -> None:
    with pytest.raises(InvalidInput, match="ABL_RATES has the form requestsPerSecond=100"):
        environment.settings_from({"ABL_RATES": told})


def test_there_are_two_modes() -> None:
    assert environment.settings_from({"ABL_MODE": "production"}).mode == "production"
    with pytest.raises(InvalidInput, match="development or production"):
        environment.settings_from({"ABL_MODE": "staging"})
