import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Scripted, json } from "../../testing/scripted-fetch.ts";
import { Http } from "./core.ts";
import { callbackSignature } from "./signing.ts";

test("a callback is signed over the bytes that are sent", async () => {
  const body = { status: "approved", note: "größer" };
  const server = new Scripted(json({ ok: true }));
  const headers = { "x-callback-signature": await callbackSignature("secret", body) };
  await new Http(server.options).call("POST /api/v1/callbacks/{callbackId} - -", { callbackId: "cb_1", headers, body });
  const sent = server.seen[0]?.body as string;
  assert.equal(server.seen[0]?.headers["x-callback-signature"], `sha256=${createHmac("sha256", "secret").update(sent).digest("hex")}`);
});
