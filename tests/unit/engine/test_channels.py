from __future__ import annotations

from engine.channels import for_channel, without_markup

RICH = {"markdown": "**Hi**", "html": "<b>Hi</b>", "slack": {"a": 1}, "image": {"url": "u"}, "quick_replies": []}


def test_an_open_channel_gets_everything() -> None:
    assert for_channel("web", "Hi", RICH, {"ssml": "x"}).rich == RICH


def test_a_channel_with_a_format_of_its_own_gets_that_and_the_portable_ones() -> None:
    assert set(for_channel("slack", "Hi", RICH, {}).rich) == {"slack", "image", "quick_replies"}
    assert set(for_channel("email", "Hi", RICH, {}).rich) == {"html", "image", "quick_replies"}


def test_sms_shows_words_or_what_the_profile_falls_back_to() -> None:
    assert for_channel("sms", "**Hi**", RICH, {}) == for_channel("sms", "Hi", {}, {})
    assert for_channel("sms", "Hi", RICH, {}, rules=[{"fallback_format": "html"}]).text == "<b>Hi</b>"


def test_media_types_leave_other_media_out() -> None:
    assert "image" not in for_channel("web", "Hi", RICH, {}, rules=[{"media_types": ["video"]}]).rich


def test_a_voice_gets_plain_text_and_ssml_only_if_it_reads_it() -> None:
    voice = {"ssml": "<speak/>", "plain_text": "High", "instructions": "warm"}
    silent = for_channel("voice", "**Hi**", RICH, voice, defaults={"voice_id": "anna"})
    assert (silent.text, silent.voice) == ("High", {"voice_id": "anna", "instructions": "warm"})
    reading = for_channel("voice", "**Hi**", RICH, voice, defaults={"ssml": True})
    assert reading.voice["ssml"] == "<speak/>"
    assert for_channel("voice", "**Hi**", RICH, {}).text == "Hi"


def test_markup_is_left_out_and_words_stay() -> None:
    assert without_markup("# A\n- **b** and _c_\n> `d` <br> snake_case 3 * 4") == "A\nb and c\nd  snake_case 3 * 4"
