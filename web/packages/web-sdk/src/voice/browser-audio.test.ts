import assert from "node:assert/strict";
import { afterEach, beforeEach, mock, test } from "node:test";
import { SoundError, type SoundOwner } from "./audio.ts";
import { RUNNING_MS, browserAudio } from "./browser-audio.ts";

/** What a browser has of sound, as far as it can go wrong here; that it works is tried in a real one. */
class Browser {
  refusal: Error | null = null;
  hasWorklet = true;
  plays = true;
  resumes = true;
  contexts: FakeContext[] = [];
  nodes: FakeNode[] = [];
  tracks: FakeTrack[] = [];
  wanted: unknown = null;
}

class FakeTrack {
  enabled = true;
  isStopped = false;
  onended: (() => void) | null = null;
  stop(): void {
    this.isStopped = true;
  }
}

class FakeContext {
  state = "suspended";
  sampleRate = 44_100;
  destination = {};
  onstatechange: (() => void) | null = null;
  modules: string[] = [];
  readonly audioWorklet = {
    addModule: (url: string) => {
      this.modules.push(url);
      return browser.hasWorklet ? Promise.resolve() : Promise.reject(new Error("refused"));
    },
  };

  constructor() {
    browser.contexts.push(this);
  }

  resume(): Promise<void> {
    if (!browser.resumes) return Promise.reject(new Error("a phone rings"));
    if (!browser.plays) return new Promise(() => undefined);
    this.state = "running";
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.state = "closed";
    this.onstatechange?.();
    return Promise.resolve();
  }

  createMediaStreamSource(): { connect(node: unknown): unknown } {
    return { connect: (node) => node };
  }
}

class FakeNode {
  readonly port = { postMessage: (message: unknown) => void this.heard.push(message), onmessage: null as ((event: { data: unknown }) => void) | null };
  readonly heard: unknown[] = [];
  onprocessorerror: (() => void) | null = null;

  constructor() {
    browser.nodes.push(this);
  }

  connect(): void {}
}

class Owner implements SoundOwner {
  readonly recorded: Float32Array[] = [];
  readonly counts: number[] = [];
  readonly ends: string[] = [];
  captured(samples: Float32Array): void {
    this.recorded.push(samples);
  }
  played(samples: number): void {
    this.counts.push(samples);
  }
  lost(reason: string): void {
    this.ends.push(reason);
  }
}

let browser = new Browser();
let page = new EventTarget();
let listening = new Set<() => void>();
const before = { ...Object.getOwnPropertyDescriptors(globalThis) };
const put = (name: string, value: unknown): void => void Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });

beforeEach(() => {
  browser = new Browser();
  page = new EventTarget();
  const getUserMedia = (wanted: unknown): Promise<unknown> => {
    browser.wanted = wanted;
    if (browser.refusal) return Promise.reject(browser.refusal);
    browser.tracks.push(new FakeTrack());
    return Promise.resolve({ getTracks: () => browser.tracks, getAudioTracks: () => browser.tracks });
  };
  put("navigator", { mediaDevices: { getUserMedia } });
  put("AudioContext", FakeContext);
  put("AudioWorkletNode", FakeNode);
  put("document", { visibilityState: "visible" });
  listening = new Set();
  put("addEventListener", (name: string, run: () => void) => {
    listening.add(run);
    page.addEventListener(name, run);
  });
  put("removeEventListener", (name: string, run: () => void) => {
    listening.delete(run);
    page.removeEventListener(name, run);
  });
});

afterEach(() => {
  for (const name of ["navigator", "AudioContext", "AudioWorkletNode", "document", "addEventListener", "removeEventListener"]) {
    const known = before[name];
    if (known) Object.defineProperty(globalThis, name, known);
    else Reflect.deleteProperty(globalThis, name);
  }
});

function assertReleased(): void {
  assert.ok(browser.tracks.every(({ isStopped }) => isStopped), "the microphone is released");
  assert.equal(listening.size, 0);
  assert.deepEqual(browser.contexts.map(({ state }) => state), browser.contexts.map(() => "closed"));
}

test("the worklet is a file beside this one, or where it is said to be; the microphone is the one that is wanted", async () => {
  await browserAudio().open({}, new Owner());
  await browserAudio("/own/place.js").open({ deviceId: "mic-2" }, new Owner());
  const [first, second] = browser.contexts;
  assert.deepEqual(first?.modules, [new URL("./voice-worklet.js", import.meta.url).href]);
  assert.deepEqual(second?.modules, ["/own/place.js"]);
  assert.deepEqual(browser.wanted, {
    audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true, deviceId: { exact: "mic-2" } },
  });
});

