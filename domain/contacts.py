"""Contacts: the people whom agents talk with, and by which identity they are known again. Spec: platform-api 7.4."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Final, TypeVar

import msgspec
from msgspec import Struct, field

from domain.json_values import JsonObject


class ContactType(StrEnum):
    """What somebody is to the tenant."""

    EMPLOYEE = "employee"
    CUSTOMER = "customer"
    ANONYMOUS = "anonymous"


class IdentityType(StrEnum):
    """What an identity is; emails are the same whatever the case of their letters."""

    EMAIL = "email"
    PHONE = "phone"
    EXTERNAL = "external"


DEFAULT_TYPE: Final = ContactType.CUSTOMER
DEFAULT_IDENTITY_TYPE: Final = IdentityType.EXTERNAL


class ContactFields(Struct, frozen=True, kw_only=True):
    """What a tenant says of a contact; None says nothing."""

    type: ContactType = DEFAULT_TYPE
    identity: str | None = None
    identity_type: IdentityType | None = None
    display_name: str | None = None
    department: str | None = None
    employee_id: str | None = None
    company: str | None = None
    account_ref: str | None = None
    channel: str | None = None
    metadata: JsonObject = field(default_factory=dict)
    tags: list[str] = field(default_factory=list)


Kept = TypeVar("Kept", bound=ContactFields)


class Contact(ContactFields, frozen=True, kw_only=True):
    """A contact as it is kept."""

    contact_id: str
    first_seen_at: datetime
    last_seen_at: datetime
    deleted_at: datetime | None = None


def with_identity_type(given: Kept) -> Kept:
    """Return what is said of a contact: an identity of which nobody says what it is, is an external one."""
    if given.identity is None or given.identity_type is not None:
        return given
    return msgspec.structs.replace(given, identity_type=DEFAULT_IDENTITY_TYPE)


def identity_key(identity_type: str | None, identity: str | None) -> str | None:
    """Return under what an identity is found and may stand once; None for none.

    >>> identity_key("email", "Ada@Example.com"), identity_key("external", "A-17")
    ('ada@example.com', 'A-17')
    """
    if identity is None:
        return None
    return identity.casefold() if identity_type == IdentityType.EMAIL else identity
