"""How Ray is started here: small, private, on loopback, and told nothing to anybody. Nothing in this module loads Ray.

Ray starts, names, places and restarts hosts; no turn, token or frame goes through it. What it needs for that is little:
the object store is as small as it may be, and there is no dashboard.
"""

from __future__ import annotations

import hashlib
import logging
from typing import Any

from actors.placement import node_resources
from actors.settings import Settings

LOOPBACK = "127.0.0.1"
LOCAL = "local"
OBJECT_STORE_BYTES = 80 * 1024**2
"""Data does not go through it; the least that Ray accepts is 75 MiB."""
NAMESPACE_CHARS = 12
ENVIRONMENT = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_AUTH_MODE": "token",
    "RAY_worker_niceness": "0",  # hosts are as urgent as the gateway that waits for them
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # what it really says: this machine alone, so listen on loopback only
}
"""What Ray reads from the environment of the process that starts it, beside the place of its token."""
TOKEN_PATH = "RAY_AUTH_TOKEN_PATH"


def namespace_of(settings: Settings) -> str:
    """Return the namespace of an installation: two of them on one cluster do not see each other's hosts."""
    return f"abl-{hashlib.sha256(settings.database_url.encode()).hexdigest()[:NAMESPACE_CHARS]}"


def own_cluster(settings: Settings, temporary_folder: str, cores: int, hosts: int) -> dict[str, Any]:
    """Return the arguments of `ray.init` for a cluster of this machine alone, which ends with this process."""
    resources = node_resources(cores)
    resources["session_host"] = float(max(hosts, settings.max_hosts))
    resources["dedicated_host"] = float(max(1, settings.max_dedicated))
    return {
        **_common(settings),
        "address": LOCAL,  # never a cluster that happens to be named in a file or in the environment
        "num_cpus": cores,
        "resources": resources,
        "include_dashboard": False,
        "object_store_memory": OBJECT_STORE_BYTES,
        "_temp_dir": temporary_folder,
        "_node_ip_address": LOOPBACK,
    }


def given_cluster(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `ray.init` for a cluster that is there already."""
    return {**_common(settings), "address": settings.ray_address}


def _common(settings: Settings) -> dict[str, Any]:
    return {
        "namespace": namespace_of(settings),
        "log_to_driver": False,
        "logging_level": logging.ERROR,
    }
