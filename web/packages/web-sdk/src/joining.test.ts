/** History and output join without a gap or an overlap, and what was answered does not wake up. Decision: 0076. */
import { wordsOf } from "./action-sets.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { FakeBrowser, type FakeTab } from "../testing/browser.ts";
import { FORM_FOR, WORDS } from "../testing/server.ts";

const LONG_MS = 300_000;
const ANSWER = WORDS.join("");

async function asked(): Promise<{ browser: FakeBrowser; tab: FakeTab }> {
  const browser = new FakeBrowser();
  const tab = browser.open();
  void tab.sdk.connect();
  await browser.clock.pass(100);
  await tab.sdk.chat().send(FORM_FOR);
  await browser.clock.pass(500);
  return { browser, tab };
}

/** What a page says of its buttons: how they stand, and what they were answered with. */
function form(tab: FakeTab): Array<string | undefined> {
  const chat = tab.sdk.chat();
  const shown = chat.getMessages().find((line) => line.actions);
  return [shown?.actionState, shown?.answer?.value, chat.getOpenActions() === null ? "none" : chat.getOpenActions() === shown?.id ? "this" : "other"];
}

async function reload(browser: FakeBrowser, tab: FakeTab): Promise<FakeTab> {
  browser.kill(tab);
  const next = browser.open();
  void next.sdk.connect();
  await browser.clock.pass(100);
  return next;
}

test("a form that waits for its answer waits after a reload too, and is answered once", async () => {
  const { browser, tab } = await asked();
  assert.deepEqual(form(tab), ["open", undefined, "this"]);
  const next = await reload(browser, tab);
  assert.deepEqual(form(next), ["open", undefined, "this"]);
  const id = await next.sdk.chat().submitAction({ actionId: "yes", value: "yes" });
  assert.deepEqual(form(next), ["answered", "yes", "none"], "before anybody has heard of it");
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(form(next), ["answered", "yes", "none"]);
  assert.deepEqual(form(await reload(browser, next)), ["answered", "yes", "none"]);
  assert.deepEqual(browser.server.session.journal.filter((one) => one === id), [id]);
});

test("at each frame of an answer, cut or loaded again: the form stays answered, and its answer is run once", async () => {
  for (const harm of ["cut", "reload", "lost"] as const) {
    for (let at = 1; at <= 9; at += 1) {
      const { browser, tab } = await asked();
      let page = tab;
      let frames = 0;
      const submitted: Array<string | null | undefined> = [];
      browser.server.onTheWay = (frame) => {
        if (frame.type === "action_submit") submitted.push(`${frame.messageId} ${frame.renderId}`);
        frames += 1;
        if (frames !== at) return [frame];
        if (harm === "lost") return [];
        browser.clock.after(0, () => {
          if (harm === "cut") return [...browser.server.sockets].forEach((socket) => socket.cut(1006));
          browser.kill(page);
          page = browser.open();
          void page.sdk.connect();
        });
        return [frame];
      };
      const woke: string[] = [];
      await tab.sdk.chat().submitAction({ actionId: "yes", value: "yes" });
      for (let step = 0; step < 60; step += 1) {
        await browser.clock.pass(step < 40 ? 5 : 5_000);
        if (form(page)[0] === "open") woke.push(`${harm} at ${at}, step ${step}`);
      }
      assert.deepEqual(woke, []);
      assert.deepEqual(form(page), ["answered", "yes", "none"], `${harm} at ${at}`);
      assert.equal(browser.server.session.journal.length, 2, `${harm} at ${at}`);
      assert.equal(new Set(submitted).size, 1, "each time under one id, for one set");
      assert.deepEqual(page.screen, [`user: ${FORM_FOR}`, `assistant: ${ANSWER}${FORM_FOR}`, "user: Yes", `assistant: ${ANSWER}yes`], `${harm} at ${at}`);
    }
  }
});

test("an answer that is refused leaves the form as the server has it", async () => {
  const { browser, tab } = await asked();
  browser.server.session.open = null;
  const id = await tab.sdk.chat().submitAction({ actionId: "yes", value: "yes" });
  await browser.clock.pass(1_000);
  assert.equal(tab.sdk.chat().getMessages().find((line) => line.id === id)?.failure, "refused");
  assert.deepEqual(form(tab).slice(0, 2), ["open", undefined], "as far as this page was told");
  assert.deepEqual(form(await reload(browser, tab)).slice(0, 2), ["closed", undefined]);
});

test("another page of the same visitor sees the form answered at once", async () => {
  const { browser, tab } = await asked();
  const other = browser.open();
  void other.sdk.connect();
  await browser.clock.pass(100);
  assert.deepEqual(form(other), ["open", undefined, "this"]);
  await tab.sdk.chat().submitAction({ actionId: "yes", value: "yes" });
  await browser.clock.pass(0);
  assert.deepEqual(form(other), ["answered", "yes", "none"]);
});

test("a page that has kept nothing of the output goes on where the history ends", async () => {
  const { browser, tab } = await asked();
  await tab.sdk.chat().send("long");
  await browser.clock.pass(35); // in the middle of the answer
  browser.kill(tab);
  for (const key of browser.store.keys()) if (key.endsWith(":seq")) browser.store.remove(key);
  const next = browser.open();
  const chunks: string[] = [];
  next.sdk.chat().on("messageChunk", ({ chunk }) => chunks.push(chunk));
  void next.sdk.connect();
  await browser.clock.pass(LONG_MS);
  assert.deepEqual(next.screen.slice(2), ["user: long", `assistant: ${ANSWER}long`]);
  assert.equal(chunks.join(""), `${ANSWER}long`, "the whole answer that was being said, nothing of one before it");
});

test("an answer is told in the words of its set, and its value is where it has none", () => {
  const house = { id: "house", type: "select" as const, label: "House", options: [{ id: "town", label: "In town" }] };
  const day = { id: "day", type: "input" as const, label: "Day" };
  const set = { elements: [day, house, { id: "no", type: "button" as const, label: "None" }] };
  assert.equal(wordsOf(set, { actionId: "stay", formData: { house: "town", day: "Monday" } }), "Monday, In town");
  assert.equal(wordsOf(set, { actionId: "house", value: "town" }), "In town");
  assert.equal(wordsOf(set, { actionId: "no", value: "no" }), "None");
  assert.equal(wordsOf(set, { actionId: "no" }), "None");
  assert.equal(wordsOf(set, { actionId: "other", value: "x" }), "x");
  assert.equal(wordsOf(undefined, { actionId: "other", formData: { a: "b" } }), "");
});
