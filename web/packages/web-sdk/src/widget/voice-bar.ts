export { VoiceClient } from "../voice/client.ts";
