"""`ray_cluster.yaml`: it has the form that `ray up` reads, and its resources are the ones that actors ask for."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from actors.placement import ActorKind, node_resources

CLUSTER = yaml.safe_load((Path(__file__).parents[3] / "ray_cluster.yaml").read_text(encoding="utf-8"))
NODE_TYPES: dict[str, dict[str, Any]] = CLUSTER["available_node_types"]


def test_it_has_the_form_of_rays_own_schema() -> None:
    found = find_spec("ray")
    jsonschema = pytest.importorskip("jsonschema")
    if found is None or found.origin is None:
        pytest.skip("Ray is not installed")
    schema = Path(found.origin).parent / "autoscaler" / "ray-schema.json"
    jsonschema.validate(CLUSTER, json.loads(schema.read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", NODE_TYPES)
def test_a_node_offers_what_its_cores_carry_of_the_kinds_it_is_for(name: str) -> None:
    resources = dict(NODE_TYPES[name]["resources"])
    full = node_resources(resources.pop("CPU"))
    assert {kind: full[kind] for kind in resources} == resources


def test_every_kind_of_actor_has_a_node_it_can_live_on() -> None:
    offered = {kind for node in NODE_TYPES.values() for kind in node["resources"]}
    assert {kind.value for kind in ActorKind} <= offered


def test_the_head_carries_no_sessions() -> None:
    assert set(NODE_TYPES[CLUSTER["head_node_type"]]["resources"]) == {"CPU"}
