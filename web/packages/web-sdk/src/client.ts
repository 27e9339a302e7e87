import { Conversation, type ConversationOwner } from "./conversation.ts";
import { Credentials } from "./credentials.ts";
import { AgentError } from "./errors.ts";
import { Outbox, type Entry } from "./outbox.ts";
import type { Platform } from "./platform.ts";
import { TabGroup, type Bulletin } from "./tabs.ts";
import type { AgentConfig } from "./types.ts";
import type { ClientFrame } from "./wire.ts";

const KEY_PREFIX = "pk_";
/** The form of what is kept; another one is another conversation. */
const FORM = "abl:1";

/** One conversation of this browser as this tab has it: what chat, voice and SDK are faces of. */
export class Client {
  readonly platform: Platform;
  readonly credentials: Credentials;
  readonly conversation: Conversation;
  readonly outbox: Outbox;
  readonly endpoint: string;
  readonly config: AgentConfig;
  private readonly _tabs: TabGroup;

  /** Throws AgentError: the options cannot be used. */
  constructor(config: AgentConfig, platform: Platform, owner: ConversationOwner) {
    if (!config.projectId) throw new AgentError("bad_config", "projectId is missing");
    if (!config.apiKey?.startsWith(KEY_PREFIX)) throw new AgentError("bad_config", "apiKey must be a public key, which begins with pk_");
    this.platform = platform;
    this.config = config;
    this.endpoint = (config.endpoint ?? platform.origin()).replace(/\/+$/, "");
    const keeping = config.storage ?? "local";
    const store = platform.storage(keeping);
    const agent = config.agentId ? `@${encodeURIComponent(config.agentId)}` : ""; // each agent has a conversation of its own
    const prefix = `${FORM}:${this.endpoint}:${config.projectId}:${config.apiKey}${agent}:`;
    this.outbox = new Outbox(store, `${prefix}out:`);
    this.credentials = new Credentials(platform, store, `${prefix}session`, this.endpoint, config);
    this._tabs = new TabGroup(keeping === "local" ? platform.tabs(prefix) : null, {
      lead: () => this.conversation.lead(),
      heard: (bulletin) => this._heard(bulletin),
    });
    const { projectId } = config;
    const world = { platform, credentials: this.credentials, store, outbox: this.outbox, prefix, endpoint: this.endpoint, projectId };
    this.conversation = new Conversation({ ...world, tell: (bulletin) => this._tabs.tell(bulletin) }, owner);
  }

  connect(): void {
    this._tabs.join();
    if (this._tabs.leads) this.conversation.connect();
    else this._tabs.tell({ kind: "want", what: "connect" });
    if (!this._tabs.leads) void this.conversation.recall();
  }

  disconnect(): void {
    if (!this._tabs.leads) this.conversation.stand("closed", null);
    this.conversation.disconnect();
    this._tabs.leave();
  }

  /**
   * Keep something to be said, and have it sent. Throws AgentError: nothing was kept.
   *
   * @param isAnew Whether the next session may have it as well, where the one that is shown is known to be over.
   */
  submit(kind: Entry["kind"], id: string, frame: ClientFrame, text: string, isAnew = false): Entry {
    const at = this.outbox.moment(this.platform.now());
    const shown = this.conversation.shownSessionId();
    const isOver = this.conversation.state === "ended" || (isAnew && shown !== this.credentials.sessionId);
    const sessionId = isOver ? null : shown;
    const entry: Entry = { id, kind, frame, text, at, sessionId, sentAt: null, state: "waiting", failure: null };
    this.outbox.add(entry);
    if (this.conversation.state !== "ready") this.connect();
    this._tabs.tell({ kind: "entry", entry });
    this.conversation.enter(entry);
    this.platform.after(0, () => this.conversation.pump()); // who sends knows the id before it hears of it
    return entry;
  }

  /** Forget an entry that was not sent. */
  discard(id: string): Entry | null {
    const entry = this.outbox.get(id);
    if (entry?.state !== "failed") return null;
    this.conversation.done(entry);
    return entry;
  }

  stop(): void {
    if (this._tabs.leads) this.conversation.stop();
    else this._tabs.tell({ kind: "want", what: "stop" });
  }

  private _heard(bulletin: Bulletin): void {
    const { conversation, outbox } = this;
    switch (bulletin.kind) {
      case "frame":
        return conversation.take(bulletin.frame);
      case "history":
        return conversation.merge(bulletin.sessionId, bulletin.page, bulletin.late);
      case "written":
        return conversation.told(bulletin.id);
      case "state":
        return conversation.stand(bulletin.state, bulletin.reason && new AgentError(bulletin.reason, "Told by another tab"));
      case "welcome":
        return void this._welcomed(bulletin);
      case "entry":
        outbox.mirror(bulletin.entry);
        conversation.enter(bulletin.entry);
        return conversation.pump();
      case "gone":
        return conversation.forget(bulletin.id);
      case "hello":
        if (this._tabs.leads) this._tabs.tell({ kind: "welcome", state: conversation.state, frames: conversation.recent() });
        return undefined;
      case "want":
        if (!this._tabs.leads) return undefined;
        return bulletin.what === "stop" ? conversation.stop() : conversation.connect();
    }
  }

  /** Join a conversation that another tab leads: what is finished is shown before what is being said. */
  private async _welcomed({ state, frames }: Bulletin & { kind: "welcome" }): Promise<void> {
    if (this._tabs.leads || this.conversation.state === state) return;
    await this.conversation.recall();
    frames.forEach((frame) => this.conversation.take(frame));
    this.conversation.stand(state, null);
  }
}
