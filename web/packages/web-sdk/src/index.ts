/** Talks with an agent from a web page, and loses no message on the way. */
export { AgentSDK, type AgentEvents } from "./sdk.ts";
export { ChatClient, type ActionAnswer, type ChatEvents, type Rating } from "./chat.ts";
export type { UploadOptions } from "./attachments.ts";
export { VoiceClient, type VoiceEvents, type VoiceOptions } from "./voice/client.ts";
export type { VadConfig } from "./voice/vad.ts";
export { AgentError, REASONS, type Reason } from "./errors.ts";
export type { ConnectionState } from "./connection-table.ts";
export type { HttpAnswer, HttpRequest, KeyValues, Platform, Socket, Tabs, UploadRequest } from "./platform.ts";
export { browserPlatform } from "./browser-platform.ts";
export type * from "./types.ts";
