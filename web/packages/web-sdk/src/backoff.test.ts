import assert from "node:assert/strict";
import { test } from "node:test";
import { ATTEMPTS_MAX, LONGEST_DELAY_MS, delayMs } from "./backoff.ts";

test("the delays are those of the contract, and chance only adds to them", () => {
  const attempts = [1, 2, 3, 4, 5, 6, 7];
  assert.deepEqual(attempts.map((attempt) => delayMs(attempt, 0)), [1000, 2000, 4000, 8000, 16000, 30000, 30000]);
  assert.deepEqual(attempts.map((attempt) => delayMs(attempt, 1)), [1500, 3000, 6000, 12000, 24000, 30000, 30000]);
  assert.equal(ATTEMPTS_MAX, 5);
});

test("what the server asks for is the least, also where that is more than the longest", () => {
  assert.equal(delayMs(1, 0, 5_000), 5_000);
  assert.ok(delayMs(1, 0.99, 60_000) >= 60_000);
  assert.ok(delayMs(1, 0.99, 60_000) <= 60_000 + LONGEST_DELAY_MS);
});
