import assert from "node:assert/strict";
import { test } from "node:test";
import { memoryStore } from "./browser-platform.ts";
import { AgentError } from "./errors.ts";
import { OUTBOX_MAX, Outbox, REPEATABLE_MS, judge, type Entry } from "./outbox.ts";
import { KNOWN_AGAIN } from "./wire.ts";

function entry(id: string, more: Partial<Entry> = {}): Entry {
  const frame = { type: "chat_message", text: id, messageId: id } as const;
  return { id, kind: "message", frame, text: id, at: 1, sessionId: null, sentAt: null, state: "waiting", failure: null, ...more };
}

test("what may have arrived is sent again only in its own session and while its id is known there", () => {
  const now = 1_000_000_000;
  assert.equal(judge(entry("a"), "s", now), "send");
  assert.equal(judge(entry("a", { sessionId: "s" }), "s", now), "send");
  assert.equal(judge(entry("a", { sessionId: "other" }), "s", now), "session_ended");
  assert.equal(judge(entry("a", { sessionId: "s", sentAt: now - REPEATABLE_MS }), "s", now), "send");
  assert.equal(judge(entry("a", { sessionId: "s", sentAt: now - REPEATABLE_MS - 1 }), "s", now), "too_old");
  assert.equal(judge(entry("a", { sessionId: "s", sentAt: now + REPEATABLE_MS + 1 }), "s", now), "too_old", "a clock set back");
  assert.equal(judge(entry("a", { sessionId: "s", at: 0 }), "s", now), "send", "never sent, however old");
});

test("what the server does not know again is not sent a second time", () => {
  const action = entry("a", { kind: "action", frame: { type: "action_submit", actionId: "buy" } });
  assert.equal(judge(action, "s", 1), "send");
  const known = KNOWN_AGAIN.includes("action_submit");
  assert.equal(judge({ ...action, sessionId: "s", sentAt: 1 }, "s", 2), known ? "send" : "outcome_unknown");
});

test("entries are kept in the order they were written in, also over a reload and with a clock set back", () => {
  const store = memoryStore();
  const outbox = new Outbox(store, "p:");
  for (const [id, now] of [["a", 50], ["b", 10], ["c", 10]] as const) outbox.add(entry(id, { at: outbox.moment(now) }));
  store.set("p:junk", "{");
  store.set("q:other", JSON.stringify(entry("z")));
  const reloaded = new Outbox(store, "p:");
  assert.deepEqual(reloaded.all().map((one) => one.id), ["a", "b", "c"]);
  reloaded.remove("a");
  assert.equal(reloaded.next()?.id, "b");
  assert.deepEqual(new Outbox(store, "p:").all().map((one) => one.id), ["b", "c"]);
});

test("nothing is promised that is not kept", () => {
  const full = { ...memoryStore(), set: () => { throw new Error("QuotaExceededError"); } };
  assert.throws(() => new Outbox(full, "p:").add(entry("a")), (error: AgentError) => error.reason === "storage_failed");
  const outbox = new Outbox(memoryStore(), "p:");
  for (let number = 0; number < OUTBOX_MAX; number += 1) outbox.add(entry(`m${number}`));
  assert.throws(() => outbox.add(entry("one more")), (error: AgentError) => error.reason === "outbox_full");
  assert.equal(outbox.all().length, OUTBOX_MAX);
});
