"""Names -> addresses that may be called: looked up once, judged all, and only what was judged is connected to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from functools import lru_cache
from typing import Final, TypeAlias

from providers.addresses import CLOUD, AddressPolicy, IPAddress, literal_address, plain_host, refusal
from providers.failures import CallFailed, FailureKind

LOOKUP_TIMEOUT_S: Final = 5.0
MAX_KEPT_LITERALS: Final = 1_024

Lookup: TypeAlias = Callable[[str, int], Awaitable[Sequence[str]]]
"""Host and port -> texts of addresses."""


async def system_lookup(host: str, port: int) -> Sequence[str]:
    """Return the addresses the system's resolver gives."""
    rows = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return tuple(dict.fromkeys(str(row[4][0]) for row in rows))


class GuardedResolver:
    """Gives the addresses of a host, or refuses."""

    def __init__(self, policy: AddressPolicy, lookup: Lookup = system_lookup) -> None:
        self._policy = policy
        self._lookup = lookup
        self._literal_refusal = lru_cache(maxsize=MAX_KEPT_LITERALS)(self._judged_literal)

    async def addresses(self, host: str, port: int) -> tuple[IPAddress, ...]:
        """Return the addresses of `host`, every one of which may be called.

        One refused address refuses the host: who answers with a mixture wants to be tried twice.

        Raises:
            CallFailed: REFUSED when the policy forbids it, CONNECT when the name has no address.
        """
        name = plain_host(host)
        if not name:
            raise CallFailed(FailureKind.INVALID, "The address has no host")
        spelled = literal_address(name)
        found = (spelled,) if spelled is not None else await self._found(name, port)
        if spelled is None and self._policy.names(name, port):
            return found
        is_listed = spelled is None and self._policy.allows_name(name, port)
        for address in found:
            reason = refusal(address, port, self._policy)
            if reason is not None and not (is_listed and reason != CLOUD):
                raise CallFailed(
                    FailureKind.REFUSED,
                    f"The host {name!r} may not be called: {address} is {reason}. "
                    "Allow it for the deployment if it is meant.",
                )
        return found

    def check_literal(self, host: str, port: int) -> None:
        """Refuse a host that spells a forbidden address; a name is judged when it is looked up."""
        refused = self._literal_refusal(host, port)
        if refused:
            raise CallFailed(FailureKind.REFUSED, refused)

    def _judged_literal(self, host: str, port: int) -> str:
        """Return why the address that `host` spells is refused: by its text and the policy, which never change."""
        spelled = literal_address(host)
        reason = refusal(spelled, port, self._policy) if spelled is not None else None
        return f"The address {spelled} may not be called: it is {reason}" if reason is not None else ""

    async def _found(self, name: str, port: int) -> tuple[IPAddress, ...]:
        try:
            async with asyncio.timeout(LOOKUP_TIMEOUT_S):
                texts = await self._lookup(name, port)
        except TimeoutError as error:
            raise CallFailed(FailureKind.TIMEOUT, f"The name {name!r} could not be looked up in time") from error
        except (OSError, UnicodeError) as error:
            raise CallFailed(FailureKind.CONNECT, f"The name {name!r} has no address") from error
        found = tuple(address for text in texts if (address := literal_address(text)) is not None)
        if not found:
            raise CallFailed(FailureKind.CONNECT, f"The name {name!r} has no address")
        return found
