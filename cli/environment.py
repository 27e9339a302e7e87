"""Environment -> settings; the only reader of the environment. What an option of the command line says comes first."""

from __future__ import annotations

from collections.abc import Mapping, Set
from ipaddress import ip_network
from math import inf
from pathlib import Path

import msgspec

from abl.variables import VariablesFault
from actors.production import PRODUCTION
from actors.settings import ModelProvider, Settings
from cli.mocks import tool_mocks
from cli.variables import Given
from domain.errors import InvalidInput
from domain.rates import SPELLED
from providers.catalog import DEFAULTS, vendor_of_name
from providers.mcp.servers import McpServer, read_servers
from providers.specs import Price

PREFIX = "ABL_"
VARIABLES = frozenset(
    f"ABL_{name}"
    for name in (
        *(
            "ALLOWED_NETWORKS",
            "ANALYTICS_DAYS",
            "AUDIT_DAYS",
            "BLOB_DIR",
            "CALLBACK_TTL_S",
            "DATABASE_CONNECTIONS",
            "DATA_DIR",
            "EMBEDDED_MODEL",
            "EMBEDDED_THREADS",
        ),
        *(
            "HOST",
            "HOSTS",
            "HOSTS_END_AFTER_S",
            "JOURNAL_DAYS",
            "LINK_TOKEN",
            "MASTER_KEYS",
            "MAX_DEDICATED",
            "MAX_HOSTS",
            "MCP_SERVERS",
        ),
        *(
            "METRICS_PORT",
            "MODE",
            "MODEL",
            "MODELS_DIR",
            "MODEL_KEY",
            "MODEL_URL",
            "OTLP_ENDPOINT",
            "OTLP_HEADERS",
            "PORT",
            "PRICES",
            "PUBLIC_URL",
            "RATES",
            "RATE_LIMITS",
            "RAY_ADDRESS",
        ),
        *("RUNTIME", "SANDBOX_SECRET", "SCRIPTED", "SESSION_END_AFTER_S", "SESSION_IDLE_S", "TOOL_MOCKS", "TRACE_DAYS"),
        *("TOKEN_SECRETS", "TRUSTED_PROXIES"),
    )
)
"""Every variable of this prefix that is read, but for those of agents; `docs/settings.md` has them all."""
MAX_SWEEP_S = 5.0
DEFAULT_RUNTIME = "ray"
SPANS = {
    "callback_ttl_s": "ABL_CALLBACK_TTL_S",
    "trace_days": "ABL_TRACE_DAYS",
    "journal_days": "ABL_JOURNAL_DAYS",
    "audit_days": "ABL_AUDIT_DAYS",
    "analytics_days": "ABL_ANALYTICS_DAYS",
    "session_idle_s": "ABL_SESSION_END_AFTER_S",
    "database_connections": "ABL_DATABASE_CONNECTIONS",
    "hosts_end_after_s": "ABL_HOSTS_END_AFTER_S",
}
"""Settings that are more than zero -> their variables."""
RUNTIMES = ("ray", "process", "local")
MODES = ("development", PRODUCTION)
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-4o-mini"
KEYS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
}
"""Provider -> the variables its key may stand in; its kind has the same name, but for OpenAI."""
VENDORS = {"openai": "openai", "anthropic": "anthropic", "google": "gemini"}
"""Vendor of the catalog -> the provider that serves its models."""


