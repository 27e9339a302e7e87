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
UNIT = Path(__file__).parents[3] / "deploy" / "abl-gateway.service"
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


def test_a_gateway_is_started_on_every_node_of_sessions_and_on_no_other() -> None:
    starting = {
        name for name, one in NODE_TYPES.items() if "abl-gateway" in " ".join(one.get("worker_setup_commands", ()))
    }
    assert starting == {name for name, one in NODE_TYPES.items() if "session_host" in one["resources"]}


def test_a_gateway_gets_its_settings_the_secret_of_tokens_and_its_unit() -> None:
    unit = UNIT.read_text(encoding="utf-8")
    mounts = CLUSTER["file_mounts"]
    assert mounts["~/.config/systemd/user/abl-gateway.service"] == "./deploy/abl-gateway.service"
    assert "EnvironmentFile=%h/abl.env" in unit
    assert "~/abl.env" in mounts
    assert "ABL_DATA_DIR=%h/abl-data" in unit
    assert "~/abl-data/token_secret" in mounts
    assert "ExecStart=%h/abl/bin/abl serve --address auto" in unit


def test_nodes_with_setup_commands_of_their_own_install_the_same_as_all() -> None:
    for one in NODE_TYPES.values():
        own = one.get("worker_setup_commands", CLUSTER["setup_commands"])
        assert own[: len(CLUSTER["setup_commands"])] == CLUSTER["setup_commands"]
