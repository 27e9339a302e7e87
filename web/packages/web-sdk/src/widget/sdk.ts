import { browserPlatform } from "../browser-platform.ts";
import { AgentCore } from "../core.ts";
import type { AgentConfig } from "../types.ts";
import type { VoiceClient, VoiceOptions } from "../voice/client.ts";

/** The file of what a call needs. */
export const VOICE = "agent-widget-voice";

/** The SDK behind a widget: like `AgentSDK`, but for a voice client that is loaded once it is asked for. */
export class WidgetSDK extends AgentCore {
  private readonly _home: string;
  private readonly _tries = new Map<string, number>();
  private _voice: VoiceClient | null = null;

  /** @param home Where the widget's files are. Throws AgentError where the options cannot be used. */
  constructor(config: AgentConfig, home: string) {
    // The whole address: a plain script of another origin has none that names could be beside.
    super(config, browserPlatform(), { attachments: () => this.load("attachments") });
    this._home = home;
  }

  override disconnect(): void {
    this._voice?.stop();
    super.disconnect();
  }

  /** @internal Return a file of the widget. Rejects: it cannot be had now. */
  load<Part>(name: string): Promise<Part> {
    // A browser may keep that it could not have an address, so each try has its own.
    const tries = this._tries.get(name) ?? 0;
    return import(`${this._home}${name}.js${tries ? `?${tries}` : ""}`).catch((caught: unknown) => {
      this._tries.set(name, tries + 1);
      throw caught;
    });
  }

  /** Return the same client each time, once it is loaded. Rejects where it cannot be. @param options Of the next call. */
  async voice(options?: VoiceOptions): Promise<VoiceClient> {
    const { VoiceClient } = await this.load<typeof import("./voice-bar.ts")>(VOICE);
    if (!this._voice) this._voice = new VoiceClient(this._client, options ?? {});
    else if (options) this._voice.configure(options);
    return this._voice;
  }
}
