"""The process in which JavaScript tools run: QuickJS, a fresh context per run, nothing of the system reachable.

Started by `javascript_tool` as a script of its own with the path of the engine; speaks length-prefixed JSON on its
standard streams. It ends by itself when the other end closes or a run takes too long.
"""

from __future__ import annotations

import importlib.util
import json
import signal
import struct
import sys
import time
from pathlib import Path
from types import ModuleType
from typing import Any

LENGTH = struct.Struct(">I")
STACK_BYTES = 512 << 10
SELF_TIMEOUT_GRACE_S = 1.0
MAX_JOBS = 1_000_000

PRELUDE = """
(() => {
  const parse = JSON.parse, stringify = JSON.stringify, host = globalThis.__host, evaluate = globalThis.eval;
  const settle = Promise.prototype.then, resolved = Promise.resolve.bind(Promise), text = String;
  delete globalThis.__host;
  const quiet = () => undefined;
  globalThis.console = {log: quiet, info: quiet, warn: quiet, error: quiet, debug: quiet};
  if (host) globalThis.memory = (action, store, content) => {
    const answer = parse(host(stringify([action, store, content === undefined ? null : content])));
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.value;
  };
  let begun = false, outcome = null;
  const begin = () => { begun = true; };
  const failed = (error) => {
    const known = error instanceof Error;
    outcome = stringify({name: known ? text(error.name) : "Error", message: known ? text(error.message) : text(error)});
    outcome = '{"error":' + outcome + '}';
  };
  const done = (value) => {
    try { outcome = '{"value":' + (stringify(value) ?? "null") + '}'; }
    catch (error) { outcome = '{"unfit":true}'; }
  };
  const run = (code) => {
    const body = "function () { __begin();" + code + "\\n}";
    const forms = [
      "__begin();" + code, "(async () => (__begin(), " + code + "\\n))()", "(" + body + ")()", "(async " + body + ")()",
    ];
    globalThis.__begin = begin;
    for (const form of forms) {
      try { return evaluate(form); }
      catch (error) { if (begun || !(error instanceof SyntaxError) || form === forms[3]) throw error; }
    }
  };
  return (code) => {
    if (code === null) return outcome;
    try { settle.call(resolved(run(code)), done, failed); } catch (error) { failed(error); }
    return null;
  };
})()
"""


def load(name: str, path: str) -> ModuleType:
    """Return a module from its file: this process has no packages of ours."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_frame() -> Any:
    """Return the next message, None when the other end has closed."""
    head = sys.stdin.buffer.read(LENGTH.size)
    if len(head) < LENGTH.size:
        return None
    size = LENGTH.unpack(head)[0]
    body = sys.stdin.buffer.read(size)
    return json.loads(body) if len(body) == size else None


def write_frame(message: dict[str, Any]) -> None:
    """Send one message."""
    body = json.dumps(message, ensure_ascii=False).encode()
    sys.stdout.buffer.write(LENGTH.pack(len(body)) + body)
    sys.stdout.buffer.flush()


def ask_host(arguments: str) -> str:
    """Hand a call of `memory` to the host and return its answer as JSON text."""
    write_frame({"host": json.loads(arguments)})
    answer = read_frame()
    if answer is None:
        sys.exit(0)
    return json.dumps(answer)


def run(engine: ModuleType, task: dict[str, Any]) -> dict[str, Any]:
    """Return the outcome of one run: `json` text of an outcome, or the `limit` it met."""
    context = engine.Context()
    context.set_memory_limit(task["memory_bytes"])
    context.set_max_stack_size(STACK_BYTES)
    if task["has_memory"]:
        context.add_callable("__host", ask_host)
    try:
        program = context.eval(PRELUDE)
        for name, value in task["arguments"].items():
            context.set(name, context.parse_json(json.dumps(value)))
        program(task["code"])
        jobs = 0
        while jobs < MAX_JOBS and context.execute_pending_job():
            jobs += 1
        outcome = program(None)
    except engine.StackOverflow:
        return {"json": '{"error":{"name":"RangeError","message":"the stack overflowed"}}'}
    except engine.JSException as error:
        return {"limit": "memory" if "null" in str(error) or "memory" in str(error) else "engine"}
    except MemoryError:
        return {"limit": "memory"}
    if outcome is None:
        return {"limit": "unsettled"}
    return {"json": outcome}


def main() -> None:
    """Serve runs until the other end closes."""
    engine = load("_quickjs", sys.argv[1])
    time.tzset()  # reads the time zone, which is a file
    load("confinement", str(Path(__file__).with_name("confinement.py"))).confine()
    while (task := read_frame()) is not None:
        signal.setitimer(signal.ITIMER_REAL, task["timeout_s"] + SELF_TIMEOUT_GRACE_S)
        answer = run(engine, task)
        signal.setitimer(signal.ITIMER_REAL, 0)
        write_frame(answer)


if __name__ == "__main__":
    main()
