/**
 * The frames of voice. Spec: platform-api 12.4, 12.5.
 *
 * `gateway/wire.py` has none but `voice_start` and `voice_error` so far; what it takes on goes from here into `wire.ts`.
 */

export type VoiceMode = "pipeline" | "realtime";

export type VoiceClientFrame =
  | {
      type: "voice_start";
      mode: VoiceMode;
      sampleRate: number;
      encoding: "pcm16";
      vad: "client" | "server";
      binary: boolean;
      outputFormat: "pcm16";
      enableBargeIn: boolean;
    }
  | { type: "voice_audio"; audio: string }
  | { type: "speech_end" }
  | { type: "barge_in" }
  | { type: "voice_mute"; muted: boolean }
  | { type: "voice_stop" }
  | { type: "ping" };

export interface VoiceCapabilities {
  bargeIn?: boolean;
  serverVad?: boolean;
  binaryAudio?: boolean;
  inputSampleRate?: number;
  outputFormat?: string;
  outputSampleRate?: number;
  maxUtteranceMs?: number;
}

export type VoiceServerFrame =
  | { type: "session_start"; sessionId: string; resumeToken: string; capabilities?: { voice?: boolean; binaryAudio?: boolean } }
  | { type: "session_end"; reason: string }
  | { type: "error"; code: string; message: string; fatal: boolean; messageId?: string | null }
  | { type: "voice_started"; voiceMode: VoiceMode; capabilities?: VoiceCapabilities }
  | { type: "voice_error"; code: string; message: string; fatal: boolean }
  | { type: "voice_speech_start"; atMs?: number }
  | { type: "voice_speech_end"; atMs?: number }
  | { type: "transcription"; text: string; isFinal: boolean; confidence?: number }
  | { type: "voice_processing" }
  | { type: "voice_response_start"; messageId: string }
  | { type: "voice_response_chunk"; messageId: string; text: string }
  | { type: "voice_audio_chunk"; messageId: string; index: number; format: string; audio: string }
  | { type: "voice_response_end"; messageId: string; text: string }
  | { type: "voice_speaking"; isSpeaking: boolean }
  | { type: "voice_speaking_end"; messageId: string }
  | { type: "voice_barge_in_ack"; messageId: string; spokenText?: string }
  | { type: "voice_realtime_audio"; audio: string }
  | { type: "voice_realtime_transcript"; text: string; role: string; isFinal: boolean }
  | { type: "voice_stopped"; reason: string };

/** Named by the plan of voice, without a form yet: known, so that a table has its place for them, and not acted upon. */
export type VoiceFrameToCome = "voice_ack" | "playback" | "resume";
