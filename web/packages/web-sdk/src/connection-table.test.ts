import assert from "node:assert/strict";
import { test } from "node:test";
import { MOVES, REACTIONS, after, reactionTo, type ConnectionEvent, type ConnectionState } from "./connection-table.ts";
import { CLOSE_CODES } from "./wire.ts";

const STATES = Object.keys(MOVES) as ConnectionState[];
const EVENTS = [...new Set(STATES.flatMap((state) => Object.keys(MOVES[state])))] as ConnectionEvent[];

test("every pair of state and event leads to a state, and to another one only by the table", () => {
  for (const state of STATES) {
    for (const event of EVENTS) {
      const next = after(state, event);
      assert.ok(STATES.includes(next));
      assert.equal(next, MOVES[state][event] ?? state, `${state} ${event}`);
    }
  }
});

test("disconnect closes from everywhere, and connect leads on from wherever nothing goes on by itself", () => {
  for (const state of STATES) assert.equal(after(state, "disconnect"), "closed");
  const busy: ConnectionState[] = ["authorizing", "opening", "ready"];
  for (const state of STATES) assert.equal(after(state, "connect"), busy.includes(state) ? state : "authorizing");
});

test("every close code of the contract has a reaction, each of which means something to an open socket", () => {
  assert.deepEqual(Object.keys(REACTIONS).map(Number).sort(), Object.values(CLOSE_CODES).sort());
  for (const code of Object.values(CLOSE_CODES)) {
    assert.notEqual(after("ready", reactionTo(code).event), "ready");
    assert.notEqual(after("opening", reactionTo(code).event), "opening");
  }
  assert.deepEqual(reactionTo(1006), { event: "lost" });
});

test("the three codes that make a token useless drop it, and only a session that is gone is dropped", () => {
  const dropping = Object.values(CLOSE_CODES).filter((code) => reactionTo(code).drops === "token");
  assert.deepEqual(dropping, [CLOSE_CODES.UNAUTHENTICATED, CLOSE_CODES.FORBIDDEN, CLOSE_CODES.DISABLED]);
  const anew = Object.values(CLOSE_CODES).filter((code) => reactionTo(code).drops === "session");
  assert.deepEqual(anew, [CLOSE_CODES.NO_SESSION]);
});
