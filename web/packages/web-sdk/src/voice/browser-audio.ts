import { SoundError, type Sound, type SoundFailure, type SoundOptions, type SoundOwner, type VoiceAudio } from "./audio.ts";
import { PROCESSOR, type FromWorklet, type ToWorklet } from "./worklet-messages.ts";

/** How long the browser may take to let sound play; it never does on a page that nobody has touched. */
export const RUNNING_MS = 3_000;
const FAILURES: Readonly<Record<string, SoundFailure>> = {
  NotAllowedError: "microphone_denied",
  SecurityError: "microphone_denied",
  NotFoundError: "microphone_missing",
  OverconstrainedError: "microphone_missing",
};

/**
 * Microphone and loudspeaker of a browser.
 *
 * @param workletUrl Of the script that records and plays; it stands beside this one by default.
 */
export function browserAudio(workletUrl?: string): VoiceAudio {
  return { open: (wanted, owner) => open(workletUrl ?? new URL("./voice-worklet.js", import.meta.url).href, wanted, owner) };
}

async function open(workletUrl: string, { deviceId }: SoundOptions, owner: SoundOwner): Promise<Sound> {
  const stream = await microphone(deviceId);
  const release = (): void => stream.getTracks().forEach((track) => track.stop());
  let context: AudioContext | null = null;
  try {
    context = new AudioContext({ latencyHint: "interactive" });
    await context.audioWorklet.addModule(workletUrl).catch(() => {
      throw new SoundError("voice_unsupported", `The browser does not load ${workletUrl}`);
    });
    await running(context);
    return connected(context, stream, owner, release);
  } catch (error) {
    release();
    void context?.close();
    throw error;
  }
}

async function microphone(deviceId: string | undefined): Promise<MediaStream> {
  const audio: MediaTrackConstraints = { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true };
  if (deviceId) audio.deviceId = { exact: deviceId };
  try {
    return await navigator.mediaDevices.getUserMedia({ audio });
  } catch (error) {
    const { name, message } = error as DOMException;
    throw new SoundError(FAILURES[name] ?? "microphone_failed", message || name);
  }
}

async function running(context: AudioContext): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => (timer = setTimeout(resolve, RUNNING_MS)));
  await Promise.race([context.resume(), tooLong]);
  clearTimeout(timer);
  if (context.state !== "running") throw new SoundError("audio_blocked", "The browser plays no sound before the visitor has touched the page");
}

function connected(context: AudioContext, stream: MediaStream, owner: SoundOwner, release: () => void): Sound {
  const node = new AudioWorkletNode(context, PROCESSOR, { numberOfInputs: 1, numberOfOutputs: 1, outputChannelCount: [1], channelCount: 1, channelCountMode: "explicit" });
  const tracks = stream.getAudioTracks();
  let since = 0;
  let isOver = false;
  const say = (message: ToWorklet): void => node.port.postMessage(message);
  const close = (): void => {
    if (isOver) return;
    isOver = true;
    globalThis.removeEventListener("pagehide", leave);
    say({ isOver: true });
    node.port.onmessage = null;
    release();
    void context.close();
  };
  const lose = (reason: SoundFailure, message: string): void => {
    if (isOver) return;
    close();
    owner.lost(reason, message);
  };
  const leave = (): void => lose("page_hidden", "The page was left");
  globalThis.addEventListener("pagehide", leave);
  for (const track of tracks) track.onended = () => lose("microphone_lost", "The microphone is gone");
  context.onstatechange = () => {
    if (isOver || context.state === "running") return;
    if (document.visibilityState === "hidden") lose("page_hidden", "The browser takes the sound from a page that is hidden");
    else context.resume().catch(() => lose("microphone_lost", "The browser has taken the sound from the page")); // as a phone does for a call
  };
  node.onprocessorerror = () => lose("microphone_failed", "Recording has failed");
  node.port.onmessage = ({ data }: MessageEvent<FromWorklet>) => {
    if (data.captured) owner.captured(data.captured);
    if (data.played !== undefined && data.since === since) owner.played(data.played);
  };
  context.createMediaStreamSource(stream).connect(node).connect(context.destination);
  return {
    rateHz: context.sampleRate,
    play: (samples) => say({ play: samples }),
    pause: (isPaused) => say({ isPaused }),
    clear: () => say({ clear: (since += 1) }),
    mute: (isMuted) => tracks.forEach((track) => (track.enabled = !isMuted)),
    decode: async (file) => (await context.decodeAudioData(file.slice().buffer)).getChannelData(0),
    close,
  };
}
