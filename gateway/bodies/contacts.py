"""Bodies of contacts. Spec: platform-api 7.4."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from pydantic import AfterValidator, Field, StringConstraints

from domain import limits
from domain.clock import iso_ms
from domain.contacts import DEFAULT_TYPE, Contact, ContactFields, ContactType, IdentityType, with_identity_type
from domain.json_values import JsonValue
from gateway.bodies.texts import Id, RequestBody, without_nul
from gateway.envelope import Success, TotalOnlyPage, Wire

Type = Literal["employee", "customer", "anonymous"]
IdentityKind = Literal["email", "phone", "external"]
WHEN_CLEARED: dict[str, Any] = {"type": DEFAULT_TYPE, "metadata": {}, "tags": []}
"""What a field is after `null` where that is not simply nothing."""


def _small(metadata: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if len(orjson.dumps(metadata)) > limits.CONTACT_METADATA_MAX_BYTES:
        raise ValueError(f"must be at most {limits.CONTACT_METADATA_MAX_BYTES} bytes")
    return metadata


Identity = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.CONTACT_IDENTITY_MAX_CHARS),
    AfterValidator(without_nul),
]
Name = Annotated[str, StringConstraints(max_length=limits.CONTACT_NAME_MAX_CHARS), AfterValidator(without_nul)]
EmployeeId = Annotated[
    str, StringConstraints(max_length=limits.CONTACT_EMPLOYEE_ID_MAX_CHARS), AfterValidator(without_nul)
]
Text = Annotated[str, StringConstraints(max_length=limits.CONTACT_TEXT_MAX_CHARS), AfterValidator(without_nul)]
Tag = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.CONTACT_TAG_MAX_CHARS), AfterValidator(without_nul)
]


class ContactBody(RequestBody):
    """What is said of a contact: in a change only what is given changes, and `null` clears it."""

    type: Type | None = None
    identity: Identity | None = None
    identity_type: IdentityKind | None = None
    display_name: Name | None = None
    department: Text | None = None
    employee_id: EmployeeId | None = None
    company: Name | None = None
    account_ref: Text | None = None
    channel: Text | None = None
    metadata: Annotated[dict[str, JsonValue], AfterValidator(_small)] | None = None
    tags: Annotated[list[Tag], Field(max_length=limits.CONTACT_TAGS_MAX)] | None = None


class NewContactBody(ContactBody):
    """A contact to keep; an identity without a type is `external`, a type without one is kept for a later one."""


class LinkSessionBody(RequestBody):
    """The session that is with a contact."""

    session_id: Id


class ContactItem(Wire):
    """A contact."""

    id: str
    tenant_id: str
    type: Type
    identity: str | None
    identity_type: IdentityKind | None
    display_name: str | None
    department: str | None
    employee_id: str | None
    company: str | None
    account_ref: str | None
    channel: str | None
    metadata: dict[str, JsonValue] = Field(description="free JSON, as it was given")
    tags: list[str]
    first_seen_at: str
    last_seen_at: str
    deleted_at: str | None


class ContactReply(Success):
    """One contact."""

    data: ContactItem


class ContactListReply(TotalOnlyPage):
    """Some contacts, the newest first."""

    data: list[ContactItem]


class DeletedContact(Wire):
    """Since when a contact is found no more."""

    id: str
    deleted_at: str


class DeletedContactReply(Success):
    """The answer to a deletion."""

    data: DeletedContact


def new_contact(body: NewContactBody) -> ContactFields:
    """Return the contact that a body wants."""
    return with_identity_type(ContactFields(**changes_of(body)))


def changes_of(body: ContactBody) -> dict[str, Any]:
    """Return the fields that a body names, with what they are to be."""
    given = {name: getattr(body, name) for name in body.model_fields_set}
    cleared = {name: WHEN_CLEARED.get(name) for name, value in given.items() if value is None}
    kinds = {"type": ContactType, "identity_type": IdentityType}
    named = {name: kinds[name](value) for name, value in given.items() if name in kinds and value is not None}
    return {**given, **named, **cleared}


def contact_item(tenant_id: str, contact: Contact) -> ContactItem:
    """Return a contact as it is shown."""
    given = {name: getattr(contact, name) for name in ContactFields.__struct_fields__}
    return ContactItem(
        id=contact.contact_id,
        tenant_id=tenant_id,
        **given,
        first_seen_at=iso_ms(contact.first_seen_at),
        last_seen_at=iso_ms(contact.last_seen_at),
        deleted_at=iso_ms(contact.deleted_at) if contact.deleted_at is not None else None,
    )
