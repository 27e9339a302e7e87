"""Lets callers in: credential, request rate, project, permission, in this order. Spec: platform-api 2.

The order is part of the contract: another tenant's project is 404 before the permission is looked at, so that nothing
is learnt about what exists elsewhere.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Protocol

from starlette.types import Scope

from actors.runtime import Caller
from actors.sandbox_tokens import SandboxTokens
from domain.clock import Clock
from domain.errors import Forbidden, NotFound, Unauthenticated, Unavailable
from domain.permissions import Permission, insufficient, may
from gateway import bounds
from gateway.access import RATE, Access, Admission
from gateway.auth.api_keys import ApiKeys
from gateway.auth.credentials import (
    SANDBOX,
    Credential,
    find_credential,
    find_public_key,
    find_sandbox_token,
)
from gateway.auth.origins import Whence, whence
from gateway.auth.public_keys import PublicKeys, check_origin
from gateway.auth.remembered import Remembered
from gateway.auth.sdk_tokens import SdkClaims, SdkTokens
from gateway.auth.user_tokens import UserTokens, caller_of
from gateway.headers import headers_of
from gateway.idempotency import Replies
from gateway.leaving import Leaving
from gateway.throttle import RateExceeded, Throttle, tightest

UNKNOWN_ADDRESS = "unknown"


class Projects(Protocol):
    """Where projects are kept."""

    async def exists(self, tenant_id: str, project_id: str) -> bool:
        """Return whether the tenant has this project."""
        ...


class Gate:
    """Decides who may come in."""

    def __init__(
        self,
        *,
        api_keys: ApiKeys,
        public_keys: PublicKeys,
        sdk_tokens: SdkTokens,
        sandbox_tokens: SandboxTokens | None,
        user_tokens: UserTokens,
        projects: Projects,
        throttle: Throttle,
        replies: Replies,
        leaving: Leaving,
        clock: Clock,
    ) -> None:
        self.replies = replies
        self._leaving = leaving
        self._api_keys = api_keys
        self._public_keys = public_keys
        self._sdk_tokens = sdk_tokens
        self._sandbox_tokens = sandbox_tokens
        self._user_tokens = user_tokens
        self._throttle = throttle
        self._projects = Remembered(
            _project_question(projects), clock, believed_s=bounds.CREDENTIAL_RECHECK_S, held=bounds.CREDENTIALS_HELD
        )

    async def admit(self, scope: Scope, access: Access) -> Admission | None:
        """Return who is calling, None where nobody is asked.

        Raises:
            Unauthenticated: No credential, a wrong one, or one of a kind that the route does not take.
            Overloaded: The tenant's request rate is exceeded.
            NotFound: The project of the path is not the caller's.
            Forbidden: The caller lacks the permission, or the page's origin is not allowed.
            Unavailable: The gateway ends.
        """
        self._leaving.check(access)
        if access.is_public:
            check_storable(scope)
            return None
        headers = headers_of(scope)
        admission = await self.identify(_credential_of(headers, access), access, headers)
        if access.rated:
            await self._count(scope, admission)
        check_storable(scope)
        project_id = scope["path_params"].get("project_id")
        if project_id is not None:
            await self.check_project(admission.caller, project_id)
        if access.permission is not None and admission.caller.kind != "sdk":
            check_permission(admission.caller, access.permission, project_id or "")
        return admission

    async def count_unrouted(self, scope: Scope, access: Access) -> None:
        """Count a request that no route takes for the tenant whose credential it brings; a bad one refuses nobody.

        What is answered is the same to everybody, so a credential that is wrong, or cannot be looked up now, only means
        that nobody is known to ask. Spec: platform-api 1.4.

        Raises:
            Overloaded: The tenant's request rate is exceeded.
        """
        if access.is_public or not access.rated:
            return
        headers = headers_of(scope)
        try:
            admission = await self.identify(_credential_of(headers, access), access, headers)
        except (Unauthenticated, Forbidden, Unavailable):
            return
        await self._count(scope, admission)

    async def identify(self, credential: Credential | None, access: Access, headers: Mapping[str, str]) -> Admission:
        """Return who brings a credential, if the route takes its kind."""
        if credential is None:
            raise Unauthenticated("Missing credentials")
        if credential.kind not in access.kinds:
            raise Unauthenticated("This credential is not accepted here")
        page = whence(headers)
        match credential.kind:
            case "api_key":
                return Admission(await self._api_keys.caller(credential.secret))
            case "sdk":
                claims = self._sdk_tokens.read(credential.secret, grace_s=access.token_grace_s)
                return await self.admit_sdk(claims, page)
            case "public_key":
                key = await self._public_keys.by_secret(credential.secret)
                check_origin(key, page)
                caller = Caller(
                    tenant_id=key.tenant_id,
                    subject=key.id,
                    permissions=frozenset(),
                    project_id=key.project_id,
                    kind="sdk",
                )
                return Admission(caller, key=key)
            case "sandbox":
                return self._admit_sandbox(credential.secret)
            case "user":
                logged_in = await self._user_tokens.logged_in(credential.secret)
                return Admission(caller_of(logged_in.user), logged_in=logged_in)

    def _admit_sandbox(self, token: str) -> Admission:
        if self._sandbox_tokens is None:
            raise Unavailable("Sandbox auth not configured")
        claims = self._sandbox_tokens.read(token)
        caller = Caller(claims.tenant_id, claims.session_id, frozenset(), claims.project_id, kind="sdk")
        return Admission(caller, sandbox=claims)

    async def admit_sdk(self, claims: SdkClaims, page: Whence) -> Admission:
        """Return the holder of an SDK token whose key is still live and whose page may use it."""
        key = await self._public_keys.by_id(claims.tenant_id, claims.key_id)
        check_origin(key, page)
        if not may(frozenset(claims.permissions), Permission.SESSION_SEND_MESSAGE):
            raise insufficient(Permission.SESSION_SEND_MESSAGE)
        return Admission(claims.caller(key), claims, key)

    async def check_project(self, caller: Caller, project_id: str, permission: Permission | None = None) -> None:
        """Refuse a project that the caller cannot see, or in which a user has not the permission of the route.

        Raises:
            NotFound: It is not there, or not the caller's.
            Forbidden: The user lacks the permission there.
        """
        if caller.projects is not None and project_id not in caller.projects:
            raise NotFound("Project not found")
        if permission is not None and caller.projects is not None:
            check_permission(caller, permission, project_id)
        if caller.project_id and caller.project_id != project_id:
            raise NotFound("Project not found")
        if not await self._projects.find(f"{caller.tenant_id}\0{project_id}"):
            raise NotFound("Project not found")

    def forget_project(self, tenant_id: str, project_id: str) -> None:
        """Ask the store again whether a project is there: it was deleted."""
        self._projects.forget(f"{tenant_id}\0{project_id}")

    def forget_tenant(self, tenant_id: str) -> None:
        """Ask the store again who its callers are and what projects it has: it was erased, or a part of it."""
        self._user_tokens.forget(tenant_id)
        self._api_keys.forget_all(tenant_id)
        self._public_keys.forget_all(tenant_id)
        self._projects.forget_all(lambda name, _: name.startswith(f"{tenant_id}\0"))

    async def _count(self, scope: Scope, admission: Admission) -> None:
        caller = admission.caller
        try:
            project_id = scope.get("path_params", {}).get("project_id") or caller.project_id or ""
            taken = await self._throttle.request(caller.tenant_id, project_id)
            if admission.key is not None and admission.claims is None:
                address = scope["client"][0] if scope.get("client") else UNKNOWN_ADDRESS
                taken = tightest([taken, await self._throttle.sdk_init(caller.tenant_id, admission.key.id, address)])
        except RateExceeded as excess:
            scope[RATE] = excess.taken
            raise
        scope[RATE] = taken


def _credential_of(headers: Mapping[str, str], access: Access) -> Credential | None:
    """Return the credential that a route looks for."""
    if SANDBOX in access.kinds:
        return find_sandbox_token(headers)
    return find_public_key(headers) if access.public_key_header else find_credential(headers)


def check_storable(scope: Scope) -> None:
    """Refuse a name in the path that no store can hold. Raises NotFound."""
    if any("\0" in name for name in scope["path_params"].values()):
        raise NotFound("Not found")


def check_permission(caller: Caller, permission: Permission, project_id: str = "") -> None:
    """Refuse a caller who lacks a permission in a project. Raises Forbidden."""
    if not may(caller.permissions_in(project_id), permission):
        raise insufficient(permission)


def check_any_permission(caller: Caller, permissions: Iterable[Permission], project_id: str) -> None:
    """Refuse a caller who has none of these permissions in a project. Raises Forbidden."""
    granted, wanted = caller.permissions_in(project_id), tuple(permissions)
    if not any(may(granted, one) for one in wanted):
        raise insufficient(" or ".join(wanted))


def _project_question(projects: Projects) -> Callable[[str], Awaitable[bool | None]]:
    async def exists(key: str) -> bool | None:
        tenant_id, _, project_id = key.partition("\0")
        return await projects.exists(tenant_id, project_id) or None

    return exists
