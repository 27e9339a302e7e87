"""Everything the runtime may be told: a frozen tree with a default for every key, so that nothing has to be set.

`cli.environment` reads it from the environment; tests replace a few fields.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct, field

from domain.json_values import JsonObject
from domain.limits import (
    ANALYTICS_KEPT_DAYS,
    AUDIT_KEPT_DAYS,
    EXECUTION_QUEUE_TURNS,
    SESSION_IDLE_S,
    SUSPENSION_DEFAULT_S,
    TRACES_KEPT_DAYS,
    TURN_DEADLINE_S,
)
from providers.mcp.servers import McpServer
from providers.specs import Price


class HostLimits(Struct, frozen=True):
    """What one host carries.

    Attributes:
        max_at_once: Messages under way, those that run and those that wait.
        max_waiting: Turns that wait behind another one of their session. Spec: platform-api 2.5.
        idle_s: A session that has been quiet for so long is let go.
        pressure_bytes: Resident memory above which quiet sessions are let go early, the longest quiet first.
    """

    max_sessions: int = 20_000
    max_at_once: int = 5_000
    max_waiting: int = EXECUTION_QUEUE_TURNS
    idle_s: float = 300.0
    sweep_s: float = 5.0
    pressure_bytes: int = 2 * 1024**3


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
        hosts_end_after_s: How long hosts on a Ray cluster live on when no gateway is there.
        max_dedicated: How many sessions of deployments with dedicated placement may be awake at once.
        mode: `production` refuses what is for trying things out only; see `actors.production`.
        ray_address: A Ray cluster that is there already; empty starts one for this process alone.
        metrics_port: Where health and metrics are served beside; 0: at `port` only, and metrics there too.
        public_url: Address under which the outside reaches callbacks; empty takes host and port.
        providers, default_model: Where models are, and the one for agents that name none.
        prices: `provider/model` or model -> its price, before that of the catalog.
        embedded_model: `off`, a size (`0.5b`, `1.5b`) or a .gguf file; empty: the small one, if no other model is set.
        embedded_threads: Of its computation; 0 leaves one core to everything else.
        models_dir: Where its files are kept; empty: there is none unless it is a file of one's own.
        pull_model: Whether its file is fetched in the background when it is not there.
        allowed_networks: Networks and names that HTTP tools and agents elsewhere may be at, besides public ones.
        is_server: Whether this process serves: no other server may then work on its database, but those of one Ray.
        trusted_proxies: Addresses and networks of balancers, whose word on a client's address is believed; empty: of
            nobody.
        rates: Limits of platform-api 2.5 in camelCase -> how much, before the numbers there; 0 is no limit.
        rate_limits: Whether the gateway counts what callers use; off for benchmarks and behind another gateway.
        master_keys: Keys that seal secrets, as `storage.crypto.MasterKeys.parse` reads them; empty: one in data_dir.
        callback_ttl_s: How long a callback may be answered whose agent says nothing else.
        database_connections: Of each process, beside the journal's one.
        trace_days, journal_days, audit_days, analytics_days: How long traces, journals, the audit log and single
            events of analytics are kept; sums of events are kept for a year.
        session_idle_s: When a quiet session ends whose agent says nothing else.
        environment: Values of `env.` in agents.
        mcp_servers: MCP servers that tools may name; the only place where a program to start can be named.
        otlp_endpoint: An OpenTelemetry collector that gets every turn as spans; empty sends none.
        otlp_headers: What it is sent beside, such as a key.
        blob_dir: Folder of attachments, which every gateway sees; empty keeps them in the database.
        sandbox_secret: Signs the tokens of sandboxed code, older ones after it with commas; empty: a file in data_dir.
        token_secrets: Sign all other tokens, the current one first, with commas; empty: a file in data_dir.
        tool_mocks: Answers of tools that sessions of working copies get in the place of calls, as `toolMocks` of
            platform-api 4.1; for trying an agent whose tools are not there.
    """

    data_dir: str = "data"
    database_url: str = ""
    redis_url: str = ""
    runtime: Literal["local", "process", "ray"] = "local"
    hosts: int = 0
    max_hosts: int = 0
    max_dedicated: int = 32
    hosts_end_after_s: float = float(TURN_DEADLINE_S)
    mode: Literal["development", "production"] = "development"
    ray_address: str = ""
    host: str = "127.0.0.1"
    port: int = 8400
    metrics_port: int = 0
    public_url: str = ""
    providers: tuple[ModelProvider, ...] = ()
    default_model: str = ""
    embedded_model: str = ""
    embedded_threads: int = 0
    models_dir: str = ""
    pull_model: bool = False
    prices: dict[str, Price] = field(default_factory=dict)
    allowed_networks: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    limits: HostLimits = HostLimits()
    master_keys: str = ""
    callback_ttl_s: float = float(SUSPENSION_DEFAULT_S)
    trace_days: float = float(TRACES_KEPT_DAYS)
    journal_days: float = 365.0
    audit_days: float = float(AUDIT_KEPT_DAYS)
    analytics_days: float = float(ANALYTICS_KEPT_DAYS)
    session_idle_s: float = float(SESSION_IDLE_S)
    database_connections: int = 10
    rates: dict[str, int] = field(default_factory=dict)
    rate_limits: bool = True
    trusted_proxies: tuple[str, ...] = ()
    mcp_servers: dict[str, McpServer] = field(default_factory=dict)
    sandbox_secret: str = ""
    token_secrets: str = ""
    blob_dir: str = ""
    otlp_endpoint: str = ""
    otlp_headers: dict[str, str] = field(default_factory=dict)
    link_token: str = ""
    tool_mocks: tuple[JsonObject, ...] = ()
    is_server: bool = False
