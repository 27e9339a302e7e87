"""Texts that a hostile author would think of.

Each repeats what an unbounded search would look through again: names, brackets, quotes, indents, sections, conditions,
list items, one line without an end.
"""

from __future__ import annotations

from benchmarks.shapes import (
    FIRST,
    HEAD,
    NUMBERED,
    STEP,
    TOOLS,
    YAML,
    Shape,
    of_lines,
    of_numbered_signs,
    of_signs,
    then,
)

LINES: dict[str, Shape] = {
    "sentences": of_lines(HEAD, lambda n: "Let me know what you think of it\nGOAL: x\n"),
    "lines of text": of_lines("", lambda n: "hello there\n"),
    "blank lines": of_lines(HEAD, lambda n: "\n"),
    "comments": of_lines(HEAD, lambda n: "# x\n"),
    "open comment": of_lines(HEAD + "/*\n", lambda n: " x\n"),
    "comments opened and closed": of_lines(HEAD, lambda n: "/* x */\n/*\n*/\n"),
    "fences": of_lines(HEAD, lambda n: "```\n"),
    "block text": of_lines(HEAD + "PERSONA: |\n", lambda n: "  hello you\n"),
    "block text of keys": of_lines(HEAD + "PERSONA: |\n", lambda n: f"  KEY{n}: a # b\n\n"),
    "wide indents": of_lines(HEAD + "GATHER:\n", lambda n: " " * 2000 + "a: b\n"),
    "tabs": of_lines(HEAD + "GATHER:\n", lambda n: f"\tf{n}:\n\t\ttype: string\n"),
    "windows ends": of_lines(HEAD.replace("\n", "\r\n") + "GATHER:\r\n", lambda n: f"  f{n}:\r\n    type: string\r\n"),
    "odd spaces": of_lines(HEAD + "LIMITATIONS:\n", lambda n: "\u00a0\u2003- a\u2028b\n"),
    "windows quotes": of_lines(HEAD + "LIMITATIONS:\n", lambda n: f"  - \u201ca{n}\u201d\n"),
    "stairs": of_lines(HEAD + "HANDOFF:\n", lambda n: " " * (2 + n % 63) + "- a:\n"),
    "saw teeth": of_lines(HEAD + "GATHER:\n", lambda n: " " * (63 - n % 63) + "a: b\n"),
    "deep stairs": lambda size: HEAD + "".join(" " * n + "a:\n" for n in range(int((2 * size) ** 0.5))),
    "deep dashes": lambda size: HEAD + "".join(" " * n + "- a\n" for n in range(int((2 * size) ** 0.5))),
}
SECTIONS: dict[str, Shape] = {
    "agents": of_lines("", lambda n: HEAD),
    "agents of many names": of_lines("", lambda n: f"AGENT: A{n}\nGOAL: x\n"),
    "supervisors": of_lines("", lambda n: f"SUPERVISOR: A{n}\nHANDOFF:\n  - TO: A{n + 1}\n"),
    "unknown sections": of_lines(HEAD, lambda n: f"GAOL{n}: x\n"),
    "repeated sections": of_lines(HEAD, lambda n: "GOAL: x\n"),
    "repeated lists": of_lines(HEAD, lambda n: f"LIMITATIONS:\n  - a{n}\n"),
    "repeated flows": of_lines(HEAD, lambda n: f"FLOW:\n  s{n}:\n    RESPOND: x\n"),
    "wrong-case sections": of_lines(HEAD, lambda n: f"Limitations:\n  - a{n}\n"),
    "sections of tools": of_lines("", lambda n: f"TOOLS:\n  f{n}() -> object\n"),
    "unknown properties": of_lines(HEAD + "EXECUTION:\n", lambda n: f"  xq{n}: 1\n"),
    "repeated properties": of_lines(HEAD + "EXECUTION:\n", lambda n: "  model: a\n"),
    "conversation": of_lines(HEAD + "CONVERSATION:\n", lambda n: f"  a{n}: 1\n"),
    "profiles": of_lines("BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: true\n", lambda n: f"GOAL: {n}\n"),
}
NAMES: dict[str, Shape] = {
    "steps of one name": of_lines(HEAD + "FLOW:\n", lambda n: "  s:\n    THEN: s\n"),
    "steps to nowhere": of_lines(HEAD + "FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    THEN: t{n}\n"),
    "steps in no order": of_lines(
        HEAD + "FLOW:\n",
        lambda n: f"  s{n}:\n    REASONING: false\n    RESPOND: x\n    THEN: s{FIRST + n * 7919 % 99991}\n",
    ),
    "branches": of_lines(STEP + "    ON_INPUT:\n", lambda n: f'      - IF: input == "{n}"\n        THEN: s\n'),
    "misspelt fields": of_lines(STEP, lambda n: f"    SET: total{n} = 1\n    RESPOND: Hi {{{{totl{n}}}}}\n"),
    "fields nobody reads": then(
        of_lines(HEAD + "GATHER:\n", lambda n: f"  parcel{n}:\n    type: string\n"),
        of_lines(STEP.removeprefix(HEAD), lambda n: f"    RESPOND: a {{{{parcl{n}}}}} {{{{parcl{n}}}}}\n"),
    ),
    "variables nobody sets": of_lines(HEAD + "COMPLETE:\n", lambda n: f"  - WHEN: done{n} == true\n    RESPOND: Bye\n"),
    "references": of_lines(HEAD + "COMPLETE:\n", lambda n: f"  - WHEN: done == true\n    RESPOND: {{{{x{n}}}}}\n"),
    "session names": of_lines(HEAD + "MEMORY:\n  session:\n", lambda n: f"    - name: a{n}\n"),
    "one session name": of_lines(HEAD + "MEMORY:\n  session:\n", lambda n: "    - name: a\n"),
    "tools of one name": of_lines(TOOLS, lambda n: "  f(a: string) -> object\n"),
    "the last tool again": then(
        of_lines(TOOLS, lambda n: f"  f{n}() -> object\n"), of_lines("", lambda n: "  last() -> object\n")
    ),
    "calls of unknown tools": then(
        of_lines(HEAD + TOOLS, lambda n: f"  find{n}() -> object\n"),
        of_lines("FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    CALL: fnd{n}()\n"),
    ),
    "imports": then(of_lines(TOOLS, lambda n: f"  f{n}() -> object\n"), of_lines("", lambda n: 'FROM "./a" USE: b\n')),
    "imported names": of_numbered_signs(HEAD + 'TOOLS:\n  FROM "./a" USE: b', lambda n: f", c{n}"),
    "hand-overs to one": of_lines(HEAD + "HANDOFF:\n", lambda n: f"  - TO: B\n    WHEN: x{n} == 1\n"),
    "routing": of_lines("SUPERVISOR: A\nROUTING:\n", lambda n: f"  - x{n} == 1 -> B{n}\n"),
    "intents": of_lines(HEAD + "NLU:\n  intents:\n", lambda n: f"    - name: i{n}\n      examples: [a, b]\n"),
    "templates by name": of_lines(HEAD + "TEMPLATES:\n", lambda n: f"  t{n}: Hello {{{{t{n}}}}}\n"),
    "bare items": of_lines(HEAD + "GATHER:\n", lambda n: "  - f\n"),
    "guardrails": of_lines(HEAD + "GUARDRAILS:\n", lambda n: f"  g{n}:\n    kind: input\n    check: a{n}\n"),
}
VALUES: dict[str, Shape] = {
    "closing brackets": of_lines(HEAD + "GATHER:\n", lambda n: "]\n}\n"),
    "colons": of_lines(HEAD + "GATHER:\n", lambda n: "  :::: ::\n"),
    "dashes": of_lines(HEAD + "HANDOFF:\n", lambda n: "  - - - -\n"),
    "lonely dashes": of_lines(HEAD + "LIMITATIONS:\n", lambda n: "  -\n"),
    "items": of_lines(HEAD + "LIMITATIONS:\n", lambda n: "  - a\n"),
    "open signatures": of_lines(TOOLS, lambda n: "  f(\n"),
    "long signatures": of_lines(TOOLS + "  f(\n", lambda n: f"    a{n}: string,\n"),
    "open strings": of_lines(HEAD + "ON_START:\n", lambda n: '  RESPOND: "x\n    y\n'),
    "open triple strings": of_lines(HEAD + "ON_START:\n", lambda n: '  RESPOND: """x\n    y\n'),
    "open brackets": of_lines(HEAD + "HANDOFF:\n  - pass: [a\n", lambda n: "     b,\n"),
    "open brackets again": of_lines(HEAD + "HANDOFF:\n", lambda n: "  - pass: [a\n"),
    "open braces again": of_lines(STEP, lambda n: "    WITH: {a: 1,\n"),
    "conditions": of_lines(HEAD + "COMPLETE:\n", lambda n: f"  - WHEN: a{n} == 1 AND (b OR c > 2\n"),
    "json": of_lines(HEAD + "ON_START:\n  RESPOND: x\n    FORMATS:\n      SLACK: |\n", lambda n: "        [\n"),
    "json rows": of_lines(
        HEAD + "ON_START:\n  RESPOND: x\n    FORMATS:\n      SLACK: |\n        [\n", lambda n: '          {"a": "b"},\n'
    ),
}
ONE_LINE: dict[str, Shape] = {
    "no line end": of_signs("", "x", ""),
    "long word": of_signs(HEAD + "LIMITATIONS:\n  - ", "x"),
    "long key": of_signs(HEAD + "EXECUTION:\n  ", "x", ": 1\n"),
    "long section": of_signs(HEAD, "X", ": 1\n"),
    "long goal": of_signs("AGENT: A\nGOAL: ", "words and "),
    "spaces": of_signs(HEAD + "ESCALATE:\n  on_human_complete:\n    - IF a", " ", "x\n"),
    "trailing spaces": of_signs(HEAD + "LIMITATIONS:\n  - a", " "),
    "when": of_signs(HEAD + "CONSTRAINTS:\n  - REQUIRE a", " WHEN a"),
    "implies": of_signs(HEAD + "CONSTRAINTS:\n  - REQUIRE a", " IMPLIES a"),
    "brackets": of_signs("TOOLS:\n  f(a: ", "{a: "),
    "parameters": of_signs("TOOLS:\n  f(", "a: string, "),
    "many parameters": of_numbered_signs("TOOLS:\n  f(", lambda n: f"a{n}: string, ", ") -> object\n"),
    "choices of a type": of_numbered_signs("TOOLS:\n  f(a: x", lambda n: f" | y{n}", ") -> object\n"),
    "assignments": of_signs(HEAD + "ON_START:\n  SET: ", "a = 1, "),
    "many assignments": of_numbered_signs(HEAD + "ON_START:\n  SET: a = 1", lambda n: f", a{n} = b{n}"),
    "arguments": of_numbered_signs(STEP + "    CALL: f(a: 1", lambda n: f", a{n}: b{n}", ")\n"),
    "parentheses": of_signs(HEAD + "COMPLETE:\n  - WHEN: ", "("),
    "closed parentheses": lambda size: HEAD + f"COMPLETE:\n  - WHEN: {'(' * (size // 2)}a{')' * (size // 2)}\n",
    "and": of_signs(HEAD + "COMPLETE:\n  - WHEN: a", " AND a"),
    "and many": of_numbered_signs(HEAD + "COMPLETE:\n  - WHEN: a", lambda n: f" AND a{n} == {n}"),
    "and in a step": of_numbered_signs(STEP + "    ON_INPUT:\n      - IF: a", lambda n: f" AND a{n} == {n}"),
    "not": of_signs(HEAD + "COMPLETE:\n  - WHEN: ", "NOT "),
    "plus": of_signs(STEP + "    SET: a = 1", " + 1"),
    "dots": of_signs(STEP + "    SET: a = b", ".c"),
    "indexes": of_signs(STEP + "    SET: a = b", "[0]"),
    "members of IN": of_numbered_signs(HEAD + "COMPLETE:\n  - WHEN: a IN [0", lambda n: f", {n}", "]\n"),
    "bad operators": of_signs(HEAD + "COMPLETE:\n  - WHEN: a ", "= ! & | "),
    "sentence as condition": of_signs(HEAD + "HANDOFF:\n  - TO: B\n    WHEN: ", "the user asks for "),
    "templates": of_signs(HEAD + "ON_START:\n  RESPOND: ", "{{a}} {{"),
    "braces": of_signs(HEAD + "ON_START:\n  RESPOND: ", "{{"),
    "closing braces": of_signs(HEAD + "ON_START:\n  RESPOND: ", "}} "),
    "tags": of_numbered_signs(HEAD + "ON_START:\n  RESPOND: ", lambda n: f"{{{{a{n}}}}} "),
    "open ifs": of_signs(HEAD + "ON_START:\n  RESPOND: ", "{{#if a}} "),
    "closed ifs": of_signs(HEAD + "ON_START:\n  RESPOND: ", "{{#if a}}b{{/if}} "),
    "filters": of_signs(HEAD + "ON_START:\n  RESPOND: {{a", " | upper", "}}\n"),
    "quotes in templates": of_signs(HEAD + "ON_START:\n  RESPOND: {{", "'a\" "),
    "arrows": of_signs(HEAD + "FLOW:\n  ", "a -> "),
    "many arrows": of_numbered_signs(HEAD + "FLOW:\n  a", lambda n: f" -> b{n}"),
    "arrows in routing": of_signs("SUPERVISOR: A\nROUTING:\n  - a", " -> b"),
    "hashes": of_signs(HEAD + "LIMITATIONS: ", "# "),
    "slashes": of_signs(HEAD + "LIMITATIONS:\n  - a ", "// /* "),
    "quotes": of_signs(HEAD + "LIMITATIONS: [", '"a", '),
    "quotes by turns": of_signs(HEAD + "LIMITATIONS:\n  - ", "\"a' "),
    "backslashes": of_signs(HEAD + 'LIMITATIONS:\n  - "', "\\"),
    "list in one line": of_numbered_signs(HEAD + "LIMITATIONS: [a", lambda n: f", b{n}", "]\n"),
    "open lists": of_signs(HEAD + "LIMITATIONS: ", "["),
    "map in one line": of_numbered_signs(STEP + "    WITH: {a: 1", lambda n: f", b{n}: {n}", "}\n"),
    "one key again": of_signs(STEP + "    WITH: {a: 1", ", a: 1", "}\n"),
    "colons in a line": of_signs(HEAD + "GATHER:\n  ", "a: "),
    "pattern": of_signs(HEAD + "GATHER:\n  f:\n    type: string\n    validation:\n      pattern: ", "(a*)*"),
    "digits": of_signs(HEAD + "EXECUTION:\n  max_iterations: ", "9"),
    "durations": of_signs(HEAD + "EXECUTION:\n  timeout: ", "1h"),
    "emoji": of_signs(HEAD + "LIMITATIONS:\n  - ", "\U0001f600\u0301"),
    "zero bytes": of_signs(HEAD + "LIMITATIONS:\n  - ", "\x00"),
}
REFERENCES: dict[str, Shape] = {
    "set here, read there": of_lines(
        HEAD + "FLOW:\n",
        lambda n: f"  s{n}:\n    REASONING: false\n    SET: a{n} = 1\n    CHECK: b{n + 3} == 1\n    THEN: s{n + 1}\n",
    ),
    "set often, read often": of_lines(
        HEAD + "FLOW:\n",
        lambda n: f"  s{n}:\n    REASONING: false\n    SET: a = 1\n    CHECK: a == {n}\n    THEN: s{n + 1}\n",
    ),
    "long conditions": of_lines(
        HEAD + "COMPLETE:\n", lambda n: "  - WHEN: a0 == 1" + "".join(f" AND a{k} == 1" for k in range(60)) + "\n"
    ),
    "very long conditions": of_lines(
        HEAD + "COMPLETE:\n", lambda n: "  - WHEN: a0" + "".join(f" + a{k}" for k in range(120)) + " == 1\n"
    ),
    "buttons nobody handles": then(
        of_lines(HEAD + "ACTION_HANDLERS:\n", lambda n: f"  pay_now_{n}:\n    RESPOND: x\n"),
        of_lines(
            "ON_START:\n  RESPOND: x\n    ACTIONS:\n", lambda n: f"      - BUTTON: Pay {n}\n        ID: pya_now_{n}\n"
        ),
    ),
    "paths nobody declares": then(
        of_lines(HEAD + "MEMORY:\n  persistent:\n", lambda n: f"    - path: user.name{n}\n"),
        of_lines(
            "  recall:\n", lambda n: f"    - ON: session:start\n      ACTION: load\n      PATHS: [user.nmae{n}]\n"
        ),
    ),
    "recalls of steps": then(
        of_lines(HEAD + "FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    THEN: s{n + 1}\n"),
        of_lines("MEMORY:\n  recall:\n", lambda n: f"    - ON: step:enter:s{n}\n      ACTION: load\n"),
    ),
    "recalls of agents": then(
        of_lines(HEAD + "HANDOFF:\n", lambda n: f"  - TO: Desk{n}\n"),
        of_lines("MEMORY:\n  recall:\n", lambda n: f"    - ON: agent:Dekc{n}:before\n      ACTION: load\n"),
    ),
    "hand-overs to itself": of_lines(
        HEAD + "HANDOFF:\n", lambda n: f"  - TO: A\n    WHEN: x{n} == 1\n    SET: a{n} = 1\n    pass: [b{n}]\n"
    ),
    "returns of itself": of_lines(
        HEAD + "HANDOFF:\n", lambda n: f"  - TO: A\n    RETURN: true\n    ON_RETURN:\n      MAP:\n        c{n}: d{n}\n"
    ),
    "delegations to itself": of_lines(
        HEAD + "DELEGATE:\n", lambda n: f"  - AGENT: A\n    INPUT: {{a{n}: 1}}\n    RETURNS: {{b{n}: c{n}}}\n"
    ),
    "calls of a wide tool": then(
        of_numbered_signs(HEAD + "TOOLS:\n  f(a: string", lambda n: f", a{n}: string", ") -> object\n"),
        of_lines(STEP.removeprefix(HEAD), lambda n: f"    CALL: f(a{n}: 1)\n"),
    ),
    "steps that call a wide tool": then(
        of_numbered_signs(HEAD + "TOOLS:\n  f(a?: string", lambda n: f", a{n}?: string", ") -> object\n"),
        of_lines("FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    CALL: f(a{n}: 1)\n    THEN: s{n + 1}\n"),
    ),
    "placeholders": then(
        of_numbered_signs("TOOLS:\n  f(a: string", lambda n: f", a{n}: string", ") -> object\n    type: http\n"),
        of_numbered_signs("    endpoint: https://a.example/", lambda n: f"{{a{n}}}/"),
    ),
    "immutable parameters": then(
        of_numbered_signs("TOOLS:\n  f(a: string", lambda n: f", a{n}: string", ") -> object\n"),
        of_numbered_signs("    immutable: [a", lambda n: f", b{n}", "]\n"),
    ),
    "templates of a wide tool": then(
        of_numbered_signs("TOOLS:\n  f(a: string", lambda n: f", a{n}: string", ") -> object\n    type: http\n"),
        of_lines("    headers:\n", lambda n: f'      h{n}: "{{{{a{n}}}}}"\n'),
    ),
    "one entity, many fields": then(
        of_numbered_signs(HEAD + "ENTITIES:\n  - name: e\n    type: enum\n    values: [a", lambda n: f", b{n}", "]\n"),
        of_lines("GATHER:\n", lambda n: f"  f{n}:\n    ENTITY_REF: e\n"),
    ),
    "one field in many steps": then(
        of_numbered_signs(HEAD + "GATHER:\n  f:\n    options: [a", lambda n: f", b{n}", "]\n"),
        of_lines("FLOW:\n", lambda n: f"  s{n}:\n    REASONING: false\n    GATHER:\n      - f\n    THEN: s{n + 1}\n"),
    ),
    "one template in many places": then(
        of_signs(HEAD + "TEMPLATES:\n  t: ", "Hello there "),
        of_lines("COMPLETE:\n", lambda n: "  - WHEN: a == 1\n    RESPOND: TEMPLATE(t)\n"),
    ),
    "one message in many places": then(
        of_signs(HEAD + "MESSAGES:\n  error_default: ", "Hello {{there}} "),
        of_lines("ON_ERROR:\n", lambda n: f"  tool_error_{n}:\n    THEN: CONTINUE\n"),
    ),
    "many messages": of_lines(HEAD + "MESSAGES:\n", lambda n: f"  m{n}: Hello\n"),
    "waiting fields": of_lines(HEAD + "GATHER:\n", lambda n: f"  f{n}:\n    depends_on: [f{n + 1}]\n"),
    "fields that wait for all": then(
        of_lines(HEAD + "GATHER:\n", lambda n: f"  f{n}:\n    type: string\n"),
        of_numbered_signs("  g:\n    depends_on: [f0", lambda n: f", f{n}", "]\n"),
    ),
    "rings of fields": of_lines(HEAD + "GATHER:\n", lambda n: f"  f{n}:\n    depends_on: [f{n ^ 1}, f0]\n"),
    "undeclared intents": then(
        of_lines(HEAD + "INTENTS:\n", lambda n: f"  - name: pay_{n}\n    examples: [a]\n"),
        of_lines("HANDOFF:\n", lambda n: f'  - TO: B\n    WHEN: intent.category == "pya_{n}"\n'),
    ),
    "return handlers": then(
        of_lines(HEAD + "RETURN_HANDLERS:\n", lambda n: f"  h{n}:\n    RESPOND: x\n"),
        of_lines("HANDOFF:\n", lambda n: f"  - TO: B\n    RETURN: true\n    ON_RETURN: hh{n}\n"),
    ),
    "rules before tools": of_lines(
        HEAD + "CONSTRAINTS:\n", lambda n: f"  - REQUIRE a{n} == 1 WHEN b{n} BEFORE calling f{n}\n    ON_FAIL: x\n"
    ),
    "stored values": of_lines(
        HEAD + "MEMORY:\n  remember:\n", lambda n: f"    - WHEN: a{n} IS SET\n      STORE: {{b, c}} -> user.d{n}\n"
    ),
    "stored fields": of_numbered_signs(
        HEAD + "MEMORY:\n  remember:\n    - WHEN: a\n      STORE: {b", lambda n: f", c{n}", "} -> user.d\n"
    ),
    "passed names": of_numbered_signs(HEAD + "HANDOFF:\n  - TO: B\n    pass: [a", lambda n: f", b{n}", "]\n"),
    "summaries": of_numbered_signs(HEAD + "HANDOFF:\n  - TO: B\n    summary: a", lambda n: f" {{b{n}}}"),
    "lookup values": of_numbered_signs(HEAD + "LOOKUP_TABLES:\n  t:\n    values: [a", lambda n: f", b{n}", "]\n"),
    "used profiles": of_numbered_signs(HEAD + "USE BEHAVIOR_PROFILE: a", lambda n: f", b{n}"),
    "profile steps": of_lines(
        "BEHAVIOR_PROFILE: p\nPRIORITY: 1\nWHEN: true\nFLOW:\n  overrides:\n",
        lambda n: f"    s{n}:\n      RESPOND: x\n",
    ),
    "digressions": of_lines(
        HEAD + "FLOW:\n  digressions:\n", lambda n: f"    - INTENT: i{n}\n      RESPOND: x\n      RESUME: true\n"
    ),
    "one digression list in a step": of_lines(
        STEP + "    DIGRESSIONS:\n", lambda n: f"      - INTENT: i{n}\n        GOTO: s{n}\n"
    ),
    "triggers": of_lines(
        HEAD + "ESCALATE:\n  triggers:\n", lambda n: f"    - WHEN: a{n} > 1\n      REASON: r\n      PRIORITY: high\n"
    ),
}
YAML_FORM: dict[str, Shape] = {
    "yaml": of_lines(YAML + "limitations:\n", lambda n: f"  - a{n}\n"),
    "yaml brackets": of_signs(YAML + "limitations: ", "["),
    "yaml braces": of_signs(YAML + "limitations: ", "{a: "),
    "yaml flow list": of_numbered_signs(YAML + "limitations: [a", lambda n: f", b{n}", "]\n"),
    "yaml flow map": of_numbered_signs(YAML + "execution: {a: 1", lambda n: f", b{n}: 1", "}\n"),
    "yaml repeated keys": of_lines(YAML, lambda n: "goal: x\n"),
    "yaml unknown keys": of_lines(YAML, lambda n: f"gaol{n}: x\n"),
    "yaml unknown properties": of_lines(YAML + "execution:\n", lambda n: f"  xq{n}: 1\n"),
    "yaml anchors": of_lines(YAML + "limitations:\n  - &a1000000 x\n", lambda n: f"  - *a{n}\n  - &a{n + 1} y\n"),
    "yaml one alias": of_lines(YAML + "limitations:\n  - &a x\n", lambda n: "  - *a\n"),
    "yaml merges": of_lines("x: &a {b: 1}\n" + YAML + "gather:\n", lambda n: f"  f{n}:\n    <<: *a\n"),
    "yaml doubled aliases": of_lines(
        YAML + "a0: &a1000000 [x, x]\n", lambda n: f"a{n + 1}: &a{n + 1} [*a{n}, *a{n}]\n"
    ),
    "yaml comments": of_lines(YAML, lambda n: "# x\n"),
    "yaml open string": of_lines(YAML + 'persona: "', lambda n: "  a\n\n"),
    "yaml block text": of_lines(YAML + "persona: |\n", lambda n: "  a: b\n"),
    "yaml fields": of_lines(YAML + "gather:\n", lambda n: f"  f{n}:\n    type: string\n    prompt: What {n}\n"),
    "yaml steps": of_lines(YAML + "flow:\n", lambda n: f"  s{n}:\n    respond: x\n    then: s{n + 1}\n"),
    "yaml documents": of_lines(YAML, lambda n: "---\nagent: B\n"),
    "yaml dashes": of_signs(YAML + "limitations:\n  ", "- "),
    "yaml questions": of_lines(YAML, lambda n: "? a\n"),
    "yaml colons": of_signs(YAML + "limitations:\n  ", "a: "),
    "yaml tabs": of_lines(YAML + "limitations:\n", lambda n: "\t- a\n"),
}
NUMBERED_FORM: dict[str, Shape] = {
    "numbered": of_lines(NUMBERED, lambda n: f"  {n + 1}. Say hello\n"),
    "numbered calls": of_lines(NUMBERED, lambda n: f"  {n + 1}. CALL find(a{n}) -> b\n"),
    "numbered again": of_lines(NUMBERED, lambda n: "  1. Say hello\n"),
    "numbered branches": of_lines(NUMBERED, lambda n: f"  {n + 1}. IF a{n} == 1 THEN GOTO {n + 7}\n"),
    "numbered stairs": of_lines(NUMBERED, lambda n: f"{' ' * (2 + n % 63)}{n + 1}. IF a THEN:\n"),
    "numbered without end": of_numbered_signs(NUMBERED + "  1. Say hello", lambda n: f" {n}. Say"),
    "numbered sections": of_lines("AGENT: A\n", lambda n: "STEPS:\n  1. Say hello\n"),
    "numbered odd signs": of_lines(NUMBERED, lambda n: f"  {n + 1}. \u20ac @ \\\n"),
    "numbered open strings": of_lines(NUMBERED, lambda n: f'  {n + 1}. SAY "x\n'),
    "numbered state": of_lines("AGENT: A\nSTATE:\n", lambda n: f"  a{n}: string\n"),
    "numbered agents": of_lines("", lambda n: f"AGENT: A{n}\nSTEPS:\n  1. Say hello\n"),
}
LONG = 9_000
"""Characters of a tag; those above 10,000 are not read."""
ANSWERS = HEAD + "COMPLETE:\n"
TAGS: dict[str, Shape] = {
    "spaces in tags": of_lines(ANSWERS, lambda n: f"  - WHEN: a\n    RESPOND: {{{{{' ' * LONG}a}}}}\n"),
    "spaces in blocks": of_lines(ANSWERS, lambda n: f"  - WHEN: a\n    RESPOND: {{{{#if a{' ' * LONG}b}}}}\n"),
    "calls of calls": of_lines(ANSWERS, lambda n: f"  - WHEN: a\n    RESPOND: {{{{a{'.upper()' * (LONG // 8)}}}}}\n"),
    "typographic quotes in tags": of_lines(
        ANSWERS, lambda n: f"  - WHEN: a\n    RESPOND: {{{{{chr(0x201C) * LONG}}}}}\n"
    ),
    "unknown functions": of_lines(
        ANSWERS, lambda n: f"  - WHEN: [{', '.join(f'fn{n % 100}{k}()' for k in range(700))}]\n"
    ),
    "tags of unknown functions": of_numbered_signs(HEAD + "ON_START:\n  RESPOND: ", lambda n: f"{{{{fn{n}(a)}}}} "),
    "ifs around values": lambda size: (
        f"{HEAD}ON_START:\n  RESPOND: {'{{#if a}}' * (size // 27)}{'{{a}} ' * (size // 18)}{'{{/if}}' * (size // 21)}\n"
    ),
    "faults at the end": then(
        of_lines(HEAD + "ON_START:\n  RESPOND: |\n", lambda n: f"    Hello you {n}\n"),
        of_lines("", lambda n: f"    {{{{a b{n}}}}}\n"),
    ),
    "a hand-over for many reasons": of_lines(HEAD + "HANDOFF:\n", lambda n: f"  - TO: B\n    WHEN: a{' OR b' * 120}\n"),
    "profiles in an agent": then(
        of_lines(HEAD + "GATHER:\n", lambda n: f"  field{n}:\n    type: string\n"),
        of_lines("", lambda n: f"BEHAVIOR_PROFILE: p{n}\n  PRIORITY: {n}\n  WHEN: feild{n} == 1\n"),
    ),
    "arguments that look alike": lambda size: (
        f'{HEAD}{TOOLS}  f(b: string) -> object\n{STEP.removeprefix(HEAD)}    CALL: f("{"a" * size}", '
        + ", ".join(f"{'a' * k}: 1" for k in range(1, 60))
        + ")\n"
    ),
    "a button of spaces": lambda size: (
        f'{HEAD}ON_START:\n  RESPOND: x\n    CAROUSEL:\n      cards: [{{title: a, buttons: ["a{" " * size}b"]}}]\n'
    ),
    "spaces in an open text": of_lines(ANSWERS, lambda n: f'  - WHEN: a == "b{n}{" " * LONG}c\n'),
    "yaml tags": of_signs(YAML + "a: ", "!: "),
}
HOSTILE: dict[str, Shape] = {
    **LINES,
    **SECTIONS,
    **NAMES,
    **VALUES,
    **REFERENCES,
    **ONE_LINE,
    **TAGS,
    **YAML_FORM,
    **NUMBERED_FORM,
}
