import assert from "node:assert/strict";
import { test } from "node:test";
import { answerId, blake2b, spokenId } from "./derived-ids.ts";

// As the server makes them; tests/web/test_packages.py compares many more with it.
test("the ids are those that the server makes", () => {
  assert.equal(answerId("ses_1", "m1"), "msg_cabed88642bfe6c65bba32c93");
  assert.equal(spokenId("ses_1", "m1"), "msg_cdca02c417e0ec9677030c6f9");
});

test("the digest is BLAKE2b, over no block, a whole one and several", () => {
  assert.equal(blake2b("", 12), "b8e1dda3ac0aa3820ad2990b");
  assert.equal(blake2b("x".repeat(128), 12), "fb60d111deaa646b592ee698");
  assert.equal(blake2b("x".repeat(300), 12), "9ad2747ceb9b59a561cf6584");
});
