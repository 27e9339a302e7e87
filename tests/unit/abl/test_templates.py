"""Templates: what they render, what they mention, what is wrong with them. Spec: 6.8."""

from __future__ import annotations

from typing import Any

import pytest

from abl.expressions import Environment
from abl.expressions.faults import apply
from abl.expressions.limits import MAX_NESTING, MAX_OUTPUT_CHARS
from abl.templates import analyse_template, compile_template, interpolate_braces, render_template
from benchmarks.shapes import of_signs
from tests.support.proportion import grows_in_proportion

STATE: dict[str, Any] = {
    "name": "ada",
    "items": [{"n": "a", "tags": ["x", "y"]}, {"n": "b", "tags": []}],
    "price": 1234.5,
    "m": {"k": 1},
    "inj": "{{name}} {name}",
    "since": "2026-01-02T09:55:00Z",
    "yes": True,
    "none": None,
}
ENVIRONMENT = Environment(now="2026-01-02T10:00:00Z")

RENDERED = [
    ("plain } text {", "plain } text {"),
    ("Hi {{name}}, {{ name }}", "Hi ada, ada"),
    ("[{{missing}}{{none}}{{a.b.c}}]", "[]"),
    ("{{m}} {{items[0].tags}}", '{"k": 1} ["x", "y"]'),
    ("{{yes}} {{price}} {{price * 2}}", "true 1234.5 2469"),
    ("{{inj}}", "{{name}} {name}"),
    ("{{name | upper}} {{name|upper|lower}}", "ADA ada"),
    ("{{m | json}} {{name | tojson}}", '{"k": 1} "ada"'),
    ('{{missing | default:"x"}} {{name | default: "x"}}', "x ada"),
    ("{{since | ago}}", "5 minutes ago"),
    ('{{since | date:"DD.MM.YYYY HH:mm"}}', "02.01.2026 09:55"),
    ('{{price | currency:"EUR"}} {{price | currency:"EUR","de"}}', "€1,234.50 1.234,50\u00a0€"),
    ("{{name == 'ada' ? 'yes' : 'no'}}", "yes"),
    ("{{#each items}}{{@index}}.{{this.n}} of {{name}};{{/each}}", "0.a of ada;1.b of ada;"),
    ("{{#each items}}{{#each this.tags}}{{this}}{{@index}}{{/each}}|{{/each}}", "x0y1||"),
    ("{{#each m}}{{@key}}={{this}}{{/each}}{{#each missing}}x{{/each}}", "k=1"),
    ("{{#if name}}a{{/if}}{{#if missing}}b{{/if}}", "a"),
    ("{{#if price > 1000 AND name IS SET}}a{{else}}b{{/if}}", "a"),
    ("{{#if missing}}a{{else if name == 'ada'}}b{{else}}c{{/if}}", "b"),
    ("{{#if missing}}a{{else if missing}}b{{else}}c{{/if}}.", "c."),
    ('{"a":{"b":"{{name}}","c":{{price}}}}', '{"a":{"b":"ada","c":1234.5}}'),
    ("{{ DEFAULT(missing, '}}') }}", "}}"),
    ("{{name", "{{name"),
    ("{{a b}}!", "!"),
    ("{{secrets.KEY}}", ""),
    ("{{name | uper}}", "ada"),
]


@pytest.mark.parametrize(("text", "expected"), RENDERED)
def test_a_template_renders(text: str, expected: str) -> None:
    assert compile_template(text).render(STATE, ENVIRONMENT) == expected
    assert render_template(text, STATE, ENVIRONMENT) == expected


def test_a_template_is_rendered_again_and_again() -> None:
    template = compile_template("{{name}}{{#each items}}{{this.n}}{{/each}}")
    assert [template.render(STATE), template.render({"name": 1}), template.render(STATE)] == ["adaab", "1", "adaab"]


def test_the_names_of_an_each_hide_nothing_behind_it() -> None:
    text = "{{#each items}}{{/each}}{{this}}{{@index}}"
    assert render_template(text, {**STATE, "this": "outer"}) == "outer"


def test_what_a_template_mentions_is_known() -> None:
    analysis = analyse_template("{{a.b}} {{#each items}}{{this.x}}{{@index}}{{c | upper}}{{/each}}{{#if d > 1}}{{/if}}")
    assert analysis.paths == ("a.b", "items", "c", "d")
    assert [node.kind for node in analysis.expressions][:2] == ["variable", "variable"]
    assert analysis.faults == ()


def test_the_nodes_know_their_place_in_the_whole_text() -> None:
    text = "Hello {{ user.name | upper }}{{#if a > 1}}{{/if}}"
    call, condition = analyse_template(text).expressions
    variable = call.arguments[0]  # type: ignore[union-attr]
    assert text[variable.start : variable.start + variable.length] == "user.name"
    assert text[condition.start : condition.start + condition.length] == "a > 1"


