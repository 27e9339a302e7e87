import assert from "node:assert/strict";
import { test } from "node:test";
import { LOST, Scripted, json, never, pieces, refused, type Script, until } from "../../testing/scripted-fetch.ts";
import { ApiError } from "./api-error.ts";
import { type CallOptions, Http, RETRY_AFTER_MAX_MS, SILENCE_MS } from "./core.ts";

const MAKE = "POST /api/projects ku k";
const CHANGE = "PATCH /api/projects/{projectId} ku -";
const READ = "GET /api/projects ku -";
const REMOVE = "DELETE /api/projects/{projectId} ku -";
const ASKED = { body: { name: "Coffee" } };

async function failed(promise: Promise<unknown>): Promise<ApiError> {
  return promise.then(
    () => assert.fail("it was taken"),
    (error: unknown) => {
      assert.ok(error instanceof ApiError, String(error));
      return error;
    },
  );
}

function called(row: string, script: Script[], options: CallOptions = {}, asked: object = ASKED): [Scripted, Promise<unknown>] {
  const server = new Scripted(...script);
  return [server, new Http(server.options).call(row, { projectId: "p", ...asked }, options)];
}

test("what takes a key is sent again under one key, with the waits of the contract, until it is answered", async () => {
  const cut = pieces(["{"], "cut", "application/json");
  const [server, answer] = called(MAKE, [LOST, refused(503, "SERVICE_UNAVAILABLE"), cut, refused(502, ""), json({ success: true })]);
  assert.deepEqual(await answer, { success: true });
  assert.deepEqual(server.waitsMs, [1_000, 2_000, 4_000, 8_000]);
  assert.equal(new Set(server.keys).size, 1);
  assert.match(server.keys[0] ?? "", /^[0-9a-f]{32}$/);
  assert.deepEqual(new Set(server.seen.map(({ body }) => body)), new Set(['{"name":"Coffee"}']));
});

test("each call has a key of its own, or the one that it is given", async () => {
  const server = new Scripted(json({}), json({}), json({}));
  const http = new Http(server.options);
  await http.call(MAKE, ASKED);
  await http.call(MAKE, ASKED);
  await http.call(MAKE, ASKED, { idempotencyKey: "mine" });
  assert.equal(new Set(server.keys).size, 3);
  assert.equal(server.keys[2], "mine");
});

test("it is not sent for ever: five times, or as often as is said, and the error has the key to go on under", async () => {
  const [server, answer] = called(MAKE, [LOST, LOST, LOST, LOST, LOST]);
  const error = await failed(answer);
  assert.deepEqual([error.status, error.code, error.mayHaveRun, server.seen.length], [0, "UNREACHABLE", true, 5]);
  assert.equal(error.idempotencyKey, server.keys[0]);
  assert.equal((error as { cause?: unknown }).cause, LOST);
  const [once, single] = called(MAKE, [LOST], { attempts: 1 });
  await failed(single);
  assert.equal(once.seen.length, 1);
  const [most, many] = called(MAKE, [LOST, LOST, LOST, LOST, LOST], { attempts: 1_000 });
  await failed(many);
  assert.equal(most.seen.length, 5);
});

test("what takes no key is sent again only where it was refused before it ran", async () => {
  for (const answer of [LOST, refused(502, ""), refused(503, "SERVICE_UNAVAILABLE"), refused(504, ""), refused(500, "INTERNAL_ERROR")]) {
    const [server, result] = called(CHANGE, [answer]);
    assert.equal((await failed(result)).mayHaveRun, true);
    assert.equal(server.seen.length, 1);
    assert.equal(server.keys[0], undefined);
  }
  const [server, result] = called(CHANGE, [refused(429, "QUEUE_FULL"), refused(408, ""), json({ done: 1 })]);
  assert.deepEqual(await result, { done: 1 });
  assert.equal(server.seen.length, 3);
});

test("what only reads is sent again, and has not run", async () => {
  const [server, result] = called(READ, [LOST, refused(504, ""), json([])], {}, {});
  assert.deepEqual(await result, []);
  assert.equal(server.seen.length, 3);
  const [once, unknown] = called(READ, [refused(500, "INTERNAL_ERROR")], {}, {});
  assert.deepEqual([(await failed(unknown)).mayHaveRun, once.seen.length], [false, 1]);
});

