"""Answers to questions of yes and no: nothing runs that was not agreed to, and a yes is taken for one.

The blind half was written before the rules and is frozen; each half is told apart. Spec: abl-language 3.2 (confirm), 8.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from domain.json_values import JsonObject, JsonValue
from engine.answer_question import Asked
from engine.answers import read_answer
from engine.corrections import read_correction
from engine.extraction.fields import Reading, read_field
from engine.extraction.vocabulary import vocabulary

FOLDER = Path(__file__).parent / "consent"
QUESTIONS = yaml.safe_load((FOLDER / "questions.yaml").read_text("utf-8"))
ERRATA = yaml.safe_load((FOLDER / "errata.yaml").read_text("utf-8")) or {}
LEAST_LATER = {"blind2": 0.97, "blind3": 0.97, "blind4": 0.97, "blind5": 0.95, "blind6": 0.86, "blind7": 0.67}
"""Half that was written later -> the least share of its yeses that is taken. To blind5 and blind7 nothing was fitted; README."""
LATER = {name: yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8")) for name in LEAST_LATER}
"""Halves that were written later without sight of the rules: one question a language."""
LATER_LABELS = {"yes": "yes", "ask": "other", "correct": "correction"}
LEAST_RIGHT = 0.97
LEAST_FITTED = 0.96
"""Of the half that the writer of the rules wrote to fit them to: it measures nothing."""
LEAST_ANSWERS = 600
LEAST_ATTACKS = 1_600
TODAY = date(2026, 3, 2)


class Case(NamedTuple):
    """One answer: to which question, in which language, and what it is."""

    language: str
    ask: str
    label: str
    text: str


def cases_of(half: str) -> Iterator[Case]:
    for path in sorted((FOLDER / half).glob("*.txt")):
        for line in path.read_text("utf-8").splitlines():
            if line.startswith("#"):
                continue
            ask, label, text = line.split(" ", 2)
            text = text.replace("\\n", "\n")
            yield Case(path.stem, ask, ERRATA.get(f"{half}/{path.stem}: {text}", {}).get("label", label), text)


def later_cases(name: str) -> Iterator[Case]:
    """Yield the cases of a later half: one question a language, answers that are `yes`, `correct` or `ask`."""
    for language, told in LATER[name].items():
        for answer in told["answers"]:
            yield Case(language, name, LATER_LABELS[answer["expect"]], answer["say"])


def asked_of(case: Case) -> tuple[Asked, list[JsonObject]]:
    """Return what a case was asked, and the parameters of the tool."""
    later = LATER.get(case.ask)
    one = later[case.language] if later else QUESTIONS[case.ask]
    question = one["question"] if later else one["question"][case.language]
    kinds = one.get("parameters") or {
        name: "integer" if isinstance(value, int) else "string" for name, value in one["arguments"].items()
    }
    return Asked(question, (one["tool"].replace("_", " "),), one["arguments"]), [
        {"name": name, "type": kind} for name, kind in kinds.items()
    ]


def label_of(case: Case) -> str:
    asked, parameters = asked_of(case)
    pack = vocabulary(case.language)

    def read(field: JsonObject, text: str) -> JsonValue:
        return read_field(field, Reading(text=text, is_asked=True, today=TODAY, words=pack))

    found = read_correction(case.text, pack, asked, parameters, read)
    if found.values or found.is_unclear:
        return "correction"
    return read_answer(case.text, pack, asked, vocabulary("en")).label


def told(cases: list[Case]) -> tuple[list[Case], list[Case], str]:
    """Return the answers that would run a call nobody agreed to, the yeses that were not taken, and the figures."""
    labels = {case: label_of(case) for case in cases}
    wrong = [case for case, label in labels.items() if label == "yes" != case.label]
    missed = [case for case, label in labels.items() if case.label == "yes" != label]
    yeses = sum(case.label == "yes" for case in cases)
    exact = sum(label == case.label for case, label in labels.items())
    figures = (
        f"{len(cases)} answers: wrong runs {len(wrong)} of {len(cases) - yeses} traps, "
        f"yes taken {yeses - len(missed)} of {yeses}, labels as written {exact}"
    )
    return wrong, missed, figures


@pytest.mark.parametrize("half", ["blind", "seen", "dev6"])
def test_nothing_runs_without_a_yes_and_a_yes_is_taken(half: str) -> None:
    wrong, missed, figures = told(list(cases_of(half)))
    sys.stdout.write(f"{half}: {figures}\n")
    yeses = sum(case.label == "yes" for case in cases_of(half))
    assert not wrong, wrong
    least = LEAST_FITTED if half == "dev6" else LEAST_RIGHT
    assert len(missed) <= (1 - least) * yeses, missed


@pytest.mark.parametrize("half", list(LEAST_LATER))
def test_halves_that_were_written_later_without_sight_of_the_rules(half: str) -> None:
    cases = list(later_cases(half))
    wrong, missed, figures = told(cases)
    sys.stdout.write(f"{half}: {figures}\n")
    assert not wrong, wrong
    assert len(missed) <= (1 - LEAST_LATER[half]) * sum(case.label == "yes" for case in cases), missed


def test_nothing_runs_on_what_was_made_to_deceive() -> None:
    cases = list(cases_of("attack"))
    wrong, _, figures = told(cases)
    sys.stdout.write(f"attack: {figures}\n")
    assert not wrong, wrong
    assert len(cases) >= LEAST_ATTACKS


def test_there_are_enough_answers_in_each_language() -> None:
    cases = [*cases_of("blind"), *cases_of("seen")]
    assert len(cases) >= LEAST_ANSWERS
    assert sum(case.label != "yes" for case in cases) * 2 >= len(cases)
    assert len({case.language for case in cases}) == len(QUESTIONS["block"]["question"])
