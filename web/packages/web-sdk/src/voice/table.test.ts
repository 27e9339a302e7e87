import assert from "node:assert/strict";
import { test } from "node:test";
import type { VoiceState } from "../types.ts";
import { VOICE_MOVES, voiceAfter, type VoiceMove } from "./table.ts";

const STATES = Object.keys(VOICE_MOVES) as VoiceState[];
const EVENTS = [...new Set(STATES.flatMap((state) => Object.keys(VOICE_MOVES[state])))] as VoiceMove[];

/** The table of the contract (platform-api 3.6), row by row, and ours behind it. */
const ROWS: ReadonlyArray<[VoiceState, VoiceMove, VoiceState]> = [
  ["idle", "start", "connecting"],
  ["connecting", "refused", "error"],
  ["connecting", "started", "ready"],
  ["connecting", "failed", "error"],
  ["ready", "speech", "listening"],
  ["listening", "utterance", "processing"],
  ["processing", "answering", "speaking"],
  ["processing", "nothing", "ready"],
  ["speaking", "answered", "ready"],
  ["speaking", "interrupted", "listening"],
  ["processing", "interrupted", "listening"],
  ["error", "stop", "idle"],
  // ours
  ["error", "start", "connecting"], // another try needs no `stop()`
  ["ready", "answering", "speaking"], // the agent speaks first, or later than what it was thought to have said
  ["listening", "answering", "speaking"], // the server has heard the end before this client has
  ["ready", "utterance", "processing"], // and so it has the whole of it
  ["listening", "nothing", "ready"],
];
const CALLING: VoiceState[] = ["connecting", "ready", "listening", "processing", "speaking"];
const EVERYWHERE: ReadonlyArray<[VoiceMove, VoiceState]> = [
  ["stop", "idle"],
  ["ended", "idle"],
  ["lost", "error"],
  ["failed", "error"],
];

test("the states are those of the contract", () => {
  assert.deepEqual(STATES, ["idle", "connecting", "ready", "listening", "processing", "speaking", "error"]);
});

test("every row leads where the contract says, every other pair changes nothing, and all of it is walked", () => {
  const rows = new Map(ROWS.map(([from, event, to]) => [`${from} ${event}`, to]));
  for (const from of CALLING) for (const [event, to] of EVERYWHERE) rows.set(`${from} ${event}`, to);
  for (const state of STATES) {
    for (const event of EVENTS) assert.equal(voiceAfter(state, event), rows.get(`${state} ${event}`) ?? state, `${state} ${event}`);
  }
  const listed = STATES.flatMap((state) => Object.keys(VOICE_MOVES[state]).map((event) => `${state} ${event}`));
  assert.deepEqual(listed.sort(), [...rows.keys()].sort());
});

test("no row leads from a state to itself, and every state is reached from idle and left for idle", () => {
  for (const state of STATES) for (const [event, to] of Object.entries(VOICE_MOVES[state])) assert.notEqual(to, state, event);
  const reached = new Set<VoiceState>(["idle"]);
  for (const state of reached) for (const to of Object.values(VOICE_MOVES[state])) reached.add(to);
  assert.equal(reached.size, STATES.length);
  for (const state of STATES) assert.equal(voiceAfter(state, "stop"), "idle");
});
