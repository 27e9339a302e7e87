import assert from "node:assert/strict";
import { test } from "node:test";
import { LOST, Scripted, event, json, never, pieces, refused, until } from "../../testing/scripted-fetch.ts";
import { ApiError } from "./api-error.ts";
import { Http, STREAM_SILENCE_MS } from "./core.ts";
import type { StreamEvent } from "./sse.ts";
import { EVENT_CHARS_MAX, type EventStream } from "./stream.ts";

const CHAT = "POST /api/v1/chat/agent kup serk";
const MODEL = "POST /api/v1/chat/stream ku se";
const OPENAI = "POST /v1/chat/completions ku sok";
const ASKED = { body: { projectId: "p", message: "Hi" } };
const START = event("session_start", { sessionId: "s" }, "s:1");
const chunk = (number: number): string => event("response_chunk", { messageId: "m", chunk: `${number} ` }, `s:${number}`);
const END = event("complete", { response: "all" }, "s:9");

function streamed(row: string, script: ConstructorParameters<typeof Scripted>, options: object = {}): [Scripted, EventStream] {
  const server = new Scripted(...script);
  return [server, new Http(server.options).stream(row, ASKED, options)];
}

async function all(stream: AsyncIterable<StreamEvent>): Promise<[string[], unknown]> {
  const told: string[] = [];
  try {
    for await (const { event: name, id } of stream) told.push(id || name);
    return [told, null];
  } catch (error) {
    return [told, error];
  }
}

const lastIds = (server: Scripted): Array<string | undefined> => server.seen.map(({ headers }) => headers["Last-Event-ID"]);

test("a stream is asked for when it is read, as events, and told as they are", async () => {
  const bytes = new TextEncoder().encode(event("response_chunk", { chunk: "größer" }, "s:1") + END);
  const [server, stream] = streamed(CHAT, [pieces([...bytes].map((byte) => new Uint8Array([byte])))]);
  assert.equal(server.seen.length, 0);
  const told: StreamEvent[] = [];
  for await (const one of stream) told.push(one);
  assert.deepEqual(told, [
    { event: "response_chunk", data: { chunk: "größer" }, id: "s:1" },
    { event: "complete", data: { response: "all" }, id: "s:9" },
  ]);
  assert.equal(server.seen[0]?.headers["Accept"], "text/event-stream");
  assert.equal(stream.idempotencyKey, server.keys[0]);
  assert.equal(stream.lastEventId, "s:9");
  assert.deepEqual(await all(stream), [[], null], "it is read once");
});

test("a stream that breaks off goes on behind its last event under its key, and tells each event once", async () => {
  const [server, stream] = streamed(CHAT, [
    pieces([START, chunk(2), chunk(3).slice(0, -1)], "cut"), // the third has no end: it has not come
    pieces([chunk(1), chunk(2), chunk(3), event("response_restart", {}), chunk(4)], "done"), // told again from too early
    LOST,
    pieces([": heartbeat\n\n"], "cut"),
    pieces([chunk(4), chunk(5), END]),
  ]);
  assert.deepEqual(await all(stream), [["s:1", "s:2", "s:3", "response_restart", "s:4", "s:5", "s:9"], null]);
  assert.deepEqual(lastIds(server), [undefined, "s:2", "s:4", "s:4", "s:4"]);
  assert.equal(new Set(server.keys).size, 1);
  assert.deepEqual(new Set(server.seen.map(({ body }) => body)), new Set([JSON.stringify(ASKED.body)]));
  assert.deepEqual(server.waitsMs, [1_000, 1_000, 2_000, 4_000], "an event ends the row of failures");
});

test("the end is told whatever its number, and another session's number is not compared", async () => {
  const ends = event("complete", {}, "s:2");
  const [, stream] = streamed(CHAT, [pieces([START, chunk(5)], "cut"), pieces([event("response_chunk", {}, "other:1"), ends])]);
  assert.deepEqual(await all(stream), [["s:1", "s:5", "other:1", "s:2"], null]);
});

test("a run under lower numbers on the same connection is told", async () => {
  const [, stream] = streamed(CHAT, [pieces([chunk(7), chunk(2), END])]);
  assert.deepEqual(await all(stream), [["s:7", "s:2", "s:9"], null]);
  const [, later] = streamed(CHAT, [pieces([chunk(3)], "cut"), pieces([chunk(7), chunk(5), END])]);
  assert.deepEqual(await all(later), [["s:3", "s:7", "s:5", "s:9"], null]);
});

test("a stream that is asked for again by another program goes on behind what that one has", async () => {
  const [server, stream] = streamed(CHAT, [pieces([chunk(6), END])], { idempotencyKey: "mine", lastEventId: "s:5" });
  assert.deepEqual(await all(stream), [["s:6", "s:9"], null]);
  assert.deepEqual([server.keys, lastIds(server)], [["mine"], ["s:5"]]);
});

test("a stream that does not come back is given up after five failures in a row", async () => {
  const [server, stream] = streamed(CHAT, [pieces([START], "done"), LOST, refused(503, "SERVICE_UNAVAILABLE"), pieces([], "cut"), LOST]);
  const [told, error] = await all(stream);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([told, error.code, error.mayHaveRun, error.idempotencyKey], [["s:1"], "UNREACHABLE", true, server.keys[0]]);
  assert.equal(server.seen.length, 5);
});

