import assert from "node:assert/strict";
import { test } from "node:test";
import { Pcm16Reader, fromBase64, levelDb, readAudioFrame, toBase64, toPcm16 } from "./pcm.ts";

test("samples are little-endian, and what is too loud is cut off and does not wrap", () => {
  const bytes = toPcm16(Float32Array.of(0, 0.5, -0.5, 1, -1, 3, -3, 1 / 32_768));
  assert.equal(Buffer.from(bytes).toString("hex"), "0000" + "0040" + "00c0" + "ff7f" + "0080" + "ff7f" + "0080" + "0100");
});

test("what was written is read, however it is cut", () => {
  const given = Float32Array.from({ length: 100 }, (_, at) => Math.round(Math.sin(at) * 30_000) / 32_768);
  const bytes = toPcm16(given);
  for (const length of [1, 2, 3, 7, 200]) {
    const reader = new Pcm16Reader();
    const read: number[] = [];
    for (let at = 0; at < bytes.length; at += length) read.push(...reader.push(bytes.subarray(at, at + length)));
    assert.deepEqual(Float32Array.from(read), given);
  }
});

test("base64 both ways, also of more than an engine takes at once", () => {
  const bytes = Uint8Array.from({ length: 100_001 }, (_, at) => (at * 31) % 256);
  assert.equal(toBase64(bytes), Buffer.from(bytes).toString("base64"));
  assert.deepEqual(fromBase64(toBase64(bytes)), bytes);
  assert.throws(() => fromBase64("%"));
});

test("a binary frame has its header, and one of another form is none", () => {
  const frame = Uint8Array.of(1, 2, 1, 0, 7, 1, 0, 0, 9, 8, 7);
  assert.deepEqual(readAudioFrame(frame.buffer), { format: "mp3", isLast: true, response: 263, audio: Uint8Array.of(9, 8, 7) });
  assert.equal(readAudioFrame(Uint8Array.of(1, 1, 2, 0, 7, 0, 0, 0).buffer)?.isLast, false);
  for (const other of [Uint8Array.of(2, 1, 0, 0, 0, 0, 0, 0), Uint8Array.of(1, 9, 0, 0, 0, 0, 0, 0), Uint8Array.of(1, 1, 0)]) {
    assert.equal(readAudioFrame(other.buffer), null);
  }
});

test("a level is that of the power", () => {
  assert.ok(Math.abs(levelDb(Float32Array.of(1, -1, 1)) - 0) < 1e-9);
  assert.ok(Math.abs(levelDb(Float32Array.of(0.1, -0.1)) + 20) < 1e-5);
  assert.ok(levelDb(new Float32Array(10)) <= -100);
});
