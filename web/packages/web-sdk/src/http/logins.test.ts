import assert from "node:assert/strict";
import { test } from "node:test";
import { LOST, Scripted, event, json, pieces, refused, type Script } from "../../testing/scripted-fetch.ts";
import { ApiError } from "./api-error.ts";
import { type Credential, Http } from "./core.ts";
import { type UserTokens, pageLogin, userLogin } from "./logins.ts";

const ME = "GET /api/auth/me u -";
const MAKE = "POST /api/projects ku k";
const renewed = (number: number): Response => json({ success: true, accessToken: `a${number}`, refreshToken: `r${number}`, expiresIn: 3_600 });
const refusal = (): Response => refused(401, "UNAUTHORIZED");

function client(given: { userToken?: Credential; pageToken?: Credential }, ...script: Script[]): [Scripted, Http] {
  const server = new Scripted(...script);
  const { apiKey: _, ...options } = server.options;
  return [server, new Http({ ...options, ...given })];
}

const shown = (server: Scripted): Array<string | undefined> => server.seen.map(({ headers }) => headers["Authorization"] ?? headers["X-SDK-Token"]);

test("a log-in is renewed when its token has run out, kept, and the call is made again under its key", async () => {
  const kept: UserTokens[] = [];
  const [server, http] = client({ userToken: userLogin({ accessToken: "a1", refreshToken: "r1" }, (one) => void kept.push(one)) }, refusal(), renewed(2), json({ id: 1 }), json({ id: 2 }));
  assert.deepEqual(await http.call(MAKE, { body: {} }), { id: 1 });
  assert.deepEqual(await http.call(ME), { id: 2 });
  assert.deepEqual(shown(server), ["Bearer a1", undefined, "Bearer a2", "Bearer a2"]);
  assert.equal(server.seen[1]?.url, "http://abl.test/api/auth/refresh");
  assert.equal(server.seen[1]?.body, '{"refreshToken":"r1"}');
  assert.equal(server.keys[0], server.keys[2]);
  assert.deepEqual(kept, [{ accessToken: "a2", refreshToken: "r2" }]);
});

test("calls at the same time renew once, and wait until the new tokens are kept", async () => {
  let isKept = false;
  const late = async (): Promise<void> => {
    await new Promise((resolve) => setImmediate(resolve));
    isKept = true;
  };
  const answered = (): Response => (assert.ok(isKept), json({}));
  const [server, http] = client({ userToken: userLogin({ accessToken: "a1", refreshToken: "r1" }, late) }, refusal(), refusal(), renewed(2), answered, answered);
  await Promise.all([http.call(ME), http.call(ME)]);
  assert.equal(server.seen.filter(({ url }) => url.endsWith("/refresh")).length, 1);
});

test("a refresh token is never sent twice: a second time would end the log-in", async () => {
  const [server, http] = client({ userToken: userLogin({ accessToken: "a1", refreshToken: "r1" }) }, refusal(), LOST);
  const error = await http.call(MAKE, { body: {} }).catch((one: unknown) => one);
  assert.ok(error instanceof ApiError);
  assert.deepEqual([error.code, error.mayHaveRun, error.idempotencyKey], ["UNREACHABLE", false, server.keys[0]]);
  assert.equal(server.seen.length, 2);
});

test("a token that is refused again, and one that nobody renews, are the caller's trouble", async () => {
  const [twice, http] = client({ userToken: userLogin({ accessToken: "a1", refreshToken: "r1" }) }, refusal(), renewed(2), refusal());
  await assert.rejects(http.call(ME), (error: ApiError) => error.status === 401);
  assert.equal(twice.seen.length, 3);
  const [once, fixed] = client({ userToken: "a1" }, refusal());
  await assert.rejects(fixed.call(ME), (error: ApiError) => error.status === 401);
  assert.equal(once.seen.length, 1);
  const [over, ended] = client({ userToken: userLogin({ accessToken: "a1", refreshToken: "r1" }) }, refusal(), refusal());
  await assert.rejects(ended.call(ME), (error: ApiError) => error.status === 401);
  assert.equal(over.seen.length, 2);
});

test("a page's token is renewed in the middle of a stream, which goes on behind its last event", async () => {
  const kept: string[] = [];
  const CHAT = "POST /api/v1/chat/agent kup serk";
  const [server, http] = client(
    { pageToken: pageLogin("t1", (token) => void kept.push(token)) },
    pieces([event("session_start", {}, "s:1")], "cut"),
    refusal(),
    json({ success: true, token: "t2", expiresIn: 900 }),
    pieces([event("complete", {}, "s:2")]),
  );
  const told: string[] = [];
  for await (const { id } of http.stream(CHAT, { body: {} })) told.push(id);
  assert.deepEqual([told, kept], [["s:1", "s:2"], ["t2"]]);
  assert.deepEqual(shown(server), ["t1", "t1", "t1", "t2"]);
  assert.equal(server.seen[2]?.url, "http://abl.test/api/v1/sdk/refresh");
  assert.deepEqual(server.seen.map(({ headers }) => headers["Last-Event-ID"]), [undefined, "s:1", undefined, "s:1"]);
});