test("what is gone after an answer that was lost may have been removed by us", async () => {
  const [, lost] = called(REMOVE, [LOST, refused(404, "NOT_FOUND")], {}, {});
  const error = await failed(lost);
  assert.deepEqual([error.status, error.mayHaveRun], [404, true]);
  const [, absent] = called(REMOVE, [refused(404, "NOT_FOUND")], {}, {});
  assert.equal((await failed(absent)).mayHaveRun, false);
});

test("what was lost may have run, whatever is said later: much is refused before a key is looked up", async () => {
  for (const later of [refused(401, "UNAUTHORIZED"), refused(429, "QUEUE_FULL", {}, { "Retry-After": "61" }), refused(400, "VALIDATION_ERROR")]) {
    const [server, keyed] = called(MAKE, [LOST, later]);
    const error = await failed(keyed);
    assert.deepEqual([error.status, error.mayHaveRun, error.idempotencyKey], [later.status, true, server.keys[0]]);
  }
  const [, first] = called(MAKE, [refused(429, "QUEUE_FULL"), refused(401, "UNAUTHORIZED")]);
  assert.equal((await failed(first)).mayHaveRun, false);
});

test("a header that cannot be sent is refused before anything is sent", async () => {
  for (const idempotencyKey of ["größe \u2603", "a\nb"]) {
    const [server, answer] = called(MAKE, [], { idempotencyKey });
    const error = await failed(answer);
    assert.deepEqual([error.code, error.mayHaveRun, server.seen.length], ["BAD_CALL", false, 0]);
  }
});

test("a request that still runs under its key is waited for; one of which nobody knows is not sent again", async () => {
  const inUse = (): Response => refused(409, "CONFLICT", { reason: "IDEMPOTENCY_KEY_IN_USE" });
  const [server, result] = called(MAKE, [LOST, inUse(), inUse(), json({ id: 1 })]);
  assert.deepEqual(await result, { id: 1 });
  assert.equal(server.seen.length, 4);
  const [once, unknown] = called(MAKE, [refused(409, "CONFLICT", { reason: "IDEMPOTENCY_OUTCOME_UNKNOWN" })]);
  const error = await failed(unknown);
  assert.deepEqual([error.reason, error.mayHaveRun, once.seen.length], ["IDEMPOTENCY_OUTCOME_UNKNOWN", true, 1]);
  const [other, conflict] = called(MAKE, [refused(409, "CONFLICT", { reason: "DUPLICATE_NAME" })]);
  assert.deepEqual([(await failed(conflict)).mayHaveRun, other.seen.length], [false, 1]);
});

test("the server's wait is the least, and one that is too long is the caller's", async () => {
  const busy = (header: string): Response => refused(429, "RATE_LIMIT_EXCEEDED", {}, { "Retry-After": header });
  const told = json({ success: false, error: "Slow down", code: "QUEUE_FULL", retryAfterMs: 7_500 }, 429);
  const [server, result] = called(MAKE, [busy("3"), told, busy("0"), busy("Wed, 21 Oct 2026 07:28:00 GMT"), json({})]);
  await result;
  assert.deepEqual(server.waitsMs, [3_000, 7_500, 4_000, 8_000]);
  const [once, long] = called(MAKE, [busy("61")]);
  const error = await failed(long);
  assert.deepEqual([error.retryAfterMs, once.seen.length], [61_000, 1]);
  assert.ok(RETRY_AFTER_MAX_MS < 61_000);
});

test("an error says what the server said, in each of its forms", async () => {
  const details = { fields: [{ path: "/name", message: "too long" }] };
  const [, coded] = called(MAKE, [refused(400, "VALIDATION_ERROR", details)]);
  const error = await failed(coded);
  assert.deepEqual(
    [error.status, error.code, error.message, error.details, error.requestId, error.retryAfterMs, error.name],
    [400, "VALIDATION_ERROR", "It is VALIDATION_ERROR", details, "req_1", null, "ApiError"],
  );
  const [, full] = called(CHANGE, [json({ success: false, error: "Full", code: "QUEUE_FULL", retryAfterMs: 90_000 }, 429)]);
  const overloaded = await failed(full);
  assert.deepEqual([overloaded.code, overloaded.message, overloaded.retryAfterMs], ["QUEUE_FULL", "Full", 90_000]);
  const [, callback] = called(CHANGE, [json({ ok: false, error: "Unknown callback" }, 404)]);
  assert.deepEqual([(await failed(callback)).message, (await failed(callback)).code], ["Unknown callback", ""]);
  const [, internal] = called(CHANGE, [json({ error: { code: "INTERNAL_ERROR", message: "x", details: { requestId: "req_2" } } }, 500)]);
  assert.equal((await failed(internal)).requestId, "req_2");
  const [, page] = called(CHANGE, [new Response("<h1>Bad Gateway</h1>", { status: 502, headers: { "Content-Type": "text/html" } })]);
  assert.deepEqual([(await failed(page)).status, (await failed(page)).code], [502, ""]);
});

