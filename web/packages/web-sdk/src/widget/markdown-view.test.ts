/** A text that grows is read and rendered piece by piece: what is finished of it is not touched again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Window } from "happy-dom";
import { MarkdownView } from "./dom.ts";
import { blocks, GrowingText } from "./markdown.ts";

Object.assign(globalThis, { document: new Window().document });

/** What may come next, and what it may do to what is there. */
const PIECES = ["word", " ", "\n", "\n\n", "-", "- item", "--", "\n---", "1.", "1. one", "#", "## head", "> said", "```", "\n```\n", "~~~", "**b", "**", "`", "\r", "\r\n", "*", "_"];
const TEXTS = 1_000;
const PIECES_PER_TEXT = 30;

test("pieces make the blocks of the whole text, however it is cut, and none that is finished changes", () => {
  let seed = 7;
  const chance = (below: number): number => (seed = (seed * 16_807) % 2_147_483_647) % below;
  for (let at = 0; at < TEXTS; at += 1) {
    const growing = new GrowingText();
    let text = "";
    for (let piece = 0; piece < PIECES_PER_TEXT; piece += 1) {
      text += PIECES[chance(PIECES.length)] ?? "";
      const before = growing.blocks.map((one) => one.source);
      const same = growing.grow(text);
      const plain = ({ at: _, ...rest }: (typeof growing.blocks)[number]): object => rest;
      assert.deepEqual(growing.blocks.map(plain), blocks(text).map(plain), JSON.stringify(text));
      assert.deepEqual(growing.blocks.slice(0, same).map((one) => one.source), before.slice(0, same));
    }
  }
});

test("another text in the place of the first one is read from its beginning", () => {
  const growing = new GrowingText();
  growing.grow("one\n\ntwo\n\nthree");
  assert.equal(growing.grow("one\n\nother\n\nthree"), 1);
  assert.deepEqual(growing.blocks.map((one) => one.source), ["one", "other", "three"]);
  assert.equal(growing.grow(""), 0);
  assert.deepEqual(growing.blocks, []);
});

test("a text of 500 blocks in 5,000 pieces: each block is read and made once but for the two at the end, and stays", (told) => {
  const whole = Array.from({ length: 500 }, (_, at) => (at % 3 ? `Paragraph ${at} of **some** words` : `- item ${at}\n- and more`)).join("\n\n");
  const shown = document.createElement("div");
  const view = new MarkdownView(shown);
  let made = 0;
  const read = told.mock.method(String.prototype, "matchAll").mock; // once for each run of text that may have marks
  const create = document.createElement;
  document.createElement = ((name: string) => {
    if (["p", "ul"].includes(name)) made += 1;
    return create.call(document, name);
  }) as typeof document.createElement;
  const step = Math.ceil(whole.length / 5_000);
  const settled: Node[] = [];
  let steps = 0;
  for (let end = step; end < whole.length + step; end += step) {
    view.show(whole.slice(0, end));
    steps += 1;
    const finished = shown.childNodes.length - 2;
    while (settled.length < finished) settled.push(shown.childNodes[settled.length]!);
  }
  assert.equal(shown.childNodes.length, 500);
  assert.deepEqual(settled.filter((node, at) => shown.childNodes[at] !== node), []);
  assert.ok(made <= steps + 500, `${made} made in ${steps} pieces`);
  assert.ok(read.callCount() <= 4 * steps, `${read.callCount()} read in ${steps} pieces`);
});
