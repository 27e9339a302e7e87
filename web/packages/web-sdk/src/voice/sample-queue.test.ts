import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, pieces, sine } from "../../testing/sounds.ts";
import { SampleQueue } from "./sample-queue.ts";

const BLOCK = 128;

/** Read so many blocks, one after the other. */
function blocks(queue: SampleQueue, count: number): Float32Array {
  const read: Float32Array[] = [];
  for (let turn = 0; turn < count; turn += 1) {
    const block = new Float32Array(BLOCK).fill(9);
    queue.read(block);
    read.push(block);
  }
  return joined(...read);
}

test("pieces of every length are played one behind the other without a gap", () => {
  const given = sine(24_000, 200, 440);
  for (const lengths of [[1], [127], [128], [129], [4_800], [3, 500, 64]]) {
    const queue = new SampleQueue();
    for (const piece of pieces(given, lengths)) queue.push(piece);
    assert.equal(queue.length, given.length);
    const played = blocks(queue, Math.ceil(given.length / BLOCK));
    assert.deepEqual(played.subarray(0, given.length), given);
    assert.deepEqual([queue.length, queue.played], [0, given.length]);
  }
});

test("behind the end there is silence, and what comes later goes on in the next block", () => {
  const queue = new SampleQueue();
  queue.push(new Float32Array(100).fill(1));
  const block = new Float32Array(BLOCK).fill(9);
  assert.equal(queue.read(block), 100);
  assert.deepEqual([...block.subarray(98, 102)], [1, 1, 0, 0]);
  assert.equal(queue.read(block), 0);
  assert.ok(block.every((sample) => sample === 0));
  queue.push(new Float32Array(200).fill(2));
  assert.equal(queue.read(block), BLOCK);
});

test("a pause is silence and loses nothing", () => {
  const queue = new SampleQueue();
  const given = sine(24_000, 100, 440);
  queue.push(given);
  const before = blocks(queue, 3);
  queue.isPaused = true;
  assert.ok(blocks(queue, 5).every((sample) => sample === 0));
  queue.isPaused = false;
  const behind = blocks(queue, Math.ceil(given.length / BLOCK) - 3);
  assert.deepEqual(joined(before, behind).subarray(0, given.length), given);
});

test("nothing of what was cleared is played, also when it was paused in the middle of a piece", () => {
  const queue = new SampleQueue();
  queue.push(new Float32Array(1_000).fill(1));
  blocks(queue, 2);
  queue.isPaused = true;
  queue.clear();
  queue.push(new Float32Array(BLOCK).fill(2));
  assert.deepEqual([queue.length, queue.played], [BLOCK, 0]);
  assert.ok(blocks(queue, 1).every((sample) => sample === 2));
});

test("an empty piece is nothing", () => {
  const queue = new SampleQueue();
  queue.push(new Float32Array(0));
  queue.push(new Float32Array(BLOCK).fill(1));
  assert.ok(blocks(queue, 1).every((sample) => sample === 1));
});
