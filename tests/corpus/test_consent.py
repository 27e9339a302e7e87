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
from engine.answers import Asked, read_answer
from engine.corrections import read_correction
from engine.extraction import read_field
from engine.extraction.fields import Reading
from engine.extraction.vocabulary import vocabulary

FOLDER = Path(__file__).parent / "consent"
QUESTIONS = yaml.safe_load((FOLDER / "questions.yaml").read_text("utf-8"))
ERRATA = yaml.safe_load((FOLDER / "errata.yaml").read_text("utf-8")) or {}
LEAST_RIGHT = 0.97
LEAST_ANSWERS = 600
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


def label_of(case: Case) -> str:
    one = QUESTIONS[case.ask]
    asked = Asked(one["question"][case.language], (one["tool"].replace("_", " "),), one["arguments"])
    pack = vocabulary(case.language)
    parameters: list[JsonObject] = [{"name": name, "type": kind} for name, kind in one["parameters"].items()]

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


@pytest.mark.parametrize("half", ["blind", "seen"])
def test_nothing_runs_without_a_yes_and_a_yes_is_taken(half: str) -> None:
    wrong, missed, figures = told(list(cases_of(half)))
    sys.stdout.write(f"{half}: {figures}\n")
    yeses = sum(case.label == "yes" for case in cases_of(half))
    assert not wrong, wrong
    assert len(missed) <= (1 - LEAST_RIGHT) * yeses, missed


def test_nothing_runs_on_what_was_made_to_deceive() -> None:
    wrong, _, figures = told(list(cases_of("attack")))
    sys.stdout.write(f"attack: {figures}\n")
    assert not wrong, wrong


def test_there_are_enough_answers_in_each_language() -> None:
    cases = [*cases_of("blind"), *cases_of("seen")]
    assert len(cases) >= LEAST_ANSWERS
    assert sum(case.label != "yes" for case in cases) * 2 >= len(cases)
    assert len({case.language for case in cases}) == len(QUESTIONS["block"]["question"])
