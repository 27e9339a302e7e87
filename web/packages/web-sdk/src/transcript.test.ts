import assert from "node:assert/strict";
import { test } from "node:test";
import { answerId, spokenId } from "./derived-ids.ts";
import type { Entry } from "./outbox.ts";
import { Transcript, type HistoryLine, type HistoryPage } from "./transcript.ts";
import type { ServerFrame } from "./wire.ts";

const SESSION = "ses_1";
const TIME = "2026-11-24T00:00:00.000Z";

function entry(id: string): Entry {
  const frame = { type: "chat_message", text: id, messageId: id } as const;
  return { id, kind: "message", frame, text: id, at: 1, sessionId: SESSION, sentAt: 1, state: "acknowledged", failure: null };
}

/** The frames of two turns, the first of which broke off and was begun again. */
function frames(): ServerFrame[] {
  const told: ServerFrame[] = [];
  const say = (seq: number, body: object): void => void told.push({ ...body, seq, sessionId: SESSION, timestamp: TIME } as ServerFrame);
  const end = { richContent: null, actions: null };
  const [one, two] = [answerId(SESSION, "a"), answerId(SESSION, "b")];
  say(1, { type: "response_start", messageId: one });
  say(2, { type: "response_chunk", messageId: one, chunk: "lost " });
  say(3, { type: "response_chunk", messageId: one, chunk: "words" });
  say(99, { type: "response_restart", messageId: one, attempt: 2 });
  say(100, { type: "response_start", messageId: one, attempt: 2 });
  say(101, { type: "response_chunk", messageId: one, chunk: "one " });
  say(102, { type: "response_chunk", messageId: one, chunk: "said" });
  say(103, { type: "response_end", messageId: one, fullText: "one said", ...end });
  say(110, { type: "response_start", messageId: two });
  say(111, { type: "response_chunk", messageId: two, chunk: "two" });
  say(112, { type: "response_end", messageId: two, fullText: "TWO", ...end });
  return told;
}

const HISTORY: HistoryLine[] = [
  { id: spokenId(SESSION, "a"), role: "user", content: "a", timestamp: TIME },
  { id: answerId(SESSION, "a"), role: "assistant", content: "one said", timestamp: TIME },
  { id: spokenId(SESSION, "b"), role: "user", content: "b", timestamp: TIME },
  { id: answerId(SESSION, "b"), role: "assistant", content: "TWO", timestamp: TIME },
];
/** A page of the history of which nobody knows where it ends. */
const page = (told: HistoryLine[]): HistoryPage => ({ lines: told, lastSeq: null, openActions: null });
const WHOLE = ["user a", "assistant one said", "user b", "assistant TWO"];

function transcript(): Transcript {
  const made = new Transcript(SESSION);
  made.expect(entry("a"));
  made.expect(entry("b"));
  return made;
}

const lines = (one: Transcript): string[] => one.messages().map((line) => `${line.role} ${line.content}`);

/** Numbers that are the same in each run. */
function chance(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return state % below;
  };
}

test("the frames of a conversation make its lines, and own messages keep their ids", () => {
  const made = transcript();
  for (const frame of frames()) made.apply(frame);
  assert.deepEqual(lines(made), WHOLE);
  assert.deepEqual(made.messages().map((line) => line.id), ["a", answerId(SESSION, "a"), "b", answerId(SESSION, "b")]);
  assert.equal(made.settledSeq, 112);
  assert.equal(made.isOpen, false);
});

test("an answer that begins again shows nothing of what was void", () => {
  const made = transcript();
  const shown: string[] = [];
  for (const frame of frames().slice(0, 7)) {
    made.apply(frame);
    shown.push(made.messages().at(-1)!.content);
  }
  assert.deepEqual(shown, ["", "lost ", "lost words", "", "", "one ", "one said"]);
});

test("frames count once, doubled and in whatever order within a turn, and the history changes nothing", () => {
  for (let seed = 1; seed <= 300; seed += 1) {
    const draw = chance(seed);
    const told = frames().flatMap((frame) => Array.from({ length: 1 + draw(3) }, () => frame));
    for (let at = told.length - 1; at > 0; at -= 1) {
      const with_ = Math.max(at - draw(4), 0);
      [told[at], told[with_]] = [told[with_]!, told[at]!];
    }
    const made = transcript();
    for (const [at, frame] of told.entries()) {
      made.apply(frame);
      if (draw(10) === 0 && at > told.length / 2) made.merge(page([]), made.endings);
    }
    assert.deepEqual(lines(made).toSorted(), WHOLE.toSorted(), `seed ${seed}`);
    made.merge(page(HISTORY), made.endings);
    assert.deepEqual(lines(made), WHOLE, `seed ${seed}`);
  }
});

test("cut at each frame, with the history read there and the rest told again or not, the lines are the same", () => {
  const told = frames();
  for (let cut = 0; cut <= told.length; cut += 1) {
    for (let known = 0; known <= HISTORY.length; known += 2) {
      const made = transcript();
      for (const frame of told.slice(0, cut)) made.apply(frame);
      made.merge(page(HISTORY.slice(0, known)), Math.min(known / 2, made.endings));
      for (const frame of told) if (made.settledSeq === null || frame.seq > made.settledSeq) made.apply(frame);
      assert.deepEqual(lines(made), WHOLE, `cut ${cut}, history ${known}`);
    }
  }
});

test("what the history has already is not said again", () => {
  const made = transcript();
  made.merge(page(HISTORY), 0);
  assert.deepEqual(frames().flatMap((frame) => made.apply(frame)), []);
  assert.deepEqual(lines(made), WHOLE);
});

test("lines that are older than a page of the history stay in front, those that are younger behind", () => {
  const made = new Transcript(SESSION);
  const line = (id: string): HistoryLine => ({ id, role: "assistant", content: id, timestamp: TIME });
  made.merge(page([line("1"), line("2"), line("3")]), 0);
  made.apply({ type: "response_start", messageId: "9", seq: 5, sessionId: SESSION, timestamp: TIME });
  made.merge(page([line("3"), line("4"), line("5")]), made.endings);
  assert.deepEqual(made.messages().map((one) => one.id), ["1", "2", "3", "4", "5", "9"]);
});

test("a turn that failed is over, with its reason, and stays where it was", () => {
  const made = transcript();
  const [start] = frames();
  made.apply(start!);
  const failed = { type: "error", code: "INTERNAL_ERROR", message: "no", fatal: false, messageId: answerId(SESSION, "a") } as const;
  const happened = made.apply({ ...failed, seq: 4, sessionId: SESSION, timestamp: TIME });
  assert.deepEqual(happened.map((one) => one.kind), ["failed"]);
  assert.equal(made.isOpen, false);
  made.merge(page(HISTORY.slice(2)), made.endings);
  assert.deepEqual(made.messages().map((line) => line.status), ["done", "failed", "done", "done"]);
});

test("an answer to nobody here is said to be a stranger's", () => {
  const made = new Transcript(SESSION);
  const happened = frames().slice(8).flatMap((frame) => made.apply(frame));
  assert.deepEqual(happened.map((one) => one.kind), ["began", "chunk", "said", "stranger"]);
});
