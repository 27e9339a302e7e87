from __future__ import annotations

import pytest

from abl.languages import DEFAULT_TAG, TAGS, PackError, fold, load_pack, merged, read_keys, read_pack, words_only
from abl.templates import compile_template

OTHERS = [tag for tag in TAGS if tag != DEFAULT_TAG]

BOTH = {"es": {" si "}}
"""Typed without its accent the yes of Spanish is its if: by itself it is a yes."""


@pytest.mark.parametrize("tag", TAGS)
def test_a_pack_says_its_tag_and_no_word_means_two_answers(tag: str) -> None:
    pack = load_pack(tag)
    assert pack.tag == tag
    answers = {name: {words_only(one) for one in getattr(pack, name)} for name in ("yes", "no", "cancel")}
    assert not answers["yes"] & (answers["no"] | answers["cancel"])
    both = answers["yes"] & {words_only(one) for one in (*pack.wait, *pack.doubt, *pack.question)}
    assert both == BOTH.get(tag, set())


@pytest.mark.parametrize("tag", OTHERS)
def test_every_sentence_is_said_in_the_language_itself(tag: str) -> None:
    english, own = load_pack(DEFAULT_TAG).sentences, load_pack(tag).sentences
    same = [key for key, text in own.items() if text == english[key] and key != "multi_intent_disambiguate_option"]
    assert same == []
    assert all(compile_template(text) for text in own.values())


@pytest.mark.parametrize("tag", OTHERS)
def test_a_sentence_shows_what_the_english_one_shows(tag: str) -> None:
    english, own = load_pack(DEFAULT_TAG).sentences, load_pack(tag).sentences
    for key, text in english.items():
        assert ("{{" in text) == ("{{" in own[key]), key


def test_case_accents_digits_and_widths_are_folded() -> None:
    assert fold("İYİ") == fold("iyi")
    assert fold("ILIK") == fold("ılık")
    assert fold("١٢٣ १२३ １２３") == "123 123 123"
    assert fold("أكيد") == fold("اكيد")
    assert fold("ज़रूर") == fold("जरूर")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("yess: ja", "t.yaml:1: yess: is no key of a language; there are tag"),
        ("tag: en\nsentences:\n  confrim_call: x", "t.yaml:3: sentences.confrim_call: is no built-in sentence"),
        (
            'sentences:\n  confirm_call: "{{cal}}?"',
            "t.yaml:2: sentences.confirm_call: {{cal}} has no value here; known is {{call}}",
        ),
        ("numbers:\n  one: eins", "t.yaml:2: numbers.one: is no number"),
        ("months: [a, b]", "t.yaml:1: months: write a list of 12 lines"),
        ("correction: [make it]", 't.yaml:1: correction: "make it": a form needs {value}'),
        ("lead_ins: ['my {thing}']", "{thing} is no place; there are {value}"),
        ("yes: {a: b}", "t.yaml:1: yes: write phrases"),
        ("tag: [", "is no YAML"),
        ("times: {noon: noon}", "times.noon: is no time"),
        ("units: {hour: hour}", "units.hour: is no unit"),
        ("yes: ja\nyes: jo", "t.yaml:2: yes: is written twice"),
        ("date_order: ydm", "date_order: is one of dmy, mdy, ymd"),
    ],
)
def test_what_is_wrong_names_file_line_and_key(text: str, said: str) -> None:
    with pytest.raises(PackError) as caught:
        read_keys(text, "t.yaml")
    assert said in str(caught.value)


def test_a_pack_without_a_key_is_refused() -> None:
    with pytest.raises(PackError, match=r"t\.yaml:1: yes: is missing"):
        read_pack("tag: xx", "t.yaml")


def test_a_project_adds_takes_out_and_replaces() -> None:
    text = 'yes: "-sure, righto"\nsentences: {confirm_call: "{{call}} Right?"}\ndays: {3: in three sleeps}\n'
    pack = merged(load_pack("en"), read_keys(text, "en.yaml"))
    assert "sure" not in pack.yes
    assert {"righto", "yes"} <= set(pack.yes)
    assert pack.sentences["confirm_call"] == "{{call}} Right?"
    assert pack.sentences["greeting"] == load_pack("en").sentences["greeting"]
    assert pack.days[3] == ("in three sleeps",)
    assert pack.days[1] == load_pack("en").days[1]


@pytest.mark.parametrize(("line", "told"), [("plurals: n", "y/ies"), ("alike: delete", "delete/remove")])
def test_phrases_with_parts_need_their_slash(line: str, told: str) -> None:
    with pytest.raises(PackError, match=told):
        read_keys(line, "t.yaml")


def test_what_few_languages_need_may_be_left_out() -> None:
    assert load_pack("ja").plurals == ()
    assert load_pack("ja").articles == ()
