from __future__ import annotations

from engine.sensitive import masked


def test_sensitive_values_are_shown_as_their_field_says() -> None:
    assert masked({"name": "iban"}, "DE89") == "[REDACTED]"
    assert masked({"name": "iban", "sensitive_display": "replace"}, "DE89") == "[IBAN]"
    assert (
        masked(
            {"name": "n", "sensitive_display": "mask", "mask_config": {"show_first": 1, "show_last": 0, "char": "x"}},
            "abc",
        )
        == "axx"
    )


def test_a_masked_e_mail_keeps_its_domain_and_a_short_value_shows_nothing() -> None:
    field = {"name": "m", "sensitive_display": "mask", "mask_config": {"show_first": 1, "show_last": 1, "char": "*"}}
    assert masked(field, "anna@mail.example") == "a**a@mail.example"
    assert masked(field, "ab") == "**"
