import type { ConnectionState } from "./connection-table.ts";
import type { Reason } from "./errors.ts";
import type { Entry } from "./outbox.ts";
import type { Tabs } from "./platform.ts";
import type { HistoryPage } from "./transcript.ts";
import type { ServerFrame } from "./wire.ts";

/** What the tabs of a conversation tell each other. */
export type Bulletin =
  // the one that leads
  | { kind: "frame"; frame: ServerFrame }
  | { kind: "history"; sessionId: string; page: HistoryPage; late: number }
  | { kind: "written"; id: string }
  | { kind: "state"; state: ConnectionState; reason: Reason | null }
  | { kind: "welcome"; state: ConnectionState; frames: ServerFrame[] }
  // any
  | { kind: "entry"; entry: Entry }
  | { kind: "gone"; id: string }
  // the others
  | { kind: "hello" }
  | { kind: "want"; what: "connect" | "stop" };

export interface TabOwner {
  /** This tab has the socket from now on. */
  lead(): void;
  heard(bulletin: Bulletin): void;
}

/** The tabs of one browser that have a conversation open: one leads, the others follow and take over. */
export class TabGroup {
  private readonly _owner: TabOwner;
  private readonly _tabs: Tabs | null;
  private _giveBack: (() => void) | null = null;
  private _leads = false;

  /** @param tabs Null where every tab is alone. */
  constructor(tabs: Tabs | null, owner: TabOwner) {
    this._owner = owner;
    this._tabs = tabs;
    if (tabs) tabs.onmessage = (message) => owner.heard(message as Bulletin);
  }

  get leads(): boolean {
    return this._leads;
  }

  /** Take the lead, now or as soon as it is free. */
  join(): void {
    if (this._giveBack) return;
    const lead = (): void => {
      this._leads = true;
      this._owner.lead();
    };
    if (!this._tabs) {
      this._giveBack = () => undefined;
      lead();
      return;
    }
    this._giveBack = this._tabs.lead(lead);
    this.tell({ kind: "hello" });
  }

  /** Give the lead, or the place in the line, to the others. */
  leave(): void {
    this._giveBack?.();
    this._giveBack = null;
    this._leads = false;
  }

  tell(bulletin: Bulletin): void {
    this._tabs?.post(bulletin);
  }
}
