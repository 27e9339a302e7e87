"""Everything the runtime may be told: a frozen tree with a default for every key, so that nothing has to be set.

`cli.environment` reads it from the environment; tests replace a few fields.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from actors.session_host import HostLimits
from domain.json_values import JsonObject
from domain.limits import SESSION_IDLE_S, SUSPENSION_DEFAULT_S, TRACES_KEPT_DAYS


class ModelProvider(Struct, frozen=True, kw_only=True):
    """One provider of chat models; `kind` is a key of `providers.registry.ADAPTERS`."""

    name: str
    kind: str = "openai_compatible"
    base_url: str = ""
    api_key: str = ""
    models: tuple[str, ...] = ()
    options: JsonObject = field(default_factory=dict)


class Settings(Struct, frozen=True, kw_only=True):
    """What the runtime is told.

    Attributes:
        data_dir: Folder of the embedded servers and of secrets made at the first start.
        database_url, redis_url: Servers to use instead of the embedded ones; empty means embedded.
        runtime: `local` serves sessions in this process, `process` in child processes, `ray` in Ray actors.
        hosts: Session hosts at the least; 0 takes one for each core.
        max_hosts: Up to how many hosts there may be when they have much to do; 0 never takes more than `hosts`.
        max_dedicated: How many sessions of deployments with dedicated placement may be awake at once.
        ray_address: A Ray cluster that is there already; empty starts one for this process alone.
        public_url: Address under which the outside reaches callbacks; empty takes host and port.
        providers, default_model: Where models are, and the one for agents that name none.
        allowed_networks: Networks and names that HTTP tools may call besides public ones.
        rate_limits: Whether the gateway counts what callers use; off for benchmarks and behind another gateway.
        master_keys: Keys that seal secrets, as `storage.crypto.MasterKeys.parse` reads them; empty: one in data_dir.
        callback_ttl_s: How long a callback may be answered whose agent says nothing else.
        database_connections: Of each process, beside the journal's one.
        trace_days, journal_days: How long traces and journals are kept.
        session_idle_s: When a quiet session ends whose agent says nothing else.
        environment: Values of `env.` in agents.
    """

    data_dir: str = "data"
    database_url: str = ""
    redis_url: str = ""
    runtime: Literal["local", "process", "ray"] = "local"
    hosts: int = 0
    max_hosts: int = 0
    max_dedicated: int = 32
    ray_address: str = ""
    host: str = "127.0.0.1"
    port: int = 8400
    public_url: str = ""
    providers: tuple[ModelProvider, ...] = ()
    default_model: str = ""
    allowed_networks: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    limits: HostLimits = HostLimits()
    master_keys: str = ""
    callback_ttl_s: float = float(SUSPENSION_DEFAULT_S)
    trace_days: float = float(TRACES_KEPT_DAYS)
    journal_days: float = 365.0
    session_idle_s: float = float(SESSION_IDLE_S)
    database_connections: int = 10
    rate_limits: bool = True
    link_token: str = ""
