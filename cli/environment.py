"""Environment -> settings; the only reader of the environment. What an option of the command line says comes first."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf
from pathlib import Path

import msgspec

from actors.settings import ModelProvider, Settings
from domain.errors import InvalidInput

PREFIX = "ABL_"
AGENT_PREFIX = "ABL_ENV_"
"""`ABL_ENV_SHOP_URL=...` is `env.SHOP_URL` in agents."""
MAX_SWEEP_S = 5.0
DEFAULT_RUNTIME = "ray"
SPANS = {
    "callback_ttl_s": "ABL_CALLBACK_TTL_S",
    "trace_days": "ABL_TRACE_DAYS",
    "journal_days": "ABL_JOURNAL_DAYS",
    "session_idle_s": "ABL_SESSION_END_AFTER_S",
    "database_connections": "ABL_DATABASE_CONNECTIONS",
}
"""Settings that are more than zero -> their variables."""
RUNTIMES = ("ray", "process", "local")
OPENAI_URL = "https://api.openai.com/v1"
OPENAI_MODEL = "gpt-4o-mini"


def settings_from(
    environment: Mapping[str, str],
    *,
    runtime: str = "",
    hosts: int | None = None,
    address: str = "",
    host: str = "",
    port: int | None = None,
    data_dir: str = "",
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
        "ray_address": address or environment.get("ABL_RAY_ADDRESS", ""),
        "max_hosts": _integer(environment, "ABL_MAX_HOSTS"),
        "max_dedicated": _integer(environment, "ABL_MAX_DEDICATED"),
        "hosts": hosts if hosts is not None else _integer(environment, "ABL_HOSTS"),
        "host": host or environment.get("ABL_HOST", ""),
        "port": port if port is not None else _integer(environment, "ABL_PORT"),
        "public_url": environment.get("ABL_PUBLIC_URL", ""),
        "allowed_networks": tuple(environment.get("ABL_ALLOWED_NETWORKS", "").replace(",", " ").split()),
        "link_token": environment.get("ABL_LINK_TOKEN", ""),
        "master_keys": environment.get("ABL_MASTER_KEYS", ""),
        **{setting: _more_than_zero(environment, name) for setting, name in SPANS.items()},
        "rate_limits": environment.get("ABL_RATE_LIMITS", "on") != "off",
        "environment": {
            name.removeprefix(AGENT_PREFIX): value
            for name, value in environment.items()
            if name.startswith(AGENT_PREFIX)
        },
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


def models_from(environment: Mapping[str, str]) -> tuple[tuple[ModelProvider, ...], str]:
    """Return the providers of chat models and the default model; nothing when none is configured.

    `ABL_SCRIPTED` names a JSON file with the table of the scripted model; `ABL_MODEL_URL` any server that speaks the
    OpenAI chat completions; `OPENAI_API_KEY` alone means OpenAI.
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
        if "/" not in default:
            default = f"openai/{default}"
    return tuple(providers), default


def _script(path: str) -> dict[str, object]:
    try:
        options = msgspec.json.decode(Path(path).read_bytes(), type=dict[str, object])
    except (OSError, msgspec.DecodeError) as error:
        raise InvalidInput(f"ABL_SCRIPTED: {path} cannot be read as JSON: {error}") from error
    return options


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
