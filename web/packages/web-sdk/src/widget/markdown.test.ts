import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { inkOn, isColour, luminance } from "./colours.ts";
import { blocks, firstChanged, inlines } from "./markdown.ts";
import { ENGLISH as CHAT, packOf } from "./texts.ts";
import { ENGLISH as CALL } from "./voice-bar.ts";

test("a text has the blocks that its author meant", () => {
  const text = "# Head\n\nOne\ntwo\n\n- a\n- b\n\n3. c\n\n> said\n\n---\n\n```js\n<b>\n\n# no head\n```\nend";
  assert.deepEqual(blocks(text).map((one) => one.kind), ["heading", "paragraph", "list", "list", "quote", "rule", "code", "paragraph"]);
  const list = blocks(text)[3];
  assert.ok(list?.kind === "list" && list.ordered && list.start === 3);
});

test("marks are resolved, and a link goes nowhere but to the web and mail", () => {
  assert.deepEqual(inlines("a **b *c*** `**d**`")[1], { tag: "strong", children: ["b ", { tag: "em", children: ["c"] }] });
  assert.deepEqual(inlines("[x](javascript:alert(1))"), ["[x](javascript:alert(1))"]);
  assert.deepEqual(inlines("[x](data:text/html,1)"), ["[x](data:text/html,1)"]);
  assert.deepEqual(inlines("see https://a.example/b."), ["see ", { tag: "a", href: "https://a.example/b", children: ["https://a.example/b"] }, "."]);
});

test("of a text that grows the finished blocks stay as they are", () => {
  const text = "# A\n\nfirst\n\n- one\n- two\n\n```\ncode\n```\n\nlast **word**";
  let before = blocks("");
  for (let end = 1; end <= text.length; end += 1) {
    const after = blocks(text.slice(0, end));
    assert.ok(firstChanged(before, after) >= before.length - 1, JSON.stringify(text.slice(0, end)));
    before = after;
  }
  assert.deepEqual(before, blocks(text));
});

test("ink on any colour is read: 4.5 to 1 at least", () => {
  for (let at = 0; at < 10_000; at += 1) {
    const colour = `#${((at * 1_677.7216) | 0).toString(16).padStart(6, "0")}`;
    const [low, high] = [luminance(colour), luminance(inkOn(colour))].sort((one, other) => one - other) as [number, number];
    assert.ok((high + 0.05) / (low + 0.05) >= 4.5, colour);
  }
  assert.deepEqual(["#fff", "#12345", "red", "#fff;x"].map(isColour), [true, false, false, false]);
});

test("each language that is named has a file with each text, and no other has one", () => {
  const folder = new URL("languages/", import.meta.url);
  const english: Record<string, string> = { ...CHAT, ...CALL };
  for (const file of readdirSync(folder)) {
    const pack = JSON.parse(readFileSync(new URL(file, folder), "utf8")) as Record<string, string>;
    assert.deepEqual(Object.keys(pack).sort(), Object.keys(english).sort());
    for (const [name, text] of Object.entries(english)) assert.equal(pack[name]?.includes("{n}"), text.includes("{n}"));
    assert.equal(packOf(`${file.slice(0, 2)}-XX`, "https://a.example"), `https://a.example/sdk/agent-widget.${file}`);
  }
  assert.deepEqual([packOf("en-GB", ""), packOf("xx", ""), packOf("", "")], [null, null, null]);
});