test("an answer is what its kind says", async () => {
  const kinds: Array<[string, Script, unknown]> = [
    [READ, json({ a: [1, null] }), { a: [1, null] }],
    [READ, new Response("a,b\n1,2\n", { headers: { "Content-Type": "text/csv; charset=utf-8" } }), "a,b\n1,2\n"],
    [READ, pieces([new Uint8Array([0xc3]), new Uint8Array([0xa9])], "done", "text/plain"), "é"],
    ["POST /mcp ku -", new Response(null, { status: 202 }), undefined],
  ];
  for (const [row, script, expected] of kinds) assert.deepEqual(await called(row, [script], {}, {})[1], expected);
  const file = new Response("{}", { headers: { "Content-Type": "application/json" } });
  const content = await called("GET /content ku b", [file], {}, {})[1];
  assert.ok(content instanceof Blob && content.type === "application/json" && (await content.text()) === "{}");
  const zip = await called(READ, [new Response("PK", { headers: { "Content-Type": "application/zip" } })], {}, {})[1];
  assert.ok(zip instanceof Blob && (await zip.text()) === "PK");
  const [server, broken] = called(MAKE, [new Response("<html>", { status: 201, headers: { "Content-Type": "application/json" } })]);
  const error = await failed(broken);
  assert.deepEqual([error.code, error.mayHaveRun, server.seen.length], ["BAD_ANSWER", true, 1]);
});

test("path, query, headers and body are where they belong", async () => {
  const [server, answer] = called(
    "POST /p/{projectId}/of/{name} ku k",
    [json({})],
    {},
    { projectId: "a/b ?", name: "ü", limit: 5, dryRun: false, cursor: undefined, to: null, headers: { "OpenAI-Project": "x", gone: undefined }, body: [1] },
  );
  await answer;
  const [{ method, url, headers, body }] = server.seen as [(typeof server.seen)[number]];
  assert.deepEqual([method, url, body], ["POST", "http://abl.test/p/a%2Fb%20%3F/of/%C3%BC?limit=5&dryRun=false", "[1]"]);
  assert.deepEqual(
    { ...headers, "Idempotency-Key": "" },
    { "X-API-Key": "abl_1", "OpenAI-Project": "x", "Content-Type": "application/json", Accept: "application/json, */*", "Idempotency-Key": "" },
  );
});

test("an id that would make another path of it is refused before anything is sent", async () => {
  for (const id of ["", ".", "..", undefined, null]) {
    const [server, answer] = called(REMOVE, [], {}, { projectId: id });
    assert.equal((await failed(answer)).code, "BAD_CALL");
    assert.equal(server.seen.length, 0);
  }
});

test("what is done to the arguments after the call changes nothing", async () => {
  const body = { name: "Coffee" };
  const server = new Scripted(LOST, json({}));
  const answer = new Http(server.options).call(MAKE, { body });
  body.name = "Tea";
  await answer;
  assert.deepEqual(server.seen.map((one) => one.body), ['{"name":"Coffee"}', '{"name":"Coffee"}']);
});

test("a file goes as a form, whose kind the browser says", async () => {
  const file = new File(["hello"], "a.txt", { type: "text/plain" });
  const [server, answer] = called("POST /attachments kup kf", [LOST, json({})], {}, { body: { file } });
  await answer;
  for (const { body, headers } of server.seen) {
    assert.ok(body instanceof FormData);
    const sent = body.get("file") as File;
    assert.deepEqual([sent.name, await sent.text(), headers["Content-Type"]], ["a.txt", "hello", undefined]);
  }
  assert.equal(new Set(server.keys).size, 1);
});

