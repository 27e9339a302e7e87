import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeBrowser, type FakeTab } from "../testing/browser.ts";
import { WORDS } from "../testing/server.ts";
import { REPEATABLE_MS } from "./outbox.ts";
import type { ClientFrame, ServerFrame } from "./wire.ts";

const LONG_MS = 300_000;
const ANSWER = WORDS.join("");

async function ready(browser: FakeBrowser, tab: FakeTab = browser.open()): Promise<FakeTab> {
  void tab.sdk.connect();
  await browser.clock.pass(100);
  assert.equal(tab.sdk.isConnected(), true);
  return tab;
}

/** What a page shows of these messages once all is said. */
function whole(texts: string[]): string[] {
  return texts.flatMap((text) => [`user: ${text}`, `assistant: ${ANSWER}${text}`]);
}

test("what is sent before there is a connection goes out in its order, each once", async () => {
  const browser = new FakeBrowser();
  browser.isOnline = false;
  const tab = browser.open();
  const texts = ["one", "two", "three"];
  for (const text of texts) await tab.sdk.chat().send(text);
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(tab.screen, texts.map((text) => `user: ${text} (waiting)`));
  browser.isOnline = true;
  browser.wake();
  await browser.clock.pass(5_000);
  assert.deepEqual(tab.screen, whole(texts));
  assert.equal(browser.server.session.journal.length, texts.length);
});

test("a message has its id, and is kept, before anything of it is written", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  const kept: Array<string | undefined> = [];
  browser.server.onTheWay = (frame) => {
    if (frame.type === "chat_message") kept.push(browser.store.keys().find((key) => key.endsWith(`out:${frame.messageId}`)));
    return [frame];
  };
  const id = await tab.sdk.chat().send("hello");
  await browser.clock.pass(1_000);
  assert.equal(kept.length, 1);
  assert.ok(kept[0]?.endsWith(id));
  assert.deepEqual(browser.store.keys().filter((key) => key.includes("out:")), [], "answered: the history has it");
});

for (const lost of ["message_ack", "chat_message", "response_start", "response_end"] as const) {
  test(`the first ${lost} is lost on an open socket: nothing is, and nothing is twice`, async () => {
    const browser = new FakeBrowser();
    const tab = await ready(browser);
    let left = 1;
    browser.server.onTheWay = (frame) => (frame.type === lost && left-- > 0 ? [] : [frame]);
    for (const text of ["one", "two"]) await tab.sdk.chat().send(text);
    await browser.clock.pass(LONG_MS);
    assert.deepEqual(tab.screen, whole(["one", "two"]));
    assert.equal(browser.server.session.journal.length, 2);
  });
}

/** Count the frames of a story of three messages, and do something at one of them. */
async function story(at: number, harm: (browser: FakeBrowser, tab: FakeTab) => FakeTab | void): Promise<{ browser: FakeBrowser; tab: FakeTab; frames: number }> {
  const browser = new FakeBrowser();
  let tab = browser.open();
  void tab.sdk.connect();
  let frames = 0;
  browser.server.onTheWay = (frame: ServerFrame | ClientFrame) => {
    frames += 1;
    if (frames === at) browser.clock.after(0, () => (tab = harm(browser, tab) ?? tab));
    return [frame];
  };
  const texts = ["one", "two", "three"];
  for (const text of texts) {
    await tab.sdk.chat().send(text);
    await browser.clock.pass(45);
  }
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(tab.screen, whole(texts), `at frame ${at}`);
  assert.deepEqual(browser.server.session.journal.length, texts.length, `at frame ${at}`);
  return { browser, tab, frames };
}

const HARMS: Record<string, (browser: FakeBrowser, tab: FakeTab) => FakeTab | void> = {
  "the socket is cut": (browser) => [...browser.server.sockets].forEach((socket) => socket.cut(1006)),
  "the gateway is killed": (browser) => {
    browser.server.kill();
    browser.clock.after(3_000, () => browser.server.restart());
  },
  "the page is loaded again": (browser, tab) => {
    browser.kill(tab);
    const next = browser.open();
    void next.sdk.connect();
    return next;
  },
  "the tab is closed, and another one goes on": (browser, tab) => {
    const other = browser.open();
    void other.sdk.connect();
    browser.clock.after(5, () => browser.kill(tab));
    return other;
  },
};

for (const [name, harm] of Object.entries(HARMS)) {
  test(`at each frame ${name}: the same conversation`, async () => {
    const { frames } = await story(0, () => undefined);
    assert.ok(frames > 20);
    for (let at = 1; at <= frames; at += 1) await story(at, harm);
  });
}

test("500 messages through everything at once: each once in the journal and once on the screen, in order", async () => {
  for (let seed = 1; seed <= 10; seed += 1) await chaos(seed, 50);
});

