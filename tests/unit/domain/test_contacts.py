"""Under which identity a contact is known again. Spec: platform-api 7.4."""

from __future__ import annotations

import pytest

from domain.contacts import ContactFields, identity_key


@pytest.mark.parametrize(
    ("kind", "identity", "key"),
    [
        ("email", "Ada@Example.COM", "ada@example.com"),
        ("email", "STRA\u00dfE@example.com", "strasse@example.com"),
        ("phone", "+49 1", "+49 1"),
        ("external", "A-17", "A-17"),
        ("email", None, None),
        (None, None, None),
    ],
)
def test_only_emails_are_the_same_in_any_case(kind: str | None, identity: str | None, key: str | None) -> None:
    assert identity_key(kind, identity) == key


def test_a_contact_of_whom_nothing_is_said_is_a_customer() -> None:
    contact = ContactFields()
    assert (contact.type, contact.identity, contact.metadata, contact.tags) == ("customer", None, {}, [])
