import { browserPlatform } from "./browser-platform.ts";
import { AgentCore } from "./core.ts";
import type { Platform } from "./platform.ts";
import type { AgentConfig } from "./types.ts";
import { VoiceClient, type VoiceOptions } from "./voice/client.ts";

export type { AgentEvents } from "./core.ts";

const GLOBAL = Symbol.for("abl.agent-sdk");

/** The entrance: one conversation with one project. */
export class AgentSDK extends AgentCore {
  private _voice: VoiceClient | null = null;

  /**
   * Throws AgentError where the options cannot be used. Nothing is connected yet.
   *
   * @param platform The world it runs in; the browser's by default.
   */
  constructor(config: AgentConfig, platform: Platform = browserPlatform()) {
    super(config, platform, { attachments: () => import("./attachments.ts") });
  }

  /** Make an instance that web components of the page find. */
  static init(config: AgentConfig, platform?: Platform): AgentSDK {
    const sdk = new AgentSDK(config, platform);
    (globalThis as Record<symbol, unknown>)[GLOBAL] = sdk;
    return sdk;
  }

  /** The instance of `init`, null before. Ours. */
  static current(): AgentSDK | null {
    return ((globalThis as Record<symbol, unknown>)[GLOBAL] as AgentSDK | undefined) ?? null;
  }

  override disconnect(): void {
    this._voice?.stop();
    super.disconnect();
  }

  /** The same client each time; what a call is made of is loaded with the first. @param options Of the next call. */
  voice(options?: VoiceOptions): VoiceClient {
    if (!this._voice) this._voice = new VoiceClient(this._client, options ?? {});
    else if (options) this._voice.configure(options);
    return this._voice;
  }
}
