import assert from "node:assert/strict";
import { test } from "node:test";
import { answerId, blake2b, spokenId } from "./derived-ids.ts";

// As `actors.session.repeating` makes them; tests/web/test_derived_ids.py compares many more with it.
test("the ids are those that the server makes", () => {
  assert.equal(answerId("ses_1", "m1"), "msg_cf4cd603a07fe5a38d676991a");
  assert.equal(spokenId("ses_1", "m1"), "msg_c3b38d32e6d0ffafc9f25fc94");
});

test("the digest is BLAKE2b, over no block, a whole one and several", () => {
  assert.equal(blake2b(""), "b8e1dda3ac0aa3820ad2990b");
  assert.equal(blake2b("x".repeat(128)), "fb60d111deaa646b592ee698");
  assert.equal(blake2b("x".repeat(300)), "9ad2747ceb9b59a561cf6584");
});