async function chaos(seed: number, messages: number): Promise<void> {
  const browser = new FakeBrowser();
  let state = seed * 7_919;
  const draw = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
  browser.random = () => draw(1000) / 1000;
  let held: ServerFrame | ClientFrame | null = null;
  let isHarmed = true;
  browser.server.onTheWay = (frame) => {
    const kind = isHarmed ? draw(40) : 99;
    if (kind === 0) return [];
    if (kind === 1) return [frame, frame];
    if (kind === 2 && held === null && frame.type.startsWith("response_")) {
      held = frame;
      return [];
    }
    if (held !== null && frame.type.startsWith("response_")) {
      const late = held;
      held = null;
      return [frame, late];
    }
    return [frame];
  };
  const tabs = [browser.open(), browser.open()];
  tabs.forEach((tab) => void tab.sdk.connect().catch(() => undefined));
  const sent: string[] = [];
  for (let number = 0; number < messages; number += 1) {
    const tab = tabs[draw(tabs.length)]!;
    const text = `m${seed}-${number}`;
    sent.push(text);
    await tab.sdk.chat().send(text);
    await browser.clock.pass(draw(400));
    const harm = draw(12);
    if (harm === 0) [...browser.server.sockets].forEach((socket) => socket.cut([1001, 1006, 1011, 4001, 4003][draw(5)]!));
    if (harm === 1 && browser.server.isUp) {
      browser.server.kill();
      browser.clock.after(draw(8_000), () => browser.server.restart());
    }
    if (harm === 2) {
      const at = draw(tabs.length);
      browser.kill(tabs[at]!);
      tabs[at] = browser.open();
      void tabs[at].sdk.connect().catch(() => undefined);
    }
    if (harm === 3) {
      browser.isOnline = false;
      browser.clock.after(draw(20_000), () => {
        browser.isOnline = true;
        browser.wake();
      });
      [...browser.server.sockets].forEach((socket) => socket.cut(1006));
    }
    if (harm === 4) browser.clock.leap(900_000);
  }
  isHarmed = false;
  await browser.clock.pass(60_000);
  browser.wake();
  tabs.forEach((tab) => void tab.sdk.connect().catch(() => undefined));
  await browser.clock.pass(LONG_MS);
  const journal = browser.server.session.journal;
  assert.equal(new Set(journal).size, journal.length, `seed ${seed}: run once each`);
  assert.equal(journal.length, sent.length, `seed ${seed}: none lost`);
  for (const tab of tabs) assert.deepEqual(tab.screen, whole(sent), `seed ${seed}`);
  const late = browser.open();
  await ready(browser, late);
  assert.deepEqual(late.screen, whole(sent), `seed ${seed}: seen by who comes later`);
}

test("a message too old for its id is not sent again but said to be unsent, and can be sent as a new one", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  browser.server.onTheWay = (frame) => (frame.type === "chat_message" ? [] : [frame]);
  const id = await tab.sdk.chat().send("hello");
  await browser.clock.pass(1_000);
  browser.kill(tab);
  browser.clock.leap(REPEATABLE_MS);
  browser.server.onTheWay = (frame) => [frame];
  const next = browser.open();
  const failed: string[] = [];
  next.sdk.chat().on("messageFailed", ({ messageId, error }) => failed.push(`${messageId} ${error.reason}`));
  await ready(browser, next);
  assert.deepEqual(failed, [`${id} too_old`]);
  assert.deepEqual(next.screen, ["user: hello (failed)"]);
  assert.deepEqual(browser.server.session.journal, []);
  const again = await next.sdk.chat().retry(id);
  await browser.clock.pass(1_000);
  assert.deepEqual(next.screen, whole(["hello"]));
  assert.deepEqual(browser.server.session.journal, [again]);
});

test("what was written for a conversation that ended is not sent to the next one unasked", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  browser.server.onTheWay = (frame) => (frame.type === "chat_message" ? [] : [frame]);
  const [id, kept] = [await tab.sdk.chat().send("for the old one"), await tab.sdk.chat().send("this too")];
  await browser.clock.pass(100);
  browser.server.end();
  browser.server.onTheWay = (frame) => [frame];
  await browser.clock.pass(100);
  assert.equal(tab.sdk.getConnectionState(), "ended");
  assert.deepEqual(tab.screen, ["user: for the old one (failed)", "user: this too (failed)"]);
  assert.deepEqual(tab.sdk.chat().getMessages().map((message) => message.failure), ["session_ended", "session_ended"]);
  await tab.sdk.chat().send("hello again");
  await browser.clock.pass(1_000);
  const [old, fresh] = [...browser.server.sessions.values()];
  assert.deepEqual([old!.journal.length, fresh!.journal.length], [0, 1]);
  tab.sdk.chat().discard(id);
  assert.deepEqual(tab.screen, ["user: hello again", `assistant: ${ANSWER}hello again`, "user: this too (failed)"]);
  await tab.sdk.chat().retry(kept);
  await browser.clock.pass(1_000);
  assert.deepEqual(fresh!.journal.length, 2);
});

