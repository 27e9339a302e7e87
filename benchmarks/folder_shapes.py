"""Projects of thousands of small files: what each file says has to be held against what the others say.

A shape is a function of a size in characters and returns texts by path.
"""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.shapes import FIRST

Folder = Callable[[int], dict[str, str]]
HTTP = "    description: x\n    type: http\n    endpoint: https://a.example\n"


def of_files(
    each: Callable[[int], str], one: Callable[[int], str] | None = None, kind: Callable[[int], str] | None = None
) -> Folder:
    """Return the shape of many agents.

    `one` writes a line for each of them into a single file beside, and `kind` another file for each.
    """

    def folder(size: int) -> dict[str, str]:
        files: dict[str, str] = {}
        lines: list[str] = []
        length = 0
        number = FIRST
        while length < size:
            made = [text(number) for text in (each, kind) if text is not None]
            files.update((f"{number}_{at}.abl", text) for at, text in enumerate(made))
            lines.append(one(number) if one is not None else "")
            length += sum(map(len, made)) + len(lines[-1])
            number += 1
        return {**files, "one.abl": "".join(lines)} if one is not None else files

    return folder


def _agent(number: int, body: str = "") -> str:
    return f"AGENT: Desk{number}\nGOAL: Help\n{body}"


def _profile(number: int) -> str:
    return f"BEHAVIOR_PROFILE: p{number}\nPRIORITY: 1\nWHEN: feild{number} == 1\n"


def _after(head: str, line: Callable[[int], str]) -> Callable[[int], str]:
    return lambda number: (head if number == FIRST else "") + line(number)


FOLDERS: dict[str, Folder] = {
    "agents": of_files(_agent),
    "agents in a ring": of_files(
        lambda n: _agent(n, f"HANDOFF:\n  - TO: Desk{n + 1}\n    WHEN: a == 1\n    pass: [x{n}]\n    RETURN: true\n")
    ),
    "hand-overs to nobody": of_files(lambda n: _agent(n, f"HANDOFF:\n  - TO: Dekc{n}\n    WHEN: a == 1\n")),
    "recalls of nobody": of_files(
        lambda n: _agent(n, f"MEMORY:\n  recall:\n    - ON: agent:Dekc{n}:before\n      ACTION: load\n")
    ),
    "routes to nobody": of_files(lambda n: f"SUPERVISOR: S{n}\nGOAL: x\nROUTING:\n  - a == 1 -> Dekc{n}\n"),
    "one agent asked by all": of_files(
        lambda n: _agent(
            n, f"DELEGATE:\n  - AGENT: Hub\n    WHEN: a\n    INPUT: {{feild{n}: 1}}\n    RETURNS: {{rezult{n}: c}}\n"
        ),
        _after("AGENT: Hub\nGOAL: x\nGATHER:\n", lambda n: f"  field{n}:\n    type: string\n"),
    ),
    "profiles nobody uses": of_files(lambda n: _agent(n, f"GATHER:\n  field{n}:\n    type: string\n"), kind=_profile),
    "profiles nobody has": of_files(lambda n: _agent(n, f"USE BEHAVIOR_PROFILE: pp{n}\n"), kind=_profile),
    "one profile used by all": of_files(
        lambda n: _agent(
            n, f"USE BEHAVIOR_PROFILE: p\nTOOLS:\n  f{n}() -> object\nFLOW:\n  s{n}:\n    REASONING: true\n"
        ),
        _after(
            "BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: true\nTOOLS:\n  hide: [fx]\nFLOW:\n  skip: [sx]\n", lambda n: "#\n"
        ),
    ),
    "tools misspelt in a library": of_files(
        lambda n: _agent(n, f"TOOLS:\n  fnid{n}(a: string) -> object\n"),
        _after("TOOLS:\n", lambda n: f"  find{n}(a: string) -> object\n{HTTP}"),
    ),
    "imports of unknown tools": of_files(
        lambda n: _agent(n, f'TOOLS:\n  FROM "./one.abl" USE: fnid{n}\n'),
        _after("TOOLS:\n", lambda n: f"  find{n}(a: string) -> object\n{HTTP}"),
    ),
}
