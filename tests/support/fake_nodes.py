"""A Ray head whose autoscaler brings and ends nodes on this machine, each a raylet of its own: Ray's fake provider.

Ray's own `AutoscalingCluster` cannot be used from the wheel: it reads a file that is not packed, and ends every Ray of
the machine. What that file says and is easily missed: `use_node_id_as_ip`. Without it the autoscaler looks for the idle
time of a node under its id, finds it under the one address that all of them share, and never ends a node.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from time import monotonic
from typing import Any

from actors.hosts.ray_settings import LOOPBACK
from actors.hosts.stale_ray import RayFolder
from benchmarks.ports import free_port

HEAD_ID = "f" * 51 + "00000"
"""The fake provider takes the head to have this id."""
HEAD_TYPE = "ray.head.default"
STORE_BYTES = 80 * 1024**2
STARTED = "Ray runtime started"
START_S = 90.0
END_S = 20.0
POLL_S = 0.1
IDLE_MINUTES = 0.1
LOOK_S = "1"


def configuration(gcs_address: str, node_type: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the autoscaler of a fake cluster reads; every section has to be there."""
    return {
        "cluster_name": "fake",
        "max_workers": node_type["max_workers"],
        "upscaling_speed": 10,
        "idle_timeout_minutes": IDLE_MINUTES,
        "provider": {
            "type": "fake_multinode",
            "gcs_address": gcs_address,
            "use_node_id_as_ip": True,
            "disable_node_updaters": True,
            "disable_launch_config_check": True,
        },
        "head_node_type": HEAD_TYPE,
        "available_node_types": {
            HEAD_TYPE: {"resources": {"CPU": 1}, "node_config": {}, "max_workers": 0},
            "sessions": {"node_config": {}, **node_type},
        },
        **dict.fromkeys(("setup_commands", "head_setup_commands", "worker_setup_commands"), ()),
        **dict.fromkeys(("head_start_ray_commands", "worker_start_ray_commands", "initialization_commands"), ()),
        **dict.fromkeys(("cluster_synced_files", "rsync_exclude", "rsync_filter"), ()),
        **{section: {} for section in ("file_mounts", "auth", "docker")},
        "file_mounts_sync_continuously": False,
    }


@contextmanager
def fake_cluster(place: Path, node_type: Mapping[str, Any]) -> Iterator[str]:
    """Yield the address of a cluster with a head and as many nodes of a type as are asked for; end its processes."""
    own = RayFolder.make(place)
    address = f"{LOOPBACK}:{free_port()}"
    told = place / "fake.json"
    told.write_text(json.dumps(configuration(address, node_type)), encoding="utf-8")
    environment = {
        **os.environ,
        "RAY_FAKE_CLUSTER": "1",
        "AUTOSCALER_UPDATE_INTERVAL_S": LOOK_S,
        "RAY_OVERRIDE_NODE_ID_FOR_TESTING": HEAD_ID,
        "RAY_TMPDIR": own.path,
    }
    command = [
        *(str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--num-cpus=1"),
        *(f"--node-ip-address={LOOPBACK}", f"--port={address.rpartition(':')[2]}", "--include-dashboard=false"),
        *(f"--object-store-memory={STORE_BYTES}", f"--temp-dir={own.path}", f"--autoscaling-config={told}"),
    ]
    with (place / "head.log").open("wb") as log:
        head = subprocess.Popen(command, env=environment, stdout=log, stderr=log)
    try:
        give_up_s = monotonic() + START_S
        while STARTED not in (said := (place / "head.log").read_text(errors="replace")):
            assert head.poll() is None, said
            assert monotonic() < give_up_s, said
            Event().wait(POLL_S)
        yield address
    finally:
        own.note_processes()
        head.terminate()
        try:
            head.wait(END_S)
        except subprocess.TimeoutExpired:
            head.kill()
            head.wait(END_S)
        own.clear()