test("a session that is gone when the page comes back: a new one begins, and nothing of the old one is sent in it", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  await tab.sdk.chat().send("answered");
  await browser.clock.pass(500);
  browser.server.onTheWay = (frame) => (frame.type === "chat_message" ? [] : [frame]);
  await tab.sdk.chat().send("on its way");
  await browser.clock.pass(100);
  browser.server.session.isOver = true;
  browser.server.onTheWay = (frame) => [frame];
  [...browser.server.sockets].forEach((socket) => socket.cut(1006));
  await browser.clock.pass(20_000);
  assert.equal(tab.sdk.isConnected(), true);
  assert.equal(browser.server.sessions.size, 2);
  assert.deepEqual([...browser.server.sessions.values()].map((session) => session.journal.length), [1, 0]);
  assert.deepEqual(tab.screen, ["user: on its way (failed)"]);
});

test("what is sent again as soon as its session is known to be gone goes into the next one, once", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  browser.server.onTheWay = (frame) => (frame.type === "chat_message" ? [] : [frame]);
  const id = await tab.sdk.chat().send("on its way");
  await browser.clock.pass(100);
  browser.server.session.isOver = true;
  [...browser.server.sockets].forEach((socket) => socket.cut(1006));
  for (let step = 0; tab.screen[0] !== "user: on its way (failed)"; step += 1) {
    assert.ok(step < 20_000);
    await browser.clock.pass(1);
  }
  assert.equal(browser.server.sessions.size, 1, "the next one is not there yet");
  browser.server.onTheWay = (frame) => [frame];
  await tab.sdk.chat().retry(id);
  await browser.clock.pass(20_000);
  assert.deepEqual([...browser.server.sessions.values()].map((session) => session.journal.length), [0, 1]);
  assert.deepEqual(tab.screen, ["user: on its way", `assistant: ${ANSWER}on its way`]);
});

test("a session that is missing for a moment is looked for again; one that stays away is given up", async () => {
  for (const [times, sessions] of [[2, 1], [3, 2]] as const) {
    const browser = new FakeBrowser();
    const tab = await ready(browser);
    browser.server.onTheWay = (frame) => (frame.type === "chat_message" ? [] : [frame]);
    await tab.sdk.chat().send("hello");
    await browser.clock.pass(100);
    browser.server.onTheWay = (frame) => [frame];
    browser.server.missing = times;
    [...browser.server.sockets].forEach((socket) => socket.cut(1006));
    await browser.clock.pass(LONG_MS);
    assert.equal(tab.sdk.isConnected(), true);
    assert.equal(browser.server.sessions.size, sessions);
    assert.deepEqual(tab.screen, sessions === 1 ? whole(["hello"]) : ["user: hello (failed)"]);
  }
});

test("an interruption stops what is being said once, and not its own answer when it is written again", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser, browser.open({ interruption: "interrupt" }));
  const written: string[] = [];
  let isCut = false;
  browser.server.onTheWay = (frame) => {
    if (frame.type === "typed_interrupt" || frame.type === "chat_message") written.push(frame.type);
    if (frame.type === "message_ack" && written.includes("typed_interrupt") && !isCut) {
      isCut = true;
      browser.clock.after(25, () => [...browser.server.sockets].forEach((socket) => socket.cut(1006)));
      return [];
    }
    return [frame];
  };
  await tab.sdk.chat().send("long");
  await browser.clock.pass(35);
  await tab.sdk.chat().send("stop");
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(written, ["chat_message", "typed_interrupt", "chat_message"]);
  assert.deepEqual(tab.screen, ["user: long", "assistant: heard ", "user: stop", `assistant: ${ANSWER}stop`]);
});

test("stop keeps what was said, also after a reload in the middle of it", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  await tab.sdk.chat().send("long");
  await browser.clock.pass(25);
  browser.kill(tab);
  const next = browser.open();
  void next.sdk.connect();
  await browser.clock.pass(12);
  next.sdk.chat().stop();
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(next.screen, ["user: long", "assistant: heard "]);
});

test("a rating is kept and sent until the server has it, once", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  browser.server.kill();
  await tab.sdk.chat().rate({ messageId: "msg_1", thumb: 1 });
  browser.clock.after(3_000, () => browser.server.restart());
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(browser.server.session.ratings, ["msg_1"]);
  assert.deepEqual(tab.screen, []);
  assert.deepEqual(browser.store.keys().filter((key) => key.includes("out:")), []);
});

test("a passing refusal is tried again in its place; one for good is told, and the next message goes on", async () => {
  const browser = new FakeBrowser();
  const tab = await ready(browser);
  const errors = ["QUEUE_FULL", "VALIDATION_ERROR"];
  browser.server.onTheWay = (frame) => {
    const code = frame.type === "message_ack" ? errors.shift() : undefined;
    if (!code || frame.type !== "message_ack") return [frame];
    const { sessionId, seq, timestamp, messageId, replyTo = null } = frame;
    return [{ type: "error", code, message: code, fatal: false, messageId, replyTo, sessionId, seq, timestamp }];
  };
  const told: Array<string | null> = [];
  tab.sdk.chat().on("error", ({ error }) => told.push(error.code));
  const texts = ["one", "two"];
  for (const text of texts) await tab.sdk.chat().send(text);
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(told, ["VALIDATION_ERROR"], "QUEUE_FULL passed");
  assert.equal(tab.screen.at(-1), `assistant: ${ANSWER}two`);
});
