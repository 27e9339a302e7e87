"""Who asked for an action, as the audit log names them. Spec: platform-api 14.7."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from domain.audit import Actor, Initiator
from domain.request_keys import owned_key
from gateway.access import REPLY_NAME, REQUEST_ID, admission_of
from gateway.gate import UNKNOWN_ADDRESS


def initiator_of(request: Request) -> Initiator:
    """Return who sends this request: the user or the key that was let in, the address, and the request's id."""
    admission = admission_of(request)
    caller = admission.caller
    label = admission.logged_in.user.email if admission.logged_in is not None else caller.subject
    address = request.client.host if request.client else UNKNOWN_ADDRESS
    actor, name = Actor(caller.kind, caller.subject, label), request.scope.get(REPLY_NAME)
    request_key = owned_key("change", name.scope, name.key) if name is not None else ""
    return Initiator(actor, address, str(request.scope.get(REQUEST_ID, "")), request_key)


async def _initiator(request: Request) -> Initiator:
    return initiator_of(request)


Asking = Annotated[Initiator, Depends(_initiator)]
"""Parameter of a route whose action is audited."""
