"""The process of the local model: one llama.cpp server, on the port and with the key it is told on standard input.

Started by `llm_server` as a script of its own. It says on standard output when it takes requests, and ends as soon as
standard input closes, that is with its parent, however that ended.
"""

from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from types import ModuleType
from typing import Any

NICENESS = 5
"""A reply may wait a little; the gateway and the sessions of others may not wait for a reply."""


def parameters(engine: ModuleType, wanted: dict[str, Any]) -> Any:
    """Return the parameters of the server in the form of its library."""
    params = engine.CommonParams()
    params.model.path = wanted["model"]
    params.model_alias = {wanted["name"]}
    params.hostnames = [wanted["host"]]
    params.port = wanted["port"]
    params.reuse_port = True  # the parent holds the port, so that nobody else gets it between two starts
    params.api_keys = [wanted["key"]]
    params.n_ctx = wanted["context_tokens"] * wanted["slots"]
    params.n_parallel = wanted["slots"]
    params.cache_ram_mib = wanted["cache_mib"]
    params.warmup = False
    params.ui = False
    params.endpoint_slots = False
    params.fit_params = False
    params.verbosity = 0
    for cpu in (params.cpuparams, params.cpuparams_batch):
        cpu.n_threads = wanted["threads"]
        cpu.poll = 0  # threads that wait in a loop take the processor from the one they wait for
    return params


def main() -> None:
    """Serve until standard input closes."""
    wanted = json.loads(sys.stdin.readline())
    os.nice(NICENESS)
    engine = import_module("xllamacpp")  # the extra `embedded`: only this process needs it
    server = engine.Server(parameters(engine, wanted))
    sys.stdout.write(json.dumps({"ready": server.listening_address}) + "\n")
    sys.stdout.flush()
    sys.stdin.read()
    os._exit(0)  # the threads of the server are not waited for


if __name__ == "__main__":
    main()
