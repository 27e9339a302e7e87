import pytest

from abl.legacy import parse_legacy, print_legacy

HEAD = "AGENT: A\nSTEPS:\n  1. A\n"


def test_a_document_is_written_in_one_form():
    text = """AGENT: Old
GOAL: "Find it"

CONTRACT:
  inputs:
    code?: string = "x"

TOOLS:
  find(code: string) -> object

STEPS:
  1. Ask
    RESPOND "Hi"
    WAIT_INPUT said
      INTENT(a, "b c") -> 2
      PATTERN("[A-Z]") -> 2
      MAX_ATTEMPTS: 3 -> End
      DEFAULT -> 1
  2. End
    CALL find(code, n: 3) AS hub
    ON_SUCCESS -> COMPLETE
    IF a == 1 THEN 1
    ELSE:
      SET x = 1
    SIGNAL: COMPLETE
      MESSAGE: "Bye"
"""
    assert print_legacy(parse_legacy(text).document) == text


@pytest.mark.parametrize(
    "lines",
    [
        '    RESPOND "say "x" # y"',
        "    RESPOND: |\n      One\n\n        Two",
        "    SIGNAL: COMPLETE\n      MESSAGE: |\n        a\n        b",
        "    CLASSIFY input\n      [a] -> 1\n    GOTO 1",
        "    ON_FAILURE:\n      IF a THEN 2\n      ELSE -> 1",
        "    CALL f()\n      WITH: a: 1",
        '  2. RESPOND "x"\n    GOTO 1',
        "  3. ELSE: GOTO 1",
        "TESTS:\n  a:\n    input: [1, 2]\n    expected:\n      b: c",
        "STATE:\n  a.b: {c: number}[]\n  d:",
        'AGENTS:\n  - NAME: a\n    DESCRIPTION: "x"\n    CHANNELS: [b]\n  "c d": p',
        "INTENTS:\n  [a] -> b\n  * -> c",
        'ROUTING:\n  - NAME: "r s"\n    WHEN: a == 1\n    WHEN: INTENT_MATCH(b)\n    THEN: ROUTE_TO_USER "hi"\n    FLAGS: [silent]',
        "POLICIES:\n  p:\n    allowed_when: a\nBEHAVIOR:\n  can_respond_directly: no\nCOMMUNICATION:\n  language: de",
        "GATHER:\n  a:\n    prompt: b\nSTATE:\n  c: d",
    ],
)
def test_what_is_printed_is_read_as_the_same_document(lines):
    document = parse_legacy(HEAD + lines + "\n").document
    text = print_legacy(document)
    assert parse_legacy(text).document == document
    assert print_legacy(parse_legacy(text).document) == text
