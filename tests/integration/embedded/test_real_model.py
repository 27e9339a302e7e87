"""The real embedded model behind the real server: three conversations of `make bench-embedded`, and the moment before.

Takes minutes and needs the model's file: run by `make soak` after `abl models pull`.
"""

from __future__ import annotations

import os
import urllib.error
from pathlib import Path

import pytest

from benchmarks.embedded_talks import hold, missed, post, stories, texts_of
from benchmarks.serving import a_folder, product
from cli.environment import models_folder
from providers.embedded.llm_server import has_engine
from providers.embedded.weights import known_weights, unfinished_file, weights_here

SMALL = known_weights()[0]
EMBEDDED = {"ABL_EMBEDDED_MODEL": "0.5b"}
CHOSEN = ("bank, a stolen card", "hotel, parking", "complaint, a line is measured")

pytestmark = [
    pytest.mark.soak,
    pytest.mark.xdist_group("product"),
    pytest.mark.skipif(not has_engine(), reason="xllamacpp is not installed: make setup"),
]


@pytest.mark.skipif(
    weights_here(models_folder(os.environ), SMALL).state != "ready",
    reason="the embedded model is not here: abl models pull",
)
@pytest.mark.parametrize("story", [one for one in stories() if one["name"] in CHOSEN], ids=lambda one: one["name"])
def test_a_conversation_reaches_its_goal(story) -> None:
    with a_folder() as folder, product(folder, texts_of(story["example"]), options=EMBEDDED) as served:
        told = hold(served, story)
    assert missed(told, story["goal"]) == [], told.replies
    assert all(reply.strip() for reply in told.replies)


def test_before_its_file_is_here_a_reasoning_turn_answers_503_with_how_far_it_is(tmp_path: Path) -> None:
    with unfinished_file(tmp_path, SMALL).open("wb") as file:
        file.truncate(SMALL.size_bytes // 2)
    options = {"ABL_MODELS_DIR": str(tmp_path), "ABL_EMBEDDED_MODEL": "0.5b"}
    with a_folder() as folder, product(folder, texts_of("telecom-tariff-adviser"), options=options) as served:
        with pytest.raises(urllib.error.HTTPError) as refused:
            post(served, {"projectId": served.project_id, "message": "I use 40 gigabytes a month, never abroad"})
        with refused.value as answer:
            body = answer.read().decode()
    assert refused.value.code == 503
    assert "The model is not ready" in body
    assert "of 491 MB" in body


def test_an_agent_with_a_flow_answers_before_its_file_is_here(tmp_path: Path) -> None:
    options = {"ABL_MODELS_DIR": str(tmp_path), "ABL_EMBEDDED_MODEL": "0.5b"}
    with a_folder() as folder, product(folder, texts_of("parcel-desk"), options=options) as served:
        answer = post(served, {"projectId": served.project_id, "message": "hello"})
    assert "Parcel desk here." in answer["response"]
