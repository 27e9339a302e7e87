"""CONSTRAINTS and STEP_CONSTRAINTS: `- KIND condition` items under labels. Spec: abl-language 3.6."""

from __future__ import annotations

import re

from abl.parser.joining import FLOWING, in_one_line, text_end
from abl.parser.reader import Reader, reads
from abl.parser.scalars import is_formula, scalar
from abl.parser.slips import is_slip
from abl.parser.values import bare_formula
from abl.syntax.node import Kind, Node, Prop
from abl.syntax.rules import RULE_KINDS, Constraint

_KIND = re.compile(r"(REQUIRE|WARN|LIMIT|RESTRICT)\b(?:\s*:|(?=\s|$))\s*", re.IGNORECASE)
_MODIFIER = re.compile(r"\b(WHEN|BEFORE)\b\s*:?\s*", re.IGNORECASE)
_LABEL = re.compile(r"([A-Za-z_][\w \-]*):\s*(?:#.*)?\Z")


@reads(Kind.RULES)
def read_rules(r: Reader, node: Node, row: Prop, k: int, end: int, value: str, off: int) -> None:
    """Read all rules of a section; plain items are counted in one warning."""
    rules: list[Constraint] = getattr(node, row.field)
    node.at[row.field] = off
    plain: list[int] = []
    read_lines(r, rules, k + 1, end, "", plain)
    if plain:
        first = plain[0]
        r.report_line("CONSTRAINT_PLAIN_ITEM", first, value=str(len(plain)), section=row.key)


def read_lines(r: Reader, rules: list[Constraint], k: int, end: int, phase: str, plain: list[int]) -> None:
    """Read lines `k` to `end` as rules of one label."""
    if k >= end or not r.deeper(k):
        return
    while k < end:
        stop = r.ends[k] if r.ends[k] < end else end
        text = r.texts[k]
        bare = text[1:].lstrip() if text[0] == "-" else text
        offset = r.offsets[k] + len(text) - len(bare)
        kind = _KIND.match(bare)
        if kind and (text[0] == "-" or kind[1].isupper()):
            rules.append(_rule(r, k, stop, bare, offset, kind, phase))
        elif text[0] != "-" and _LABEL.match(text) and rules_key(text) is None:
            read_lines(r, rules, k + 1, stop, _LABEL.match(text)[1].strip(), plain)  # type: ignore[index]
        elif text[0] != "-" and rules and rules_key(text):
            r.line(rules[-1], k, stop, text, r.offsets[k])
        else:
            _odd_rule(r, rules, k, stop, bare, offset, phase, plain)
        k = stop
    r.leave()


def rules_key(text: str) -> str | None:
    """Return the property a line without a dash sets on the rule before it, if it is one."""
    row = Constraint.BY_KEY.get(text.partition(":")[0].strip().upper())
    return row.field if row else None


def _odd_rule(
    r: Reader, rules: list[Constraint], k: int, stop: int, bare: str, offset: int, phase: str, plain: list[int]
) -> None:
    word = re.match(r"[A-Za-z_]+", bare)
    meant = r.near(word[0], [kind.upper() for kind in RULE_KINDS]) if word and word[0].isupper() else None
    if word and meant and is_slip(word[0], meant):
        fix = r.edit(offset, len(word[0]), meant, f"write `{meant}`")
        r.report("MISSPELT_PROPERTY", offset, len(word[0]), fix, name=word[0], expected=meant, suggestion=meant)
        rest = meant + bare[word.end() :]
        kind = _KIND.match(rest)
        if kind:
            shift = len(word[0]) - len(meant)
            rules.append(_rule(r, k, stop, rest, offset + shift, kind, phase))
            return
    rule = r.new(Constraint, k)
    rule.phase = phase
    row = Constraint.BY_KEY.get(bare.partition(":")[0].strip().upper())
    if row is not None and ":" in bare:
        rule.kind = "require"
        last = text_end(r, rule, k, stop, bare.partition(":")[2].strip()) if row.kind in FLOWING else k + 1
        r.line(rule, k, last, bare, offset)
        r.props(rule, last, stop)
    else:
        last = text_end(r, rule, k, stop, bare, prose=True) if stop > k + 1 else stop
        rule.text, place = scalar(r, in_one_line(r, k, last, bare), offset)
        if k in r.lines.blocks:
            rule.text, place = r.lines.block_text(k), r.lines.block_offset(k)
        if is_formula(rule.text):
            rule.kind, rule.condition, rule.text = "require", rule.text, ""
            rule.at["condition"] = place
        else:
            rule.at["text"] = place
            plain.append(k)
        r.props(rule, last, stop)
    rules.append(rule)


def _rule(r: Reader, k: int, stop: int, bare: str, offset: int, kind: re.Match[str], phase: str) -> Constraint:
    rule = r.new(Constraint, k)
    rule.kind, rule.phase = kind[1].lower(), phase
    rule.at["kind"] = offset
    begin = kind.end()
    below = text_end(r, rule, k, stop, bare[begin:]) if stop > k + 1 else stop
    body = bare_formula(in_one_line(r, k, below, bare[begin:]))
    if k in r.lines.blocks:
        body = r.lines.block_text(k).replace("\n", " ")
    place = r.lines.block_offset(k) if k in r.lines.blocks else offset + begin
    if not body.strip('"').strip():
        r.report("MALFORMED_CONSTRAINT", offset, len(bare), value=bare, name=kind[1])
    if len(body) > 1 and body[0] == '"' == body[-1] and '"' not in body[1:-1] and _MODIFIER.search(body) is None:
        body, place = body[1:-1], place + 1
    cuts = _modifiers(body)
    rule.condition = (body[: cuts[0].start()] if cuts else body).strip()
    rule.at["condition"] = place
    for index, cut in enumerate(cuts):
        last = cuts[index + 1].start() if index + 1 < len(cuts) else len(body)
        field = cut[1].lower()
        setattr(rule, field, body[cut.end() : last].strip())
        rule.at[field] = place + cut.end()
    r.props(rule, below, stop)
    return rule


def _modifiers(text: str) -> list[re.Match[str]]:
    """Return the WHEN and BEFORE that stand outside quotes and parentheses; one pass, however many there are."""
    found: list[re.Match[str]] = []
    depth = at = 0
    quote = ""
    upper = text.upper()
    if "WHEN" not in upper and "BEFORE" not in upper:
        return found
    for cut in _MODIFIER.finditer(text):
        for sign in text[at : cut.start()]:
            if quote:
                if sign == quote:
                    quote = ""
            elif sign in "\"'":
                quote = sign
            elif sign in "([{":
                depth += 1
            elif sign in ")]}":
                depth -= 1
        at = cut.start()
        if at > 0 and not quote and depth <= 0:
            found.append(cut)
    return found
