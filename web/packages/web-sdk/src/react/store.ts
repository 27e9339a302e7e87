import { AgentSDK } from "../sdk.ts";
import type { ChatClient } from "../chat.ts";
import type { AgentError } from "../errors.ts";
import type { Platform } from "../platform.ts";
import type { AgentConfig, Message, VoiceState } from "../types.ts";
import type { VoiceClient } from "../voice/client.ts";

/** What is shown where nothing is known yet: on a server, and while a page takes over what a server has rendered. */
const NO_MESSAGES: Message[] = [];

type Subscribe = (changed: () => void) => () => void;

/** One SDK as React sees it. It listens to the SDK only while a component listens to it, so that nothing is retained. */
export class AgentStore {
  readonly sdk: AgentSDK;
  readonly chat: ChatClient;
  readonly voice: VoiceClient;
  private _error: AgentError | null = null;
  private _listeners = new Set<() => void>();
  private _stop: (() => void) | null = null;

  /** Throws AgentError where the options cannot be used. Nothing is connected yet. */
  constructor(config: AgentConfig, platform?: Platform) {
    this.sdk = new AgentSDK(config, platform);
    this.chat = this.sdk.chat();
    this.voice = this.sdk.voice();
  }

  /** Connect, and return what disconnects. Whoever does both at once has opened no socket. */
  readonly connect = (): (() => void) => {
    this.sdk.connect().catch((error: AgentError) => {
      if (error.reason !== "closed") this._failed(error);
    });
    return () => this.sdk.disconnect();
  };

  readonly subscribe: Subscribe = (changed) => {
    this._listeners.add(changed);
    this._stop ??= this._listen();
    return () => {
      this._listeners.delete(changed);
      if (this._listeners.size) return;
      this._stop?.();
      this._stop = null;
    };
  };

  /** Say something; resolves with its id once it is kept. Rejects with AgentError. */
  readonly sendMessage = (text: string): Promise<string> => this.chat.send(text);

  /** Begin a call; resolves once the agent listens. Rejects with AgentError. */
  readonly startVoice = (): Promise<void> => this.voice.start();
  readonly stopVoice = (): void => this.voice.stop();
  readonly toggleMute = (): boolean => this.voice.toggleMute();

  readonly messages = (): Message[] => this.chat.getMessages();
  readonly isTyping = (): boolean => this.chat.getIsTyping();
  readonly isConnected = (): boolean => this.sdk.isConnected();
  readonly sessionId = (): string | null => this.sdk.getSessionId();
  readonly voiceState = (): VoiceState => this.voice.getState();
  readonly isMuted = (): boolean => this.voice.getInfo().isMuted;
  readonly error = (): AgentError | null => this._error;

  private _listen(): () => void {
    const tell = (): void => this._listeners.forEach((changed) => changed());
    const stops = [
      this.chat.on("change", tell),
      this.chat.on("typing", tell),
      this.chat.on("error", ({ error }) => this._failed(error)),
      this.voice.on("stateChange", tell),
      this.voice.on("muteChange", tell),
      this.voice.on("error", ({ error }) => this._failed(error)),
      this.sdk.on("error", ({ error }) => this._failed(error)),
      this.sdk.on("sessionStart", tell),
      this.sdk.on("connected", () => this._failed(null)),
      this.sdk.on("disconnected", tell),
    ];
    return () => stops.forEach((stop) => stop());
  }

  private _failed(error: AgentError | null): void {
    this._error = error;
    this._listeners.forEach((changed) => changed());
  }
}

export const onServer = {
  messages: (): Message[] => NO_MESSAGES,
  no: (): boolean => false,
  nothing: (): null => null,
  idle: (): VoiceState => "idle",
};
