/** What the React entry promises, for one version of React. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { AgentProviderProps, UseAgent } from "../src/react/index.ts";
import { Emitter } from "../src/emitter.ts";
import type { Message } from "../src/types.ts";
import { FakeBrowser } from "./browser.ts";
import { prepareReact, withoutPage, type ReactVersion } from "./react.ts";
import { WORDS } from "./server.ts";
import { VoicePage } from "./voice.ts";

const ANSWER = WORDS.join("");

export async function describeReact(version: ReactVersion): Promise<void> {
  const window = prepareReact(version);
  const { act, createElement, memo, StrictMode, version: loaded } = await import("react");
  const { createRoot, hydrateRoot } = await import("react-dom/client");
  const { renderToString } = await import("react-dom/server");
  const { AgentProvider, useAgent, useChat, useVoice } = await import("../src/react/index.ts");

  const rendered = new Map<string, number>();
  let seen: UseAgent | null = null;
  const Line = memo(({ message }: { message: Message }) => {
    rendered.set(message.id, (rendered.get(message.id) ?? 0) + 1);
    return createElement("li", null, `${message.role}: ${message.content}`);
  });
  const Chat = () => {
    const { messages, isTyping, isConnected } = useChat();
    seen = useAgent();
    const lines = messages.map((message) => createElement(Line, { key: message.id, message }));
    return createElement("ul", { "data-typing": isTyping, "data-connected": isConnected }, lines);
  };

  /** A page with the chat on it. */
  class ReactPage {
    readonly browser = new FakeBrowser();
    readonly host = window.document.createElement("main") as unknown as HTMLElement;
    readonly root = createRoot(this.host);
    private readonly _platform = this.browser.open().platform();

    render(props: Partial<AgentProviderProps> = {}, isStrict = false): Promise<void> {
      const config = { projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1", platform: this._platform, ...props };
      const page = createElement(AgentProvider, config, createElement(Chat));
      return act(async () => this.root.render(isStrict ? createElement(StrictMode, null, page) : page));
    }

    pass(ms: number): Promise<void> {
      return act(() => this.browser.clock.pass(ms));
    }

    get text(): string[] {
      return [...this.host.querySelectorAll("li")].map((line) => line.textContent ?? "");
    }
  }

  test(`it is React ${version}`, () => assert.equal(loaded.split(".")[0], String(version)));

  test("a page shows the conversation, speaks in it, and says how the connection stands", async () => {
    const page = new ReactPage();
    await page.render();
    assert.equal(seen!.isConnected, false);
    await page.pass(100);
    assert.equal(seen!.isConnected, true);
    assert.equal(seen!.sessionId, "ses_fam1");
    assert.equal(seen!.sdk.chat(), seen!.chat);
    let id = "";
    await act(async () => void (id = await seen!.sendMessage("hello")));
    assert.equal(seen!.messages[0]?.id, id);
    await page.pass(25);
    assert.equal(seen!.isTyping, true);
    await page.pass(1_000);
    assert.equal(seen!.isTyping, false);
    assert.deepEqual(page.text, ["user: hello", `assistant: ${ANSWER}hello`]);
    await act(async () => page.root.unmount());
  });

  test("StrictMode, which mounts twice, opens one socket and fetches one token", async () => {
    for (const hasLocks of [true, false]) {
      const page = new ReactPage();
      page.browser.hasLocks = hasLocks;
      await page.render({}, true);
      await page.pass(5_000);
      assert.equal(seen!.isConnected, true);
      assert.equal(page.browser.server.opened, 1);
      assert.equal(page.browser.server.requests.filter((path) => path === "/api/v1/sdk/init").length, 1);
      await act(async () => page.root.unmount());
      assert.equal(page.browser.server.sockets.size, 0);
    }
  });

  test("a chunk renders the message that it belongs to and no other", async () => {
    const page = new ReactPage();
    await page.render();
    await page.pass(100);
    for (const text of ["one", "two", "waits"]) await act(async () => void (await seen!.sendMessage(text)));
    for (let step = 0; step < 200 && !seen!.messages.some((line) => line.status === "streaming" && line.content); step += 1) await page.pass(1);
    for (const answer of ["second", "third"]) {
      const before = new Map(rendered);
      const content = (): string => seen!.messages.find((line) => line.status === "streaming")?.content ?? "";
      const said = content();
      for (let step = 0; step < 200 && content() === said; step += 1) await page.pass(1);
      const again = seen!.messages.filter((line) => rendered.get(line.id) !== before.get(line.id));
      assert.deepEqual(again.map((line) => line.status), ["streaming"], `at the ${answer} chunk, of ${seen!.messages.length} lines`);
    }
    await act(async () => page.root.unmount());
  });

  test("what the hooks return is the same object until something of it changes", async () => {
    const page = new ReactPage();
    await page.render();
    await page.pass(100);
    const first = seen!;
    await page.render();
    assert.equal(seen, first);
    await act(async () => void (await seen!.sendMessage("hello")));
    assert.notEqual(seen, first);
    assert.equal(seen!.sendMessage, first.sendMessage);
    assert.equal(seen!.sdk, first.sdk);
    await act(async () => page.root.unmount());
  });

  test("1,000 mounts and unmounts leave no listener, timer or socket behind", async () => {
    const made = new Set<Emitter<object>>();
    const on = Emitter.prototype.on;
    Emitter.prototype.on = function (this: Emitter<object>, ...given: Parameters<typeof on>) {
      made.add(this);
      return on.apply(this, given);
    } as typeof on;
    const browser = new FakeBrowser();
    const tab = browser.open();
    const host = window.document.createElement("main") as unknown as HTMLElement;
    for (let mount = 0; mount < 1_000; mount += 1) {
      const root = createRoot(host);
      const page = createElement(AgentProvider, { projectId: "p", apiKey: "pk_1", platform: tab.platform() }, createElement(Chat));
      await act(async () => root.render(page));
      if (mount % 50 === 0) await act(() => browser.clock.pass(30));
      await act(async () => root.unmount());
    }
    Emitter.prototype.on = on;
    await browser.clock.pass(0);
    assert.ok(made.size >= 3_000, "an SDK, its chat and its voice, each time");
    assert.equal([...made].reduce((sum, one) => sum + one.listenerCount(), 0), 0);
    assert.equal(browser.server.sockets.size, 0);
    assert.equal(tab.wakers.size, 0);
    assert.deepEqual(browser.waiting(), []);
  });

  test("other options are another conversation, and the old one is left", async () => {
    const page = new ReactPage();
    await page.render();
    await page.pass(100);
    const { sdk } = seen!;
    await page.render({ apiKey: "pk_2" });
    await page.pass(100);
    assert.notEqual(seen!.sdk, sdk);
    assert.equal(sdk.isConnected(), false);
    assert.equal(seen!.isConnected, true);
    assert.equal(page.browser.server.sockets.size, 1);
    await act(async () => page.root.unmount());
  });

  test("an error is told, and is over with the next connection", async () => {
    const page = new ReactPage();
    page.browser.server.answers.set("/api/v1/sdk/init", { status: 403, body: { error: { code: "FORBIDDEN", message: "not here" } } });
    await page.render();
    await page.pass(100);
    assert.equal(seen!.error?.reason, "forbidden");
    page.browser.server.answers.clear();
    await act(async () => void seen!.sdk.connect());
    await page.pass(100);
    assert.equal(seen!.isConnected, true);
    assert.equal(seen!.error, null);
    await act(async () => page.root.unmount());
  });

  test("a server renders it without a window, and the page takes that over without a difference", async () => {
    const browser = new FakeBrowser();
    const tab = browser.open();
    const kept = browser.open();
    await kept.sdk.chat().send("kept from an earlier page");
    browser.kill(kept);
    const page = createElement(AgentProvider, { projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1" }, createElement(Chat));
    const giveBack = withoutPage();
    const html = renderToString(page);
    giveBack();
    assert.match(html, /^<ul data-typing="false" data-connected="false"><\/ul>$/);
    const host = window.document.createElement("main") as unknown as HTMLElement;
    host.innerHTML = html;
    const complaints: string[] = [];
    const here = createElement(AgentProvider, { projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1", platform: tab.platform() }, createElement(Chat));
    let root: ReturnType<typeof hydrateRoot> | null = null;
    await act(async () => {
      root = hydrateRoot(host, here, { onRecoverableError: (error) => complaints.push(String(error)) });
    });
    assert.deepEqual(complaints, []);
    assert.equal(host.querySelectorAll("li").length, 1, "what was kept is there now");
    await act(async () => root!.unmount());
  });

  test("a call is followed by its hooks, and its errors are told with the others", async () => {
    const call = new VoicePage();
    const host = window.document.createElement("main") as unknown as HTMLElement;
    const root = createRoot(host);
    let voice: ReturnType<typeof useVoice> | null = null;
    const Voice = () => {
      voice = useVoice();
      seen = useAgent();
      return createElement("b", null, `${voice.voiceState}${voice.isMuted ? " muted" : ""}`);
    };
    const config = { projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1", platform: call.platform() };
    await act(async () => root.render(createElement(AgentProvider, config, createElement(Voice))));
    const text = (): string => host.textContent ?? "";
    assert.equal(text(), "idle");
    const first = voice!;
    assert.equal(seen!.voice, seen!.sdk.voice({ audio: call.audio }));
    assert.equal(seen!.startVoice, first.startVoice);
    await act(async () => void voice!.toggleMute());
    assert.equal(text(), "idle muted");
    await act(async () => void voice!.toggleMute());
    let started: Promise<void> = Promise.reject(new Error("not yet"));
    started.catch(() => undefined);
    await act(async () => void (started = voice!.startVoice()));
    assert.equal(text(), "connecting");
    await act(() => call.arrived());
    await act(async () => call.socket.greet(true));
    await act(async () => call.socket.say({ type: "voice_started", voiceMode: "pipeline" }));
    await started;
    assert.deepEqual([text(), seen!.voiceState, voice!.startVoice], ["ready", "ready", first.startVoice]);
    await act(async () => call.socket.say({ type: "voice_error", code: "STT_FAILED", message: "no", fatal: false }));
    assert.equal(seen!.error?.reason, "voice_failed");
    await act(async () => voice!.stopVoice());
    assert.equal(text(), "idle");
    await act(async () => root.unmount());
    assert.equal(seen!.voice.listenerCount(), 0);
  });

  test("where there is no voice it is said, and chat goes on", async () => {
    const page = new ReactPage();
    await page.render();
    await page.pass(100);
    let refused: unknown = null;
    await act(async () => void (await seen!.startVoice().catch((error: unknown) => (refused = error))));
    assert.equal((refused as { reason?: string }).reason, "voice_unsupported");
    assert.deepEqual([seen!.voiceState, seen!.error?.reason], ["error", "voice_unsupported"]);
    await act(async () => void (await seen!.sendMessage("hello")));
    await page.pass(1_000);
    assert.deepEqual(page.text, ["user: hello", `assistant: ${ANSWER}hello`]);
    await act(async () => page.root.unmount());
  });

  test("hooks without a provider say so", () => {
    assert.throws(() => renderToString(createElement(Chat)), { reason: "bad_config" });
  });
}
