/**
 * The part of Markdown that agents write, as a tree of plain values: no HTML goes in and none comes out. A block is known by
 * its source, so a page that is told more of a text renders only what has changed: `firstChanged`.
 */
export type Inline = string | { tag: "strong" | "em" | "del" | "code" | "a"; href?: string; children: Inline[] };

export type Block =
  | { kind: "paragraph" | "quote"; source: string; children: Inline[] }
  | { kind: "heading"; source: string; level: number; children: Inline[] }
  | { kind: "list"; source: string; ordered: boolean; start: number; items: Inline[][] }
  | { kind: "code"; source: string; text: string }
  | { kind: "rule"; source: string };

/** How long what stands between two marks may be; keeps the time linear in the text. */
const MARKED_MAX_CHARS = 1_000;
const DEPTH_MAX = 6;
const M = MARKED_MAX_CHARS;
const MARKS = new RegExp(
  `\`([^\`]{1,${M}})\`|\\*\\*(\\S[^]{0,${M}}?)\\*\\*(?!\\*)|~~(\\S[^]{0,${M}}?)~~|\\*(\\S[^*]{0,${M}})\\*|\\[([^\\]\\[]{1,${M}})\\]\\(([^()\\s]{1,${M}})\\)|(https?:\\/\\/[^\\s<>()\\[\\]"']{1,${M}}[^\\s<>()\\[\\]"'.,;:!?])`,
  "g",
);
const FENCE = /^\s{0,3}(```+|~~~+)/;
const HEADING = /^(#{1,6})\s+(.*)$/;
const ITEM = /^\s{0,3}(?:[-*+]|(\d{1,9})[.)])(?:\s+(.*))?$/;
const RULE = /^\s{0,3}([-*_])(?:\s*\1){2,}\s*$/;
const QUOTE = /^\s{0,3}>\s?(.*)$/;
const SAFE_LINK = /^(?:https?:\/\/|mailto:)/i;

/** Return what stands in a line, marks resolved; a link goes to http, https or mail and nowhere else. */
export function inlines(text: string, depth = 0): Inline[] {
  if (depth > DEPTH_MAX) return [text];
  const found: Inline[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKS)) {
    const [whole, code, strong, del, em, label, target, bare] = match;
    const href = target ?? bare;
    if (href !== undefined && !SAFE_LINK.test(href)) continue;
    if (match.index > at) found.push(text.slice(at, match.index));
    at = match.index + whole.length;
    if (code !== undefined) found.push({ tag: "code", children: [code] });
    else if (href !== undefined) found.push({ tag: "a", href, children: label === undefined ? [href] : inlines(label, depth + 1) });
    else if (strong !== undefined) found.push({ tag: "strong", children: inlines(strong, depth + 1) });
    else if (del !== undefined) found.push({ tag: "del", children: inlines(del, depth + 1) });
    else found.push({ tag: "em", children: inlines(em ?? "", depth + 1) });
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}

/** Return the blocks of a text, in order. A code block that is not closed yet goes to the end. */
export function blocks(text: string): Block[] {
  const lines = text.replace(/\r\n?/g, "\n").split("\n");
  const found: Block[] = [];
  let at = 0;
  const take = (holds: (line: string) => boolean): string[] => {
    const from = at;
    while (at < lines.length && holds(lines[at] ?? "")) at += 1;
    return lines.slice(from, at);
  };
  while (at < lines.length) {
    const line = lines[at] ?? "";
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (!line.trim()) at += 1;
    else if (fence) {
      at += 1;
      const inside = take((one) => !one.trim().startsWith(fence));
      const closed = at < lines.length;
      at += 1;
      found.push({ kind: "code", source: `${line}\n${inside.join("\n")}\n${closed ? fence : ""}`, text: inside.join("\n") });
    } else if (heading) {
      at += 1;
      found.push({ kind: "heading", source: line, level: (heading[1] ?? "#").length, children: inlines(heading[2] ?? "") });
    } else if (RULE.test(line)) {
      at += 1;
      found.push({ kind: "rule", source: line });
    } else if (QUOTE.test(line)) {
      const inside = take((one) => QUOTE.test(one));
      found.push({ kind: "quote", source: inside.join("\n"), children: inlines(inside.map((one) => QUOTE.exec(one)?.[1] ?? "").join("\n")) });
    } else if (item) {
      const ordered = item[1] !== undefined;
      const inside = take((one) => ITEM.test(one) && (ITEM.exec(one)?.[1] !== undefined) === ordered && !RULE.test(one));
      const items = inside.map((one) => inlines(ITEM.exec(one)?.[2] ?? ""));
      found.push({ kind: "list", source: inside.join("\n"), ordered, start: Number(item[1] ?? 1), items });
    } else {
      const inside = take((one) => Boolean(one.trim()) && !FENCE.test(one) && !HEADING.test(one) && !ITEM.test(one) && !QUOTE.test(one) && !RULE.test(one));
      found.push({ kind: "paragraph", source: inside.join("\n"), children: inlines(inside.join("\n")) });
    }
  }
  return found;
}

/** Return how many blocks at the beginning are the same in both, and need no rendering. */
export function firstChanged(before: readonly Block[], after: readonly Block[]): number {
  let at = 0;
  while (at < before.length && at < after.length && before[at]?.kind === after[at]?.kind && before[at]?.source === after[at]?.source) at += 1;
  return at;
}
