"""The life of a deployment as a table: what each event makes of it, and what else happens then. Spec: platform-api 3.2.

A deployment is active, retired and draining (its sessions go on, new ones are refused), or retired and done.
"""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Final

from msgspec import Struct

from domain.errors import Conflict

ENVIRONMENTS: Final = ("dev", "staging", "production")
BY_DEFAULT: Final = ("production", "staging", "dev")
"""Where a session runs that names nothing: the first of these with an active deployment, else the drafts."""
AUTO: Final = "auto"
"""In a manifest: freeze the present draft as a new version."""
DRAIN_ENDS: Final = "deployment_retired"
"""Why a session ends that was left over on a retired deployment."""


class Standing(StrEnum):
    """How a deployment stands."""

    ACTIVE = "active"
    DRAINING = "draining"
    RETIRED = "retired"

    @property
    def status(self) -> str:
        """Return what callers are told: `active` or `retired`."""
        return "active" if self is Standing.ACTIVE else "retired"


class DeploymentEvent(StrEnum):
    """What can happen to a deployment."""

    CREATE = "create"
    REPLACED = "replaced"
    RETIRE = "retire"
    FORCE = "force"
    LAST_SESSION_ENDED = "last_session_ended"
    DRAIN_TIMEOUT = "drain_timeout"
    ROLLBACK = "rollback"
    RESTORED = "restored"
    PROMOTE = "promote"


class Transition(Struct, frozen=True, kw_only=True):
    """What an event makes of a deployment.

    Attributes:
        to: How it stands afterwards.
        retires_active: The active deployment of the environment is replaced.
        restores_predecessor: The one of the environment that was retired last becomes active.
        ends_sessions: Its sessions end with `deployment_retired`.
        makes_another: A new deployment with the same manifest is made in the target environment.
    """

    to: Standing
    retires_active: bool = False
    restores_predecessor: bool = False
    ends_sessions: bool = False
    makes_another: bool = False


_A, _D, _R = Standing.ACTIVE, Standing.DRAINING, Standing.RETIRED
_E = DeploymentEvent
TRANSITIONS: Final = MappingProxyType(
    {
        (None, _E.CREATE): Transition(to=_A, retires_active=True),
        (_A, _E.REPLACED): Transition(to=_D),
        (_A, _E.RETIRE): Transition(to=_D),
        (_A, _E.FORCE): Transition(to=_R, ends_sessions=True),
        (_D, _E.FORCE): Transition(to=_R, ends_sessions=True),
        (_D, _E.LAST_SESSION_ENDED): Transition(to=_R),
        (_D, _E.DRAIN_TIMEOUT): Transition(to=_R, ends_sessions=True),
        (_A, _E.ROLLBACK): Transition(to=_D, restores_predecessor=True),
        (_D, _E.ROLLBACK): Transition(to=_A, retires_active=True),
        (_R, _E.ROLLBACK): Transition(to=_A, retires_active=True),
        (_D, _E.RESTORED): Transition(to=_A),
        (_R, _E.RESTORED): Transition(to=_A),
        (_A, _E.PROMOTE): Transition(to=_A, makes_another=True),
        (_D, _E.PROMOTE): Transition(to=_D, makes_another=True),
        (_R, _E.PROMOTE): Transition(to=_R, makes_another=True),
    }
)
"""(How it stands, what happens) -> what comes of it; whatever has no row is refused."""


def standing(status: str, draining: bool) -> Standing:
    """Return how a stored deployment stands.

    >>> standing("retired", True)
    <Standing.DRAINING: 'draining'>
    """
    if status == "active":
        return Standing.ACTIVE
    return Standing.DRAINING if draining else Standing.RETIRED


def transition(now: Standing | None, event: DeploymentEvent) -> Transition:
    """Return what an event makes of a deployment that stands like this; None is one that is not there yet.

    Raises:
        Conflict: It cannot happen now; `details["reason"]` says why.
    """
    found = TRANSITIONS.get((now, event))
    if found is not None:
        return found
    if now in (Standing.DRAINING, Standing.RETIRED):
        raise Conflict("Deployment is already retired", details={"reason": "ALREADY_RETIRED"})
    raise Conflict("Deployment is already active", details={"reason": "ALREADY_ACTIVE"})


def no_predecessor() -> Conflict:
    """Return the error of a rollback behind which nothing stands."""
    return Conflict("There is no earlier deployment in this environment", details={"reason": "NO_PREVIOUS_DEPLOYMENT"})


def label_of(label: str | None, slug: str) -> str:
    """Return how a deployment is called: by its endpoint, unless it was given a label. Decision 0040.

    >>> label_of("first", "shop-dev-0000-000000"), label_of(None, "shop-dev-0000-000000")
    ('first', 'shop-dev-0000-000000')
    """
    return slug if label is None else label


def endpoint_slug(project_slug: str, environment: str, bits: int) -> str:
    """Return `<project slug>-<environment>-<4 base36>-<6 hex>`, the last two made of random `bits` (45 are used).

    >>> endpoint_slug("shop", "dev", 0)
    'shop-dev-0000-000000'
    """
    bits, tail = divmod(bits, 16**6)
    word = ""
    for _ in range(4):
        bits, digit = divmod(bits, 36)
        word = "0123456789abcdefghijklmnopqrstuvwxyz"[digit] + word
    return f"{project_slug}-{environment}-{word}-{tail:06x}"