FAULTS = [
    ("a {{name", "TEMPLATE_UNCLOSED", "{{name", "a {{name}}"),
    ("{{ name } b", "TEMPLATE_UNCLOSED", "{{ name ", "{{ name }} b"),
    ("{{name and {{price}}", "TEMPLATE_UNCLOSED", "{{name", "{{name}} and {{price}}"),
    ("{{#each items}}x", "TEMPLATE_SYNTAX", "{{#each items}}", "{{#each items}}x{{/each}}"),
    ("{{#if a}}x\n", "TEMPLATE_SYNTAX", "{{#if a}}", "{{#if a}}x{{/if}}\n"),
    (
        "{{#if a}}{{#each b}}x{{/if}}",
        "TEMPLATE_SYNTAX",
        "{{#each b}}",
        "{{#if a}}{{#each b}}x{{/each}}{{/if}}",
    ),
    ("x{{/if}}", "TEMPLATE_SYNTAX", "{{/if}}", "x"),
    ("{{#if a}}x{{/each}}", "TEMPLATE_SYNTAX", "{{/each}}", "{{#if a}}x{{/if}}"),
    ("x{{else}}", "TEMPLATE_SYNTAX", "{{else}}", "x"),
    ("{{}}x", "TEMPLATE_SYNTAX", "{{}}", "x"),
    ("{{{name}}}", "TEMPLATE_SYNTAX", "{{name}}", "{{name}}"),
    ("{{#fi a}}x{{/fi}}", "TEMPLATE_SYNTAX", "{{#fi a}}", "{{#if a}}x{{/fi}}"),
    ("{{#if}}x{{/if}}", "TEMPLATE_SYNTAX", "{{#if}}", None),
    ("{{#each}}x{{/each}}", "TEMPLATE_SYNTAX", "{{#each}}", None),
    ("{{#if a IS ST}}x{{/if}}", "TEMPLATE_SYNTAX", "ST", "{{#if a IS SET}}x{{/if}}"),
    ("{{#if a = 1}}x{{/if}}", "SINGLE_EQUALS", "=", "{{#if a == 1}}x{{/if}}"),
    ("{{a b}}", "TEMPLATE_SYNTAX", "b", None),
    ("{{a + }}", "TEMPLATE_SYNTAX", "", "{{a }}"),
    ("{{name | uper}}", "TEMPLATE_UNKNOWN_FILTER", "uper", "{{name | upper}}"),
    ("{{name | }}", "TEMPLATE_SYNTAX", "", None),
    ("{{UPER(name)}}", "FUNCTION_UNKNOWN", "UPER", "{{UPPER(name)}}"),
]


@pytest.mark.parametrize(("text", "code", "covered", "mended"), FAULTS)
def test_a_mistake_is_one_fault_with_its_place_and_its_fix(
    text: str, code: str, covered: str, mended: str | None
) -> None:
    (fault,) = analyse_template(text).faults
    assert fault.code == code
    assert text[fault.start : fault.start + fault.length] == covered
    assert (apply(text, fault.fix) if fault.fix else None) == mended


def test_what_is_no_text_is_a_fault() -> None:
    assert analyse_template(None).faults[0].code == "TEMPLATE_SYNTAX"


def test_blocks_are_nested_up_to_a_bound() -> None:
    def nested(depth: int) -> str:
        return "{{#if a}}" * depth + "x" + "{{/if}}" * depth

    assert analyse_template(nested(MAX_NESTING)).faults == ()
    assert compile_template(nested(MAX_NESTING)).render({"a": 1}) == "x"
    assert analyse_template(nested(MAX_NESTING + 1)).faults[0].code == "TEMPLATE_SYNTAX"
    assert compile_template(nested(3_000)).render({"a": 1}) == "x"
    assert compile_template("{{#if a}}" + "{{else if b}}" * 3_000 + "{{/if}}").render({}) == ""


def test_what_stands_in_a_block_that_is_none_keeps_its_place() -> None:
    assert render_template("a{{#of x}}b{{#to y}}{{n}}{{/to}}d{{/of}}e", {"n": "c"}) == "abcde"
    assert render_template("{{#if n}}a{{#of x}}b{{/of}}{{else}}c{{#of x}}d{{/of}}{{/if}}", {}) == "cd"


@pytest.mark.parametrize(("before", "after"), [("{{", "a}}"), ("{{#if a", "b}}"), ("{{#if a}}{{else if a", "b}}")])
def test_spaces_in_a_tag_are_looked_at_once(before: str, after: str) -> None:
    grows_in_proportion(analyse_template, of_signs(before, " ", after), 9_000)


def test_after_many_faults_no_more_words_are_guessed() -> None:
    faults = analyse_template("{{LENGHT(a)}}" * 100).faults
    assert len(faults) == 100
    assert [bool(one.fix) for one in faults] == [True] * 50 + [False] * 50


def test_output_and_work_are_bounded() -> None:
    many = {"n": list(range(3_000)), "long": "x" * 5_000}
    assert len(render_template("{{#each n}}{{long}}{{/each}}", many)) == MAX_OUTPUT_CHARS
    assert render_template("{{#each n}}{{#each n}}{{#each n}}{{/each}}{{/each}}{{/each}}", many) == ""


def test_single_braces_are_filled_for_known_paths_only() -> None:
    text = "/{name}/{m.k}/{unknown}/{{name}}/{not a path}/{inj}"
    assert interpolate_braces(text, STATE) == "/ada/1/{unknown}/{{name}}/{not a path}/{{name}} {name}"


ESCAPED = [
    (r"{{price | currency:\"EUR\"}}", "€1,234.50"),
    (r"{{#if name == \"ada\"}}yes{{else}}no{{/if}}", "yes"),
    (r"{{name == \"ada\" ? \"a b\" : \"c\"}}", "a b"),
    (r"say \"{{name}}\"", r"say \"ada\""),
    (r"""{{ "a \"b\"" }}""", 'a "b"'),
]


@pytest.mark.parametrize(("text", "rendered"), ESCAPED)
def test_strings_of_a_quoted_value_may_be_escaped(text: str, rendered: str) -> None:
    assert analyse_template(text).faults == ()
    assert render_template(text, STATE, ENVIRONMENT) == rendered


def test_an_escaped_quote_without_its_other_is_still_a_fault() -> None:
    assert [one.code for one in analyse_template(r"{{ name + \" }}").faults] == ["TEMPLATE_SYNTAX"]