def settings_from(
    environment: Mapping[str, str],
    *,
    runtime: str = "",
    hosts: int | None = None,
    address: str = "",
    host: str = "",
    port: int | None = None,
    data_dir: str = "",
    pull_model: bool = False,
    mocks: str = "",
    variables: Given | None = None,
) -> Settings:
    """Return the settings that environment and options give together.

    Raises:
        InvalidInput: A value has the wrong form; the message names its variable.
    """
    given: dict[str, object] = {
        "data_dir": data_dir or environment.get("ABL_DATA_DIR", ""),
        "database_url": environment.get("DATABASE_URL", ""),
        "redis_url": environment.get("REDIS_URL", ""),
        "runtime": runtime or environment.get("ABL_RUNTIME", "") or DEFAULT_RUNTIME,
        "mode": environment.get("ABL_MODE", ""),
        "metrics_port": _integer(environment, "ABL_METRICS_PORT"),
        "ray_address": address or environment.get("ABL_RAY_ADDRESS", ""),
        "max_hosts": _integer(environment, "ABL_MAX_HOSTS"),
        "max_dedicated": _integer(environment, "ABL_MAX_DEDICATED"),
        "hosts": hosts if hosts is not None else _integer(environment, "ABL_HOSTS"),
        "host": host or environment.get("ABL_HOST", ""),
        "port": port if port is not None else _integer(environment, "ABL_PORT"),
        "embedded_model": environment.get("ABL_EMBEDDED_MODEL", ""),
        "embedded_threads": _integer(environment, "ABL_EMBEDDED_THREADS"),
        "models_dir": str(models_folder(environment)),
        "pull_model": pull_model,
        "public_url": environment.get("ABL_PUBLIC_URL", ""),
        "allowed_networks": tuple(environment.get("ABL_ALLOWED_NETWORKS", "").replace(",", " ").split()),
        "trusted_proxies": _networks(environment, "ABL_TRUSTED_PROXIES"),
        "link_token": environment.get("ABL_LINK_TOKEN", ""),
        "master_keys": environment.get("ABL_MASTER_KEYS", ""),
        **{setting: _more_than_zero(environment, name) for setting, name in SPANS.items()},
        "blob_dir": environment.get("ABL_BLOB_DIR", ""),
        "otlp_endpoint": environment.get("ABL_OTLP_ENDPOINT", ""),
        "otlp_headers": _pairs(environment, "ABL_OTLP_HEADERS"),
        "token_secrets": environment.get("ABL_TOKEN_SECRETS", ""),
        "sandbox_secret": environment.get("ABL_SANDBOX_SECRET", ""),
        "mcp_servers": _mcp_servers(environment.get("ABL_MCP_SERVERS", "")),
        "prices": _prices(environment.get("ABL_PRICES", "")),
        "tool_mocks": tool_mocks(mocks or environment.get("ABL_TOOL_MOCKS", "")),
        "rates": _rates(environment),
        "rate_limits": environment.get("ABL_RATE_LIMITS", "on") != "off",
        "environment": dict((variables or _given(environment)).env),
    }
    idle_s = _number(environment, "ABL_SESSION_IDLE_S")
    if idle_s is not None:
        given["limits"] = {"idle_s": idle_s, "sweep_s": min(MAX_SWEEP_S, idle_s)}
    providers, default_model = models_from(environment)
    set_values = {name: value for name, value in given.items() if value not in ("", None)}
    settings = _checked({**set_values, "providers": providers, "default_model": default_model})
    if settings.ray_address and not settings.database_url:
        raise InvalidInput(
            "A Ray cluster (--address) needs a database that all its machines reach: "
            "set DATABASE_URL, or leave --address out."
        )
    return settings


def _given(environment: Mapping[str, str]) -> Given:
    try:
        return Given.of(environment)
    except VariablesFault as error:
        raise InvalidInput(str(error)) from error


def models_folder(environment: Mapping[str, str]) -> Path:
    """Return where files of the embedded model are kept: a cache of the user, shared by all projects."""
    if named := environment.get("ABL_MODELS_DIR", ""):
        return Path(named).expanduser()
    cache = environment.get("XDG_CACHE_HOME", "")
    return (Path(cache) if cache else Path.home() / ".cache") / "abl" / "models"


def models_from(environment: Mapping[str, str]) -> tuple[tuple[ModelProvider, ...], str]:
    """Return the providers of chat models and the default model; nothing when none is configured.

    `ABL_SCRIPTED` names a JSON file with the table of the scripted model; `ABL_MODEL_URL` any server that speaks the
    OpenAI chat completions; a key of OpenAI, Anthropic or Gemini alone means its vendor. There may be several.

    Raises:
        InvalidInput: `ABL_MODEL` names a model of a provider that has no key; the sentence says which to set.
    """
    providers: list[ModelProvider] = []
    default = environment.get("ABL_MODEL", "")
    script = environment.get("ABL_SCRIPTED", "")
    if script:
        options = _script(script)
        providers.append(ModelProvider(name="scripted", kind="scripted", models=("default",), options=options))
        default = default or "scripted/default"
    url = environment.get("ABL_MODEL_URL", "")
    key = environment.get("ABL_MODEL_KEY", "") or environment.get("OPENAI_API_KEY", "")
    if url or key:
        providers.append(ModelProvider(name="openai", base_url=url or OPENAI_URL, api_key=key))
        default = default or f"openai/{OPENAI_MODEL}"
    for vendor, name in VENDORS.items():
        key = next((environment[one] for one in KEYS[name] if environment.get(one)), "")
        if key and name != "openai":
            providers.append(ModelProvider(name=name, kind=name, api_key=key))
            default = default or f"{name}/{DEFAULTS[vendor]['balanced']}"
    return tuple(providers), _named(default, {one.name for one in providers})


