"""`deploy/kuberay.yaml`: fields that the operator knows, resources that actors ask for, pods that can serve.

The operator's own schema is twenty thousand lines of Kubernetes' pod; `FIELDS` is its part that the file may use, from
the reference of ray.io/v1 (KubeRay 1.6), and of the pods those of Kubernetes' core v1.
"""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml

from actors.installation import TOKEN_SECRET_FILE
from actors.placement import ActorKind, node_resources

ROOT = Path(__file__).parents[3]
DOCUMENTS: list[dict[str, Any]] = list(yaml.safe_load_all((ROOT / "deploy" / "kuberay.yaml").read_text("utf-8")))
CLUSTER, SERVICE = DOCUMENTS
SPEC = CLUSTER["spec"]
GROUPS: dict[str, dict[str, Any]] = {one["groupName"]: one for one in SPEC["workerGroupSpecs"]}
PODS: dict[str, dict[str, Any]] = {
    name: one["template"] for name, one in {"head": SPEC["headGroupSpec"], **GROUPS}.items()
}

CONTAINER = {
    *("name", "image", "command", "args", "env", "envFrom", "ports", "resources", "volumeMounts", "lifecycle"),
    *("readinessProbe", "livenessProbe", "startupProbe", "securityContext", "imagePullPolicy", "workingDir"),
}
FIELDS: dict[str, set[str]] = {
    "cluster": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {
        *("rayVersion", "enableInTreeAutoscaling", "autoscalerOptions", "headGroupSpec", "workerGroupSpecs", "suspend"),
        *("headServiceAnnotations", "gcsFaultToleranceOptions", "managedBy", "authOptions"),
    },
    "autoscaler": {
        *("resources", "image", "imagePullPolicy", "securityContext", "idleTimeoutSeconds", "upscalingMode", "version"),
        *("env", "envFrom", "volumeMounts"),
    },
    "head": {"template", "headService", "enableIngress", "resources", "labels", "rayStartParams", "serviceType"},
    "group": {
        *(
            "suspend",
            "groupName",
            "replicas",
            "minReplicas",
            "maxReplicas",
            "idleTimeoutSeconds",
            "resources",
            "labels",
        ),
        *("rayStartParams", "template", "scaleStrategy", "numOfHosts"),
    },
    "template": {"metadata", "spec"},
    "pod": {
        "containers",
        "initContainers",
        "volumes",
        "terminationGracePeriodSeconds",
        "serviceAccountName",
        "nodeSelector",
    },
    "container": CONTAINER,
}
RAY_START = {"num-cpus", "object-store-memory", "include-dashboard", "resources", "dashboard-host"}


def parts() -> list[tuple[str, dict[str, Any]]]:
    found = [("cluster", CLUSTER), ("spec", SPEC), ("autoscaler", SPEC["autoscalerOptions"])]
    found += [("head", SPEC["headGroupSpec"]), *(("group", one) for one in GROUPS.values())]
    for pod in PODS.values():
        found += [("template", pod), ("pod", pod["spec"]), *(("container", one) for one in pod["spec"]["containers"])]
    return found


@pytest.mark.parametrize(("kind", "part"), parts())
def test_every_field_is_one_that_the_operator_knows(kind: str, part: dict[str, Any]) -> None:
    assert set(part) <= FIELDS[kind]


@pytest.mark.parametrize("name", ["head", *GROUPS])
def test_parameters_of_ray_start_are_texts_that_it_knows(name: str) -> None:
    given = (SPEC["headGroupSpec"] if name == "head" else GROUPS[name])["rayStartParams"]
    assert set(given) <= RAY_START
    assert all(isinstance(value, str) for value in given.values())


@pytest.mark.parametrize("name", GROUPS)
def test_a_node_offers_what_its_cores_carry_of_the_kinds_it_is_for(name: str) -> None:
    given = GROUPS[name]["rayStartParams"]
    resources = json.loads(json.loads(given["resources"]))
    full = node_resources(int(given["num-cpus"]))
    assert {kind: full[kind] for kind in resources} == resources


def test_every_kind_of_actor_has_a_node_it_can_live_on() -> None:
    offered = {kind for one in GROUPS.values() for kind in json.loads(json.loads(one["rayStartParams"]["resources"]))}
    assert offered == {kind.value for kind in ActorKind}


def test_the_groups_are_those_of_ray_up() -> None:
    cluster = yaml.safe_load((ROOT / "ray_cluster.yaml").read_text("utf-8"))
    assert set(GROUPS) == set(cluster["available_node_types"]) - {cluster["head_node_type"]}


@pytest.mark.parametrize("name", GROUPS)
def test_bounds_of_a_group_are_in_order(name: str) -> None:
    group = GROUPS[name]
    assert 0 <= group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]


def test_the_version_of_ray_is_the_one_that_is_locked() -> None:
    assert SPEC["rayVersion"] == version("ray")


def test_a_gateway_shares_the_folder_of_its_ray_node_and_the_service_finds_it() -> None:
    pod = PODS["sessions"]
    node, gateway = pod["spec"]["containers"]
    shared = {"name": "ray", "mountPath": "/tmp/ray"}  # where Ray keeps its session
    assert shared in node["volumeMounts"]
    assert shared in gateway["volumeMounts"]
    assert {one["name"] for one in gateway["volumeMounts"]} <= {one["name"] for one in pod["spec"]["volumes"]}
    assert gateway["command"] == ["abl", "serve", "--address", "auto"]
    assert SERVICE["spec"]["selector"].items() <= pod["metadata"]["labels"].items()
    assert SERVICE["spec"]["ports"][0]["targetPort"] in {one["name"] for one in gateway["ports"]}


def test_every_container_has_the_settings_and_one_image() -> None:
    containers = [one for pod in PODS.values() for one in pod["spec"]["containers"]]
    assert len({one["image"] for one in containers}) == 1
    assert all(one["envFrom"] == [{"secretRef": {"name": "abl"}}] for one in containers)


def test_the_container_file_copies_what_is_there_and_keeps_the_ports() -> None:
    lines = (ROOT / "deploy" / "Containerfile").read_text("utf-8").splitlines()
    copied = [line.split()[1] for line in lines if line.startswith("COPY") and "--from" not in line]
    assert all((ROOT / name).exists() for name in copied)
    assert "EXPOSE 8400" in lines
    assert lines[-1] == 'CMD ["abl", "serve"]'


def test_all_gateways_sign_tokens_with_one_secret() -> None:
    pod = PODS["sessions"]
    (secret,) = [one["secret"] for one in pod["spec"]["volumes"] if "secret" in one]
    (item,) = secret["items"]
    gateway = pod["spec"]["containers"][1]
    (mount,) = [one for one in gateway["volumeMounts"] if one["name"] == "secrets"]
    assert item["path"] == mount["subPath"] == TOKEN_SECRET_FILE
    assert mount["mountPath"].endswith(f"/{TOKEN_SECRET_FILE}")
