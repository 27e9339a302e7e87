import { memoryStore } from "../src/browser-platform.ts";
import type { KeyValues, Platform, Tabs } from "../src/platform.ts";
import { AgentSDK } from "../src/sdk.ts";
import type { AgentConfig } from "../src/types.ts";
import { FakeClock } from "./clock.ts";
import { FakeServer } from "./server.ts";

/** A browser with its tabs: what they keep, who leads them, and the server they talk to. */
export class FakeBrowser {
  readonly clock = new FakeClock();
  readonly server = new FakeServer(this.clock);
  readonly store: KeyValues = memoryStore();
  /** Whether there are Web Locks: on plain http there are none. */
  hasLocks = true;
  isOnline = true;
  random = (): number => 0;
  private _ids = 0;
  private _everybody = new Map<string, Set<Tab>>();
  private _lines = new Map<string, Tab[]>();
  private _tabs = new Set<FakeTab>();

  /** Open a page of the conversation. */
  open(config: Partial<AgentConfig> = {}): FakeTab {
    const tab = new FakeTab(this, { projectId: "p", apiKey: "pk_1", endpoint: "http://127.0.0.1:1", ...config });
    this._tabs.add(tab);
    return tab;
  }

  /** Take a page away as a crash does: it does nothing more, and says no goodbye. */
  kill(tab: FakeTab): void {
    this._tabs.delete(tab);
    tab.die();
  }

  /** The network comes back, or the page is looked at. */
  wake(): void {
    for (const tab of this._tabs) tab.wakers.forEach((run) => run());
  }

  /** The tabs that hear each other in a conversation. */
  everybody(name: string): Set<Tab> {
    const all = this._everybody.get(name) ?? new Set();
    this._everybody.set(name, all);
    return all;
  }

  /** The conversations that a tab leads or waits for. */
  waiting(): string[] {
    return [...this._lines].filter(([, line]) => line.length).map(([name]) => name);
  }

  newId(): string {
    return `id${(this._ids += 1)}`;
  }

  /** The tabs that wait for the lead of a conversation, the first of which has it. */
  line(name: string): Tab[] {
    const line = this._lines.get(name) ?? [];
    this._lines.set(name, line);
    return line;
  }
}

interface Tab {
  tabs: Tabs;
  lead: (() => void) | null;
  owner: FakeTab;
}

export class FakeTab {
  readonly sdk: AgentSDK;
  readonly wakers = new Set<() => void>();
  readonly heard: string[] = [];
  isAlive = true;
  private readonly _browser: FakeBrowser;
  private readonly _joined: Tab[] = [];
  private _sockets: Array<{ close(): void }> = [];

  constructor(browser: FakeBrowser, config: AgentConfig) {
    this._browser = browser;
    this.sdk = new AgentSDK(config, this.platform());
  }

  /** What the page shows: who, what, and how far it is. */
  get screen(): string[] {
    return this.sdk.chat().getMessages().map(({ role, content, status }) => `${role}: ${content}${status === "done" ? "" : ` (${status})`}`);
  }

  die(): void {
    this.isAlive = false;
    for (const one of this._sockets) one.close();
    for (const joined of this._joined) this._give(joined);
  }

  /** The world of this page. */
  platform(): Platform {
    const browser = this._browser;
    const { clock, server } = browser;
    const live = <Given extends unknown[]>(run: (...given: Given) => void) => (...given: Given): void => {
      if (this.isAlive) run(...given);
    };
    return {
      now: () => clock.now(),
      after: (ms, run) => clock.after(ms, live(run)),
      random: () => browser.random(),
      newId: () => browser.newId(),
      origin: () => "http://127.0.0.1:1",
      request: async (url, request) => {
        const answer = browser.isOnline ? await server.request(url, request) : { status: 0, body: null };
        return this.isAlive ? answer : new Promise(() => undefined);
      },
      upload: () => Promise.resolve({ status: 201, body: { attachmentId: "att_1" } }),
      openSocket: (url, protocols) => {
        const socket = server.openSocket(url, protocols);
        this._sockets.push(socket);
        return socket;
      },
      storage: () => browser.store,
      tabs: (name) => (browser.hasLocks ? this._join(name) : null),
      onWake: (run) => {
        this.wakers.add(run);
        return () => this.wakers.delete(run);
      },
      isOnline: () => browser.isOnline,
    };
  }

  private _join(name: string): Tabs {
    const { clock } = this._browser;
    const line = this._browser.line(name);
    const tabs: Tabs = {
      lead: (lead) => {
        joined.lead = lead;
        line.push(joined);
        everybody.add(joined);
        if (line[0] === joined) clock.after(0, () => this.isAlive && line[0] === joined && lead());
        return () => {
          everybody.delete(joined);
          this._give(joined);
        };
      },
      post: (message) => {
        if (!everybody.has(joined)) return;
        const copy = JSON.stringify(message);
        for (const other of everybody) if (other !== joined) clock.after(0, () => other.owner.isAlive && everybody.has(other) && other.tabs.onmessage?.(JSON.parse(copy)));
      },
      onmessage: null,
    };
    const joined: Tab = { tabs, lead: null, owner: this };
    const everybody = this._browser.everybody(name);
    this._joined.push(joined);
    Object.assign(joined, { name });
    return tabs;
  }

  private _give(joined: Tab): void {
    const line = this._browser.line((joined as Tab & { name: string }).name);
    const had = line[0] === joined;
    const at = line.indexOf(joined);
    if (at >= 0) line.splice(at, 1);
    const next = line[0];
    if (had && next) this._browser.clock.after(0, () => next.owner.isAlive && line[0] === next && next.lead?.());
  }
}
