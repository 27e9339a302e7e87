import assert from "node:assert/strict";
import { test } from "node:test";
import { EventReader, type WrittenEvent } from "./sse.ts";

const TEXT = ': heartbeat\n\nid: s:1\nevent: a\ndata: {"x":\ndata: 1}\n\nevent:b\r\ndata: "ü"\r\n\r\nretry: 5\ndata\n\nid: s:2\rdata: [\r\r: end\n\nevent: lost\ndata: 1\n';
const EVENTS: WrittenEvent[] = [
  { event: "a", data: '{"x":\n1}', id: "s:1" },
  { event: "b", data: '"ü"', id: "" },
  { event: "", data: "", id: "" },
  { event: "", data: "[", id: "s:2" },
];

test("events are the same wherever a stream was cut into pieces", () => {
  for (let size = 1; size <= TEXT.length; size += 1) {
    const reader = new EventReader();
    const read: WrittenEvent[] = [];
    for (let at = 0; at < TEXT.length; at += size) read.push(...reader.read(TEXT.slice(at, at + size)));
    assert.deepEqual(read, EVENTS, `in pieces of ${size}`);
  }
});

test("what has come of an event that does not end is counted", () => {
  const reader = new EventReader();
  reader.read("data: 12345\ndata: 678");
  assert.equal(reader.waiting, 5 + 9);
  reader.read("\n\n");
  assert.equal(reader.waiting, 0);
});