test("one credential is shown: the first that the operation takes", async () => {
  const all = { apiKey: "A", userToken: "U", pageToken: "P", publicKey: "K", sandboxToken: "S" };
  const shown: Array<[string, object, object]> = [
    ["ku", all, { "X-API-Key": "A" }],
    ["ku", { userToken: "U", pageToken: "P" }, { Authorization: "Bearer U" }],
    ["kup", { pageToken: "P", publicKey: "K" }, { "X-SDK-Token": "P" }],
    ["u", all, { Authorization: "Bearer U" }],
    ["i", all, { "X-Public-Key": "K" }],
    ["c", all, { "X-API-Key": "K" }],
    ["x", all, { Authorization: "Bearer S" }],
    ["-", all, {}],
  ];
  for (const [letters, given, header] of shown) {
    const server = new Scripted(json({}));
    const { apiKey: _, ...options } = server.options;
    await new Http({ ...options, ...given }).call(`GET /x ${letters} -`);
    const { Accept: __, ...headers } = server.seen[0]?.headers ?? {};
    assert.deepEqual(headers, header);
  }
  const [server, answer] = called("GET /me u -", [], {}, {});
  const error = await failed(answer);
  assert.deepEqual([error.code, error.mayHaveRun, server.seen.length], ["NO_CREDENTIAL", false, 0]);
  assert.match(error.message, /userToken/);
});

test("a request that is sent elsewhere is not followed with the key", async () => {
  const [server, answer] = called(MAKE, [new Response(null, { status: 307, headers: { Location: "http://other.test/" } })]);
  const error = await failed(answer);
  assert.deepEqual([error.status, error.code, error.mayHaveRun, server.seen.length], [307, "BAD_ANSWER", false, 1]);
});

test("a server that says nothing is gone", async () => {
  const server = new Scripted(never, pieces(["{"], "open", "application/json"), json({ done: true }));
  const answer = new Http(server.options).call(MAKE, ASKED);
  for (const sent of [1, 2]) {
    await until(() => server.seen.length === sent && server.isReading === (sent === 2));
    assert.deepEqual(server.silences.map(({ ms }) => ms), [SILENCE_MS]);
    server.silences[0]?.run();
  }
  assert.deepEqual(await answer, { done: true });
  assert.deepEqual(server.silences, [], "no clock is left behind");
});

test("who aborts gets the reason, wherever the call is, and nothing is sent any more", async () => {
  const reason = new Error("the user left");
  const before = AbortSignal.abort(reason);
  const [unsent, first] = called(MAKE, [], { signal: before });
  await assert.rejects(first, reason);
  assert.equal(unsent.seen.length, 0);

  for (const row of [MAKE, CHANGE]) {
    const asking = new AbortController();
    const [sent, second] = called(row, [never], { signal: asking.signal });
    await until(() => sent.seen.length === 1);
    asking.abort(reason);
    await assert.rejects(second, reason);
    assert.deepEqual([sent.silences, sent.seen.length], [[], 1]);
  }

  const reading = new AbortController();
  const body = pieces(["{"], "open", "application/json");
  let seen: AbortSignal | undefined;
  const [, third] = called(MAKE, [(request) => ((seen = request.signal), queueMicrotask(() => reading.abort(reason)), body(request))], { signal: reading.signal });
  await assert.rejects(third, reason);
  assert.equal(seen?.aborted, true, "the connection is given up too");

  const waiting = new AbortController();
  const server = new Scripted(LOST);
  let cancelled = 0;
  const world = { random: () => 0, after: (ms: number) => (ms < SILENCE_MS && waiting.abort(reason), () => void (cancelled += 1)) };
  await assert.rejects(new Http({ ...server.options, world }).call(MAKE, ASKED, { signal: waiting.signal }), reason);
  assert.equal(server.seen.length, 1);
  assert.ok(cancelled >= 2, "the wait's clock too");
});

test("a fetch that does not heed its signal holds nobody up", async () => {
  const server = new Scripted();
  const http = new Http({ ...server.options, fetch: never });
  const silent = http.call(CHANGE, { projectId: "p" });
  await until(() => server.silences.length === 1);
  server.silences[0]?.run();
  const error = await failed(silent);
  assert.deepEqual([error.code, error.message], ["UNREACHABLE", "Nothing came for 150 s"]);
  const leaving = new AbortController();
  const left = http.call(CHANGE, { projectId: "p" }, { signal: leaving.signal });
  await until(() => server.silences.length === 1);
  leaving.abort(new Error("the user left"));
  await assert.rejects(left, /the user left/);
});
