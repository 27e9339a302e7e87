/**
 * The part of Markdown that agents write, as a tree of plain values: no HTML goes in and none comes out. A block is known by
 * its source, so a page that is told more of a text renders only what has changed; `GrowingText` reads only what may have.
 */
export type Inline = string | { tag: "strong" | "em" | "del" | "code" | "a"; href?: string; children: Inline[] };

/** `at` is where it begins in the text, in UTF-16 units. */
export type Block = { at: number; source: string } & (
  | { kind: "paragraph" | "quote"; children: Inline[] }
  | { kind: "heading"; level: number; children: Inline[] }
  | { kind: "list"; ordered: boolean; start: number; items: Inline[][] }
  | { kind: "code"; text: string }
  | { kind: "rule" }
);

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
    else found.push({ tag: "em", children: inlines(em!, depth + 1) });
  }
  if (at < text.length) found.push(text.slice(at));
  return found;
}

/** Return the blocks of a text, in order. A code block that is not closed yet goes to the end. */
export function blocks(text: string): Block[] {
  const lines = plainLines(text).split("\n");
  const found: Block[] = [];
  let next = 0;
  let offset = 0;
  const take = (holds: (line: string) => boolean): string[] => {
    const from = next;
    for (; next < lines.length && holds(lines[next]!); next += 1) offset += lines[next]!.length + 1;
    return lines.slice(from, next);
  };
  const one = (): boolean => {
    offset += (lines[next] ?? "").length + 1;
    next += 1;
    return next <= lines.length;
  };
  while (next < lines.length) {
    const line = lines[next]!;
    const at = offset;
    const fence = FENCE.exec(line)?.[1];
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (!line.trim()) one();
    else if (fence) {
      one();
      const inside = take((told) => !told.trim().startsWith(fence)).join("\n");
      const closing = one() ? fence : "";
      found.push({ at, kind: "code", source: `${line}\n${inside}\n${closing}`, text: inside });
    } else if (heading) {
      one();
      found.push({ at, kind: "heading", source: line, level: heading[1]!.length, children: inlines(heading[2]!) });
    } else if (RULE.test(line)) {
      one();
      found.push({ at, kind: "rule", source: line });
    } else if (QUOTE.test(line)) {
      const inside = take((told) => QUOTE.test(told));
      const children = inlines(inside.map((told) => QUOTE.exec(told)![1]).join("\n"));
      found.push({ at, kind: "quote", source: inside.join("\n"), children });
    } else if (item) {
      const ordered = item[1] !== undefined;
      const inside = take((told) => ITEM.test(told) && (ITEM.exec(told)![1] !== undefined) === ordered && !RULE.test(told));
      const items = inside.map((told) => inlines(ITEM.exec(told)?.[2] ?? ""));
      found.push({ at, kind: "list", source: inside.join("\n"), ordered, start: Number(item[1] ?? 1), items });
    } else {
      const inside = take((told) => Boolean(told.trim()) && ![FENCE, HEADING, ITEM, QUOTE, RULE].some((form) => form.test(told))).join("\n");
      found.push({ at, kind: "paragraph", source: inside, children: inlines(inside) });
    }
  }
  return found;
}

function plainLines(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Return how many blocks at the beginning are the same in both, and need no rendering. */
export function firstChanged(before: readonly Block[], after: readonly Block[]): number {
  let at = 0;
  while (at < before.length && at < after.length && before[at]?.kind === after[at]?.kind && before[at]?.source === after[at]?.source) at += 1;
  return at;
}

/**
 * A text that is told in pieces. A block is finished once the first line of the next one is whole: nothing that comes can
 * change it, and it is not read again.
 */
export class GrowingText {
  readonly blocks: Block[] = [];
  private _text = "";
  private _finished = 0;
  /** Where the first block begins that is not finished. */
  private _from = 0;

  /** Take the text as it is now; returns how many blocks at the beginning are as they were. */
  grow(told: string): number {
    const text = plainLines(told);
    if (!text.startsWith(this._text)) this._finished = this._from = 0;
    this._text = text;
    const found = blocks(text.slice(this._from));
    const same = this._finished + firstChanged(this.blocks.slice(this._finished), found);
    this.blocks.splice(this._finished, Infinity, ...found);
    const whole = text.lastIndexOf("\n") - this._from;
    let finished = found.length - 1;
    while (finished > 0 && found[finished]!.at > whole) finished -= 1;
    if (finished > 0) {
      this._finished += finished;
      this._from += found[finished]!.at;
    }
    return same;
  }
}