def _named(model: str, providers: Set[str]) -> str:
    """Return a model's name with its provider's."""
    head, slash, _ = model.partition("/")
    if not model or head in providers:
        return model
    wanted = head if slash else VENDORS.get(vendor_of_name(model), "")
    if wanted in providers:
        return f"{wanted}/{model}"
    if "openai" in providers:  # a server of one's own may serve models of any name
        return f"openai/{model}"
    if wanted in KEYS:
        raise InvalidInput(f"ABL_MODEL is {model!r}, and there is no key for it: set {' or '.join(KEYS[wanted])}")
    return model


def _rates(environment: Mapping[str, str]) -> dict[str, int] | None:
    """Return the limits of the instance that are set, by their names in camelCase."""
    told = environment.get("ABL_RATES", "")
    pairs = [pair.partition("=") for pair in told.split(",") if pair.strip()]
    given = {name.strip(): number.strip() for name, _, number in pairs}
    wrong = [name for name, number in given.items() if name not in SPELLED or not number.isdecimal()]
    if wrong:
        raise InvalidInput(
            f"ABL_RATES has the form requestsPerSecond=100, whole numbers with commas between several, "
            f"of {', '.join(SPELLED)}; not {', '.join(wrong)}"
        )
    return {name: int(number) for name, number in given.items()} or None


def _prices(path: str) -> dict[str, Price] | None:
    """Return the prices of a JSON file."""
    if not path:
        return None
    try:
        return msgspec.json.decode(Path(path).read_bytes(), type=dict[str, Price])
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput(f"ABL_PRICES: {path} cannot be read: {error}") from error


def _script(path: str) -> dict[str, object]:
    try:
        options = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, object])
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput(f"ABL_SCRIPTED: {path} cannot be read as JSON: {error}") from error
    return options


def _mcp_servers(path: str) -> dict[str, McpServer] | None:
    """Return the MCP servers of a JSON file."""
    if not path:
        return None
    try:
        return read_servers(Path(path).read_bytes())
    except OSError as error:
        raise InvalidInput(f"ABL_MCP_SERVERS: {path} cannot be read: {error.strerror}") from error
    except InvalidInput as error:
        raise InvalidInput(f"ABL_MCP_SERVERS: {path}: {error.message}") from error


def _pairs(environment: Mapping[str, str], name: str) -> dict[str, str] | None:
    """Return `name=value` pairs with commas between them."""
    pairs = [pair for pair in environment.get(name, "").split(",") if pair.strip()]
    if any("=" not in pair for pair in pairs):
        raise InvalidInput(f"{name} has the form name=value, with commas between several")
    return {key.strip().lower(): value.strip() for key, _, value in (pair.partition("=") for pair in pairs)} or None


def _networks(environment: Mapping[str, str], name: str) -> tuple[str, ...]:
    """Return addresses and networks with commas between them."""
    written = tuple(environment.get(name, "").replace(",", " ").split())
    for one in written:
        try:
            ip_network(one)
        except ValueError as error:
            raise InvalidInput(f"{name}: {one} is no address or network, as 10.0.0.7 or 10.0.0.0/8: {error}") from error
    return written


def _number(environment: Mapping[str, str], name: str) -> float | None:
    text = environment.get(name, "")
    if not text:
        return None
    try:
        return float(text)
    except ValueError as error:
        raise InvalidInput(f"{name} is {text!r}, not a number") from error


def _more_than_zero(environment: Mapping[str, str], name: str) -> float | None:
    value = _number(environment, name)
    if value is not None and not 0 < value < inf:
        raise InvalidInput(f"{name} is {value:g}; it has to be more than 0")
    return int(value) if value is not None and value.is_integer() else value


def _integer(environment: Mapping[str, str], name: str) -> int | None:
    text = environment.get(name, "")
    if not text:
        return None
    try:
        return int(text)
    except ValueError as error:
        raise InvalidInput(f"{name} is {text!r}, not a number") from error


def _checked(values: Mapping[str, object]) -> Settings:
    mode = values.get("mode", MODES[0])
    if mode not in MODES:
        raise InvalidInput(f"ABL_MODE is {mode!r}: take {' or '.join(MODES)}")
    runtime = values.get("runtime", RUNTIMES[0])
    if runtime not in RUNTIMES:
        raise InvalidInput(f"There is no runtime {runtime!r}: take {', '.join(RUNTIMES[:-1])} or {RUNTIMES[-1]}")
    try:
        settings = msgspec.convert(values, Settings)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"A setting has the wrong form: {error}") from error
    if settings.hosts < 0:
        raise InvalidInput(f"There cannot be {settings.hosts} hosts: take 1 or more, or 0 for one per core")
    return settings
