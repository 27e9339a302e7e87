"""The forms of the API about contacts. Made by tools/generate_client.py, not to be edited."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict


class ContactBody(TypedDict):
    """What is said of a contact: in a change only what is given changes, and `null` clears it."""

    type: NotRequired[Literal["employee", "customer", "anonymous"] | None]
    identity: NotRequired[str | None]
    identityType: NotRequired[Literal["email", "phone", "external"] | None]
    displayName: NotRequired[str | None]
    department: NotRequired[str | None]
    employeeId: NotRequired[str | None]
    company: NotRequired[str | None]
    accountRef: NotRequired[str | None]
    channel: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    tags: NotRequired[list[str] | None]


class ContactItem(TypedDict):
    """A contact."""

    id: str
    tenantId: str
    type: Literal["employee", "customer", "anonymous"]
    identity: str | None
    identityType: Literal["email", "phone", "external"] | None
    displayName: str | None
    department: str | None
    employeeId: str | None
    company: str | None
    accountRef: str | None
    channel: str | None
    metadata: dict[str, Any]
    tags: list[str]
    firstSeenAt: str
    lastSeenAt: str
    deletedAt: str | None


class ContactListReply(TypedDict):
    """Some contacts, the newest first."""

    success: NotRequired[Literal[True]]
    total: int
    data: list[ContactItem]


class ContactReply(TypedDict):
    """One contact."""

    success: NotRequired[Literal[True]]
    data: ContactItem


class DeletedContact(TypedDict):
    """Since when a contact is found no more."""

    id: str
    deletedAt: str


class DeletedContactReply(TypedDict):
    """The answer to a deletion."""

    success: NotRequired[Literal[True]]
    data: DeletedContact


class LinkSessionBody(TypedDict):
    """The session that is with a contact."""

    sessionId: str


class NewContactBody(TypedDict):
    """A contact to keep; an identity without a type is `external`, a type without one is kept for a ..."""

    type: NotRequired[Literal["employee", "customer", "anonymous"] | None]
    identity: NotRequired[str | None]
    identityType: NotRequired[Literal["email", "phone", "external"] | None]
    displayName: NotRequired[str | None]
    department: NotRequired[str | None]
    employeeId: NotRequired[str | None]
    company: NotRequired[str | None]
    accountRef: NotRequired[str | None]
    channel: NotRequired[str | None]
    metadata: NotRequired[dict[str, Any] | None]
    tags: NotRequired[list[str] | None]