test("each refusal of a browser has its reason, and nothing is left open", async () => {
  const refusals = [
    ["NotAllowedError", "microphone_denied"],
    ["SecurityError", "microphone_denied"],
    ["NotFoundError", "microphone_missing"],
    ["OverconstrainedError", "microphone_missing"],
    ["NotReadableError", "microphone_failed"],
    ["AbortError", "microphone_failed"],
  ];
  for (const [name = "", reason] of refusals) {
    browser.refusal = Object.assign(new Error("no"), { name });
    await assert.rejects(browserAudio().open({}, new Owner()), (error) => error instanceof SoundError && error.reason === reason, name);
    assertReleased();
  }
});

test("a worklet that is not loaded is said, and the microphone is released", async () => {
  browser.hasWorklet = false;
  await assert.rejects(browserAudio().open({}, new Owner()), { reason: "voice_unsupported" });
  assertReleased();
});

test("a context that cannot be made releases the microphone", async () => {
  put("AudioContext", class {
    constructor() {
      throw new Error("too many");
    }
  });
  await assert.rejects(browserAudio().open({}, new Owner()), /too many/);
  assertReleased();
});

test("a browser that plays nothing is not waited for for ever", async () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  try {
    browser.plays = false;
    const opened = browserAudio().open({}, new Owner());
    const refused = assert.rejects(opened, { reason: "audio_blocked" });
    for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    mock.timers.tick(RUNNING_MS);
    await refused;
    assertReleased();
  } finally {
    mock.timers.reset();
  }
});

test("what is recorded and played is told, but not of what was cleared; and everything is passed on", async () => {
  const owner = new Owner();
  const sound = await browserAudio().open({}, owner);
  const [node] = browser.nodes;
  assert.equal(sound.rateHz, 44_100);
  const samples = Float32Array.of(1, 2);
  node?.port.onmessage?.({ data: { captured: samples } });
  node?.port.onmessage?.({ data: { played: 128, since: 0 } });
  sound.play(samples);
  sound.pause(true);
  sound.clear();
  node?.port.onmessage?.({ data: { played: 256, since: 0 } });
  node?.port.onmessage?.({ data: { played: 64, since: 1 } });
  sound.mute(true);
  assert.deepEqual([owner.recorded, owner.counts, browser.tracks[0]?.enabled], [[samples], [128, 64], false]);
  sound.close();
  sound.close();
  assert.deepEqual(node?.heard, [{ play: samples }, { isPaused: true }, { clear: 1 }, { isOver: true }]);
  assertReleased();
  page.dispatchEvent(new Event("pagehide"));
  browser.tracks[0]?.onended?.();
  assert.deepEqual(owner.ends, [], "who has closed it is told nothing more");
});

test("whatever takes the sound away has its reason, is told once, and leaves nothing open", async () => {
  const take: Record<string, [string, (context: FakeContext, node: FakeNode) => void]> = {
    unplugged: ["microphone_lost", () => browser.tracks.at(-1)?.onended?.()],
    left: ["page_hidden", () => page.dispatchEvent(new Event("pagehide"))],
    "hidden, and the browser stops": ["page_hidden", (context) => {
      put("document", { visibilityState: "hidden" });
      context.state = "interrupted";
      context.onstatechange?.();
    }],
    "a phone rings": ["microphone_lost", (context) => {
      browser.resumes = false;
      context.state = "interrupted";
      context.onstatechange?.();
    }],
    "the worklet fails": ["microphone_failed", (_context, node) => node.onprocessorerror?.()],
  };
  for (const [what, [reason, happen]] of Object.entries(take)) {
    put("document", { visibilityState: "visible" });
    browser.resumes = true;
    const owner = new Owner();
    await browserAudio().open({}, owner);
    happen(browser.contexts.at(-1) as FakeContext, browser.nodes.at(-1) as FakeNode);
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(owner.ends, [reason], what);
    assertReleased();
    browser.tracks.at(-1)?.onended?.();
    assert.deepEqual(owner.ends, [reason], `${what}, once`);
  }
});

test("a page that is seen goes on when its sound was stopped for a moment", async () => {
  const owner = new Owner();
  await browserAudio().open({}, owner);
  const [context] = browser.contexts as [FakeContext];
  context.state = "suspended";
  context.onstatechange?.();
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([context.state, owner.ends], ["running", []]);
});
