"""Where a session's actor lives, and what each kind of actor asks of a node.

`packed`, the default: thousands of sessions in one host. `dedicated`: a host of its own, and so a process of its own,
for one session; for code that is not trusted and for very heavy sessions. A deployment says it in its details as
`placement`. Ray's custom resources are named here and nowhere else; `ray_cluster.yaml` uses the same names.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from domain.errors import InvalidInput

PLACEMENT = "placement"
"""Key in the details of a deployment."""
DEDICATED_PREFIX = "solo-"
SLOT_PREFIX = "host-"


class Placement(StrEnum):
    """How sessions share processes."""

    PACKED = "packed"
    DEDICATED = "dedicated"


class ActorKind(StrEnum):
    """What runs as a Ray actor; the value is the name of its custom resource."""

    SESSION_HOST = "session_host"
    DEDICATED_HOST = "dedicated_host"
    VOICE_WORKER = "voice_worker"
    EVAL_WORKER = "eval_worker"


@dataclass(frozen=True, slots=True)
class Size:
    """What one actor takes from a node.

    Attributes:
        cpus: Of the node's processors, as Ray counts them; 0 where the custom resource alone is the limit.
        per_core: How many of its kind a node has room for on each core.
        memory_mib: What it holds when it begins, for those who plan machines.
    """

    cpus: float
    per_core: float
    memory_mib: int


SIZES: Mapping[ActorKind, Size] = {
    ActorKind.SESSION_HOST: Size(cpus=0, per_core=1, memory_mib=80),
    ActorKind.DEDICATED_HOST: Size(cpus=0, per_core=16, memory_mib=80),
    ActorKind.VOICE_WORKER: Size(cpus=0, per_core=1, memory_mib=400),
    ActorKind.EVAL_WORKER: Size(cpus=1, per_core=1, memory_mib=150),
}


def node_resources(cores: int) -> dict[str, float]:
    """Return the custom resources that a node with so many cores offers.

    >>> node_resources(4)["session_host"]
    4.0
    """
    return {kind.value: float(max(1, int(size.per_core * cores))) for kind, size in SIZES.items()}


def actor_options(kind: ActorKind) -> dict[str, Any]:
    """Return what an actor of this kind asks for, as Ray's `options` takes it; they are spread over the nodes.

    >>> actor_options(ActorKind.SESSION_HOST)
    {'num_cpus': 0, 'resources': {'session_host': 1}, 'scheduling_strategy': 'SPREAD'}
    """
    return {"num_cpus": SIZES[kind].cpus, "resources": {kind.value: 1}, "scheduling_strategy": "SPREAD"}


def placement_of(details: Mapping[str, Any]) -> Placement:
    """Return what the details of a deployment say.

    Raises:
        InvalidInput: They name a placement that there is not.
    """
    try:
        return Placement(details.get(PLACEMENT, Placement.PACKED))
    except ValueError as error:
        raise InvalidInput(f"placement is {details[PLACEMENT]!r}, neither packed nor dedicated") from error


def slot_host(slot: int) -> str:
    """Return the id of the host in a slot."""
    return f"{SLOT_PREFIX}{slot}"


def slot_of(host_id: str) -> int:
    """Return the slot of a shared host.

    >>> slot_of(slot_host(3))
    3
    """
    return int(host_id.removeprefix(SLOT_PREFIX))


def dedicated_host(session_id: str) -> str:
    """Return the id of the host that is there for one session, and for what it delegates, alone."""
    return DEDICATED_PREFIX + session_id


def is_dedicated(host_id: str) -> bool:
    """Return whether a host is there for one session alone."""
    return host_id.startswith(DEDICATED_PREFIX)


def kind_of(host_id: str) -> ActorKind:
    """Return what kind of actor carries a host."""
    return ActorKind.DEDICATED_HOST if is_dedicated(host_id) else ActorKind.SESSION_HOST