test("what a stream tells of is thrown and not asked for again", async () => {
  const told = event("error", { error: "Budget exceeded", code: "CONFLICT", retryAfterMs: 1_500, details: { reason: "X" } }, "s:3");
  const [server, stream] = streamed(CHAT, [pieces([START, told])]);
  const [events, error] = await all(stream);
  assert.ok(error instanceof ApiError);
  assert.deepEqual(
    [events, error.status, error.code, error.message, error.reason, error.retryAfterMs, error.requestId, error.mayHaveRun],
    [["s:1"], 0, "CONFLICT", "Budget exceeded", "X", 1_500, "req_1", true],
  );
  assert.equal(server.seen.length, 1);
});

test("what is refused before it begins is refused as any call is", async () => {
  const [, stream] = streamed(CHAT, [refused(404, "NOT_FOUND")]);
  const [, error] = await all(stream);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.status, error.code, error.mayHaveRun], [404, "NOT_FOUND", false]);
  const [server, later] = streamed(MODEL, [refused(429, "QUEUE_FULL", {}, { "Retry-After": "2" }), pieces([event("complete", {})])]);
  assert.deepEqual(await all(later), [["complete"], null]);
  assert.deepEqual(server.waitsMs, [2_000]);
});

test("a model call that breaks off says so, and is not made again", async () => {
  for (const script of [pieces([event("text_delta", { delta: "It " })], "done"), pieces([event("text_delta", { delta: "It " })], "cut"), LOST]) {
    const [server, stream] = streamed(MODEL, [script]);
    const [, error] = await all(stream);
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.mayHaveRun, error.idempotencyKey, server.seen.length], ["UNREACHABLE", true, null, 1]);
  }
});

test("a stream that nobody can go on behind is asked for again only before it has told anything", async () => {
  const [server, stream] = streamed(OPENAI, [LOST, pieces([], "cut"), pieces(['data: {"a":1}\n\n', "data: [DONE]\n\n", 'data: {"b":1}\n\n'])]);
  const told: StreamEvent[] = [];
  for await (const one of stream) told.push(one);
  assert.deepEqual(told, [{ event: "", data: { a: 1 }, id: "" }]);
  assert.equal(new Set(server.keys).size, 1);
  assert.equal(server.seen[0]?.body, '{"projectId":"p","message":"Hi","stream":true}');
  const [once, broken] = streamed(OPENAI, [pieces(['data: {"a":1}\n\n'], "cut")]);
  const [, error] = await all(broken);
  assert.ok(error instanceof ApiError && error.code === "UNREACHABLE");
  assert.equal(once.seen.length, 1);
});

test("a connection without a heartbeat is lost", async () => {
  const [server, stream] = streamed(CHAT, [pieces([START], "open"), pieces([END])]);
  const told = all(stream);
  await until(() => server.isReading);
  assert.deepEqual(server.silences.map(({ ms }) => ms), [STREAM_SILENCE_MS]);
  server.silences[0]?.run();
  assert.deepEqual(await told, [["s:1", "s:9"], null]);
  assert.deepEqual(lastIds(server), [undefined, "s:1"]);
});

test("who leaves gives the connection up, and nothing is asked for any more", async () => {
  const [server, stream] = streamed(CHAT, [pieces([START, chunk(2)], "open")]);
  for await (const one of stream) if (one.id === "s:2") break;
  assert.equal(server.seen[0]?.signal.aborted, true);
  assert.deepEqual([server.seen.length, server.silences.length], [1, 0]);
});

test("who leaves gives an answer up also where its fetch does not heed the signal", async () => {
  let isGivenUp = false;
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new TextEncoder().encode(START)),
    cancel: () => void (isGivenUp = true),
  });
  const [, stream] = streamed(CHAT, [new Response(body, { headers: { "Content-Type": "text/event-stream" } })]);
  for await (const _ of stream) break;
  assert.equal(isGivenUp, true);
});

test("who aborts gets the reason", async () => {
  const reason = new Error("the user left");
  for (const script of [never, pieces([START], "open")]) {
    const leaving = new AbortController();
    const [server, stream] = streamed(CHAT, [script], { signal: leaving.signal });
    const told = all(stream);
    await until(() => server.seen.length === 1 && (script === never || server.isReading));
    leaving.abort(reason);
    assert.equal((await told)[1], reason);
    assert.deepEqual([server.seen.length, server.seen[0]?.signal.aborted, server.silences.length], [1, true, 0]);
  }
});

test("what is no stream of events is said, and is not asked for again", async () => {
  for (const script of [json({ success: true }), pieces(["data: {\n\n"]), pieces(["data: ", " ".repeat(EVENT_CHARS_MAX)])]) {
    const [server, stream] = streamed(CHAT, [script]);
    const [, error] = await all(stream);
    assert.ok(error instanceof ApiError);
    assert.deepEqual([error.code, error.mayHaveRun, server.seen.length], ["BAD_ANSWER", true, 1]);
  }
});
