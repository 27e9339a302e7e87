"""The benchmark of the diagnostics makes the mistakes it names and judges the answers by their lines."""

from benchmarks.diagnostics import answer, findings
from benchmarks.mutations import DELETED, Mutation, mutations
from benchmarks.slips import ALL_RULES

LIBRARY = 'TOOLS:\n  find_it(code: string) -> object\n    description: "d"\n    endpoint: "https://a.example/{code}"\n'


def test_a_line_left_out_is_expected_at_its_owner():
    made = [one for one in mutations({"t.abl": LIBRARY}, 500) if one.rule == "binding_left_out"]
    assert [(one.lines, one.after.count("\n")) for one in made] == [((2,), LIBRARY.count("\n") - 1)]
    assert DELETED not in made[0].after


def test_a_mistake_is_answered_only_by_a_finding_on_its_line():
    spoilt = Mutation("x", "t.abl", LIBRARY, LIBRARY.replace("{code}", "{cdoe}"), (4,))
    right = answer(spoilt, {"t.abl": LIBRARY}, findings({"t.abl": LIBRARY}))
    assert (right.on_line, right.mended, right.follow_ups, right.failed) == (True, True, 0, False)
    elsewhere = Mutation("x", "t.abl", LIBRARY, spoilt.after, (2,))
    assert not answer(elsewhere, {"t.abl": LIBRARY}, findings({"t.abl": LIBRARY})).on_line


def test_every_rule_says_what_it_does():
    assert len(ALL_RULES) >= 50
    assert all(name.isidentifier() for name in ALL_RULES)
