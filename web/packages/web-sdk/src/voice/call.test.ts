import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, silence } from "../../testing/sounds.ts";
import { RECORDED_HZ, VoicePage, type Said } from "../../testing/voice.ts";
import { AgentError } from "../errors.ts";
import { SoundError, type SoundFailure } from "./audio.ts";
import { INTERRUPTED_MS, OPENING_MS, SILENT_MS, STARTED_MS } from "./call.ts";
import { VoiceClient } from "./client.ts";
import type { VoiceServerFrame } from "./frames.ts";
import { INTERRUPTS_MS } from "./listening.ts";
import { WAITING_MAX_S } from "./speaking.ts";

const BYTES_A_MS = 32; // PCM16 at 16,000 Hz

function frames(page: VoicePage, type: string): Said[] {
  return page.socket.frames.filter((frame) => frame.type === type);
}

test("a call is started as the contract says, and what it hears of the server is told by its names", async () => {
  const page = new VoicePage();
  const started = page.voice.start();
  assert.equal(page.voice.getState(), "connecting");
  await page.dial();
  assert.equal(page.voice.start(), started, "a second start is the same one");
  page.socket.greet(true);
  await page.clock.pass(1);
  assert.deepEqual(page.socket.frames, [
    { type: "voice_start", mode: "pipeline", sampleRate: 16_000, encoding: "pcm16", vad: "client", binary: true, outputFormat: "pcm16", enableBargeIn: true },
  ]);
  assert.equal(page.voice.getState(), "connecting");
  page.socket.say({ type: "voice_started", voiceMode: "pipeline", capabilities: { inputSampleRate: 16_000 } });
  await started;
  assert.deepEqual(page.voice.getInfo(), { state: "ready", isMuted: false, currentTranscript: "", hasMicPermission: true });
  await page.hear(page.quiet(400));
  await page.utter();
  assert.equal(page.voice.getState(), "processing");
  page.socket.say({ type: "transcription", text: "where is", isFinal: false });
  page.socket.say({ type: "transcription", text: "where is it", isFinal: true, confidence: 0.9 });
  assert.equal(page.voice.getInfo().currentTranscript, "where is it");
  page.socket.say({ type: "voice_processing" });
  page.answer("m1", 100);
  page.socket.say({ type: "voice_response_chunk", messageId: "m1", text: "Here." });
  page.socket.say({ type: "voice_response_end", messageId: "m1", text: "Here." });
  page.socket.say({ type: "voice_speaking_end", messageId: "m1" });
  await page.hear(page.quiet(300));
  assert.deepEqual(page.states, ["connecting", "ready", "listening", "processing", "speaking", "ready"]);
  assert.deepEqual(page.events, [
    ["vadAvailable", { available: true }],
    ["ready", undefined],
    ["transcription", { text: "where is", isFinal: false }],
    ["transcription", { text: "where is it", isFinal: true, confidence: 0.9 }],
    ["transcriptionFinal", { text: "where is it", confidence: 0.9 }],
    ["responseStart", { messageId: "m1" }],
    ["speaking", { isSpeaking: true }],
    ["responseChunk", { messageId: "m1", text: "Here." }],
    ["responseEnd", { messageId: "m1", text: "Here." }],
    ["speaking", { isSpeaking: false }],
  ]);
  page.voice.stop();
  assert.equal(page.voice.getState(), "idle");
  assert.deepEqual(page.socket.types, ["voice_start", "voice_audio", "speech_end", "voice_stop"]);
  assert.ok(page.socket.isClosed);
  assert.equal(page.audio.closed, 1);
});

test("the options are those of the contract, and go where they belong", async () => {
  const page = new VoicePage({ enableBargeIn: false, sampleRate: 8_000, deviceId: "mic-2", mode: "realtime" });
  await page.dial();
  page.socket.greet();
  await page.clock.pass(1);
  const [start] = frames(page, "voice_start");
  assert.deepEqual([start?.enableBargeIn, start?.sampleRate, start?.mode], [false, 8_000, "realtime"]);
  assert.deepEqual(page.audio.wanted, { deviceId: "mic-2" });
});

test("an utterance is sent as PCM16 of the agreed rate with what was before it, then it is said to be over; noise is not sent", async () => {
  for (const isBinary of [false, true]) {
    const page = new VoicePage();
    await page.call({ binaryAudio: isBinary, inputSampleRate: 16_000 });
    await page.hear(page.quiet(3_000));
    assert.equal(page.socket.heard.length + page.socket.audio.length, 0);
    await page.utter(1_000);
    const sent = isBinary ? Buffer.concat(page.socket.audio) : page.socket.heard;
    assert.equal(isBinary ? page.socket.heard.length : page.socket.audio.length, 0);
    const ms = sent.length / BYTES_A_MS;
    assert.ok(ms >= 1_000 + 200 && ms <= 1_000 + 1_100, `${ms} ms`);
    assert.equal(frames(page, "speech_end").length, 1);
    let loudest = 0;
    for (let at = 0; at < sent.length; at += 2) loudest = Math.max(loudest, Math.abs(sent.readInt16LE(at)));
    assert.ok(loudest > 2_000);
    const pad = sent.subarray(0, 100 * BYTES_A_MS);
    assert.ok(pad.every((_, at) => at % 2 || Math.abs(pad.readInt16LE(at)) < 400), "it begins before the first sound");
  }
});

test("vadConfig decides how long a pause is, and how much is sent from before", async () => {
  const long = new VoicePage({ vadConfig: { redemptionMs: 1_500 } });
  await long.call();
  await long.utter();
  assert.equal(long.voice.getState(), "listening");
  const bare = new VoicePage({ vadConfig: { preSpeechPadMs: 0 } });
  const padded = new VoicePage({ vadConfig: { preSpeechPadMs: 400 } });
  for (const page of [bare, padded]) {
    await page.call();
    await page.hear(page.quiet(600));
    await page.utter();
  }
  assert.equal(Math.round((padded.socket.heard.length - bare.socket.heard.length) / BYTES_A_MS), 400);
});

test("an utterance that is longer than the server takes is cut, and goes on as another one", async () => {
  const page = new VoicePage({ enableBargeIn: false });
  await page.call({ maxUtteranceMs: 2_000 });
  await page.hear(page.spoken(2_200));
  assert.equal(frames(page, "speech_end").length, 1);
  assert.ok(page.socket.heard.length <= 2_000 * BYTES_A_MS);
});

test("an empty transcription, and a part of the server that fails, lead back to where one can speak", async () => {
  const page = new VoicePage();
  await page.call();
  await page.utter();
  page.socket.say({ type: "transcription", text: "", isFinal: true });
  assert.equal(page.voice.getState(), "ready");
  await page.utter();
  page.socket.say({ type: "voice_error", code: "STT_FAILED", message: "not now", fatal: false });
  assert.equal(page.voice.getState(), "ready");
  assert.deepEqual(page.errors, ["voice_failed"]);
  assert.equal(page.socket.isClosed, false);
});

test("what waits is played without a gap, at the rate of the loudspeaker", async () => {
  const page = new VoicePage();
  await page.call({ outputSampleRate: 24_000 });
  const wave = Buffer.alloc(24_000 * 2);
  for (let at = 0; at < 24_000; at += 1) wave.writeInt16LE(Math.round(16_000 * Math.sin((2 * Math.PI * 440 * at) / 24_000)), at * 2);
  const before = page.audio.heard.length;
  page.socket.say({ type: "voice_response_start", messageId: "m" });
  for (let at = 0, index = 0; at < wave.length; at += 1_001, index += 1) {
    page.socket.say({ type: "voice_audio_chunk", messageId: "m", index, format: "pcm16", audio: wave.subarray(at, at + 1_001).toString("base64") });
  }
  page.socket.say({ type: "voice_speaking_end", messageId: "m" });
  await page.hear(page.quiet(1_100));
  const played = joined(...page.audio.heard.slice(before));
  const last = played.findLastIndex((sample) => sample !== 0);
  assert.ok(Math.abs(last - RECORDED_HZ) < 10, `${last} samples`);
  for (let at = 1_000; at < 46_000; at += 1) {
    const wanted = 0.48828 * Math.sin((2 * Math.PI * 440 * at) / RECORDED_HZ);
    assert.ok(Math.abs((played[at] ?? 0) - wanted) < 0.005, `at ${at}: ${played[at]}, not ${wanted}`);
  }
  assert.equal(page.voice.getState(), "ready");
});

test("the agent speaks until its last sound was played, and a late sentence is still the same speech", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m", 100);
  await page.hear(page.quiet(400));
  assert.equal(page.voice.getState(), "speaking", "more may come");
  page.socket.say({ type: "voice_audio_chunk", messageId: "m", index: 1, format: "pcm16", audio: page.pcm(400, 5_000).toString("base64") });
  page.socket.say({ type: "voice_response_end", messageId: "m", text: "x" });
  page.socket.say({ type: "voice_speaking_end", messageId: "m" });
  assert.equal(page.voice.getState(), "speaking", "nothing of it was heard yet");
  await page.hear(page.quiet(500));
  assert.equal(page.voice.getState(), "ready");
  assert.deepEqual(page.events.filter(([name]) => name === "speaking").map(([, payload]) => payload), [{ isSpeaking: true }, { isSpeaking: false }]);
});

test("files are played in their order, one that is broken is told, and PCM16 waits for those before it", async () => {
  const page = new VoicePage();
  await page.call();
  const waiting: Array<() => void> = [];
  const decode = page.audio.decode.bind(page.audio);
  page.audio.decode = (file) => new Promise((resolve, reject) => waiting.push(() => decode(file).then(resolve, reject)));
  page.socket.say({ type: "voice_response_start", messageId: "m" });
  const chunks: Array<[string, Buffer]> = [["mp3", Buffer.from([3])], ["wav", Buffer.from([0])], ["mp3", Buffer.from([2])], ["pcm16", page.pcm(10, 16_384)]];
  chunks.forEach(([format, bytes], index) => page.socket.say({ type: "voice_audio_chunk", messageId: "m", index, format, audio: bytes.toString("base64") }));
  page.socket.say({ type: "voice_speaking_end", messageId: "m" });
  await page.clock.pass(1);
  assert.equal(page.voice.getState(), "speaking");
  while (waiting.length) {
    waiting.pop()?.();
    await page.clock.pass(1);
  }
  const before = page.audio.heard.length;
  assert.equal(page.audio.queue.length, 500 + 480);
  await page.hear(page.quiet(100));
  const played = joined(...page.audio.heard.slice(before));
  assert.ok(played.subarray(0, 500).every((sample) => sample === 0.25));
  assert.ok(Math.abs((played[740] ?? 0) - 0.5) < 0.01);
  assert.deepEqual(page.errors, ["voice_failed"]);
  assert.equal(page.voice.getState(), "ready");
});

test("binary frames are played, and those of an interrupted answer are not", async () => {
  const page = new VoicePage();
  await page.call({ binaryAudio: true });
  const frame = (response: number, ms: number, flags = 0): ArrayBuffer => {
    const header = Buffer.from([1, 1, flags, 0, response, 0, 0, 0]);
    return Uint8Array.from(Buffer.concat([header, page.pcm(ms, 8_000)])).buffer;
  };
  page.socket.say({ type: "voice_response_start", messageId: "m1" });
  page.socket.onbinary?.(frame(1, 2_000));
  await page.hear(page.spoken(600));
  assert.equal(page.voice.getState(), "listening");
  page.socket.onbinary?.(frame(1, 500));
  page.socket.say({ type: "voice_barge_in_ack", messageId: "m1", spokenText: "Well" });
  page.socket.onbinary?.(frame(1, 500));
  assert.equal(page.audio.queue.length, 0);
  await page.hear(page.quiet(1_000));
  page.socket.onbinary?.(frame(2, 100, 1));
  assert.equal(page.voice.getState(), "speaking");
  await page.hear(page.quiet(200));
  assert.equal(page.voice.getState(), "ready");
});

test("who speaks while the agent does is heard from the first sound, and the agent is silent at once", async () => {
  const page = new VoicePage();
  await page.call();
  await page.utter();
  page.answer("m1", 5_000);
  await page.hear(page.quiet(300));
  page.socket.frames.length = 0;
  await page.hear(page.spoken(140));
  assert.equal(page.voice.getState(), "speaking");
  assert.ok(page.audio.isSilentFor(40), "it holds before it is known what this is");
  assert.deepEqual(page.socket.types, []);
  await page.hear(page.spoken(INTERRUPTS_MS + 100));
  assert.equal(page.voice.getState(), "listening");
  assert.deepEqual(page.socket.types, ["barge_in", "voice_audio"]);
  assert.ok(page.socket.heard.length >= (400 + 140 + 150) * BYTES_A_MS, "with what was said before it was an interruption, and before that");
  assert.deepEqual(page.told.slice(-2), ["speaking", "bargeIn"]);
  page.socket.say({ type: "voice_audio_chunk", messageId: "m1", index: 1, format: "pcm16", audio: page.pcm(500, 9_000).toString("base64") });
  page.socket.say({ type: "voice_response_chunk", messageId: "m1", text: "late" });
  page.socket.say({ type: "voice_response_end", messageId: "m1", text: "all of it" });
  page.socket.say({ type: "voice_barge_in_ack", messageId: "m1", spokenText: "Well, I" });
  page.socket.say({ type: "voice_audio_chunk", messageId: "m1", index: 2, format: "pcm16", audio: page.pcm(500, 9_000).toString("base64") });
  page.socket.say({ type: "voice_speaking_end", messageId: "m1" });
  await page.hear(page.quiet(1_000));
  assert.ok(page.audio.isSilentFor(1_000), "nothing of what was interrupted is played");
  assert.deepEqual(page.events.filter(([name]) => name.startsWith("response")), [["responseStart", { messageId: "m1" }], ["responseEnd", { messageId: "m1", text: "Well, I" }]]);
  assert.equal(page.voice.getState(), "processing");
  page.answer("m2", 100);
  assert.equal(page.voice.getState(), "speaking");
  await page.hear(page.quiet(100));
  assert.ok(!page.audio.isSilentFor(100), "the next answer is");
});

test("a cough makes the agent hold and then go on where it was, and is not sent", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m1", 3_000);
  page.socket.say({ type: "voice_speaking_end", messageId: "m1" });
  await page.hear(page.quiet(200));
  await page.hear(page.sound(150));
  assert.ok(page.audio.isSilentFor(40));
  const before = page.audio.queue.length;
  await page.hear(page.quiet(1_000));
  assert.ok(!page.audio.isSilentFor(100));
  assert.ok(page.audio.queue.length > before - RECORDED_HZ / 2, "nothing was skipped");
  assert.deepEqual([page.voice.getState(), page.socket.types], ["speaking", ["voice_start"]]);
  await page.hear(page.quiet(3_000));
  assert.equal(page.voice.getState(), "ready");
  assert.ok(!page.told.includes("bargeIn"));
  const played = page.audio.heard.flatMap((piece) => [...piece]).filter((sample) => sample !== 0).length;
  assert.ok(Math.abs(played - 3 * RECORDED_HZ) < 200, `${played} samples`);
});

test("what is left of the agent's own voice in the microphone does not make it hold", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m1", 3_000);
  await page.hear(page.quiet(200));
  await page.hear(page.sound(800, 9));
  assert.equal(page.voice.getState(), "speaking");
  assert.ok(Math.abs(page.audio.queue.length - 2 * RECORDED_HZ) < 100, "it went on all the time");
  const other = new VoicePage();
  await other.call();
  await other.hear(other.sound(800, 9));
  assert.equal(other.voice.getState(), "listening", "of somebody else, while the agent is silent, as much is speech");
});

test("who goes on speaking while the agent thinks interrupts it, and its late answer is not given", async () => {
  const page = new VoicePage();
  await page.call();
  await page.utter();
  assert.equal(page.voice.getState(), "processing");
  await page.hear(page.spoken(700));
  assert.equal(page.voice.getState(), "listening");
  assert.deepEqual(page.socket.types.slice(-3), ["speech_end", "barge_in", "voice_audio"]);
  page.socket.say({ type: "voice_processing" });
  page.answer("m1", 500);
  assert.deepEqual([page.voice.getState(), page.audio.queue.length], ["listening", 0]);
  page.socket.say({ type: "voice_barge_in_ack", messageId: "m1", spokenText: "" });
  await page.hear(page.quiet(1_000));
  page.answer("m2", 500);
  assert.equal(page.voice.getState(), "speaking");
});

test("who speaks when the agent comes to its end is heard from the first sound, and has interrupted nobody", async () => {
  const page = new VoicePage();
  await page.call();
  await page.utter();
  page.socket.frames.length = 0;
  await page.hear(page.spoken(160));
  page.socket.say({ type: "transcription", text: "", isFinal: true });
  assert.equal(page.voice.getState(), "ready");
  await page.hear(page.spoken(400));
  assert.deepEqual([page.voice.getState(), page.socket.types], ["listening", ["voice_audio"]]);
  assert.ok(page.socket.heard.length >= (160 + 400 + 200) * BYTES_A_MS);
});

test("an answer in the middle of an utterance ends it: the server has heard its end first", async () => {
  const page = new VoicePage();
  await page.call();
  await page.hear(page.spoken(500));
  page.socket.say({ type: "voice_response_start", messageId: "m1" });
  assert.equal(page.voice.getState(), "speaking");
  const before = page.socket.heard.length;
  await page.hear(page.quiet(1_000));
  assert.deepEqual([page.voice.getState(), page.socket.types, page.socket.heard.length], ["speaking", ["voice_start", "voice_audio"], before]);
});

test("a file that is decoded behind an interruption is not played", async () => {
  const page = new VoicePage();
  await page.call();
  let decoded = (): void => undefined;
  page.audio.decode = () => new Promise((resolve) => (decoded = () => resolve(new Float32Array(4_800).fill(0.5))));
  page.answer("m1", 2_000);
  page.socket.say({ type: "voice_audio_chunk", messageId: "m1", index: 1, format: "mp3", audio: "AAAA" });
  await page.hear(page.spoken(600));
  assert.equal(page.voice.getState(), "listening");
  decoded();
  await page.clock.pass(1);
  assert.equal(page.audio.queue.length, 0);
});

test("an answer that begins while it is not known yet whether this is an interruption is held as well", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m1", 100);
  await page.hear(page.quiet(300));
  await page.hear(page.spoken(140));
  page.socket.say({ type: "voice_speaking_end", messageId: "m1" });
  page.answer("m2", 1_000);
  await page.hear(page.spoken(100));
  assert.ok(page.audio.isSilentFor(100));
  assert.equal(page.voice.getState(), "speaking");
});

test("a server that never says that it was interrupted is not unheard for ever", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m1", 5_000);
  await page.hear(joined(page.spoken(700), page.quiet(1_000)));
  page.answer("m2", 500);
  assert.equal(page.voice.getState(), "processing");
  await page.hear(page.quiet(INTERRUPTED_MS));
  page.answer("m1", 500);
  assert.equal(page.audio.queue.length, 0, "the interrupted one stays so");
  page.answer("m3", 500);
  assert.equal(page.voice.getState(), "speaking");
});

test("an interruption that the server has heard first silences the agent too", async () => {
  const page = new VoicePage();
  await page.call();
  page.answer("m1", 5_000);
  await page.hear(page.quiet(100));
  page.socket.say({ type: "voice_barge_in_ack", messageId: "m1", spokenText: "Hm" });
  assert.deepEqual([page.voice.getState(), page.audio.queue.length], ["listening", 0]);
  assert.deepEqual(page.told.slice(-3), ["speaking", "bargeIn", "responseEnd"]);
  assert.deepEqual(page.socket.types, ["voice_start"]);
});

test("without barge-in the agent is heard to its end, and what is said meanwhile is not sent", async () => {
  for (const [options, capabilities] of [[{ enableBargeIn: false }, {}], [{}, { bargeIn: false }]] as const) {
    const page = new VoicePage(options);
    await page.call(capabilities);
    page.answer("m1", 1_500);
    page.socket.say({ type: "voice_speaking_end", messageId: "m1" });
    await page.hear(page.spoken(1_000));
    assert.deepEqual([page.voice.getState(), page.socket.types], ["speaking", ["voice_start"]]);
    await page.hear(page.quiet(1_500));
    assert.equal(page.voice.getState(), "ready");
    await page.utter();
    assert.equal(page.voice.getState(), "processing");
  }
});

test("who is muted is not heard, the microphone neither, and an utterance ends with it", async () => {
  const page = new VoicePage();
  await page.call();
  await page.hear(page.spoken(500));
  assert.equal(page.voice.toggleMute(), true);
  assert.deepEqual(page.socket.types.slice(-2), ["speech_end", "voice_mute"]);
  assert.deepEqual([page.audio.isMuted, page.voice.getInfo().isMuted, page.voice.getState()], [true, true, "processing"]);
  const before = page.socket.heard.length;
  await page.hear(page.spoken(1_000));
  assert.equal(page.socket.heard.length, before);
  assert.equal(page.voice.toggleMute(), false);
  assert.deepEqual(frames(page, "voice_mute").map(({ muted }) => muted), [true, false]);
  assert.equal(page.audio.isMuted, false);
});

test("who mutes before a call begins it muted", async () => {
  const page = new VoicePage();
  assert.equal(page.voice.toggleMute(), true);
  assert.deepEqual(page.events, [["muteChange", { isMuted: true }]]);
  await page.call();
  await page.utter();
  assert.deepEqual([page.audio.isMuted, page.voice.getState(), page.socket.types], [true, "ready", ["voice_start", "voice_mute"]]);
});

test("levels are told ten times a second, from 0 to 1, and of speech more than of noise", async () => {
  const page = new VoicePage();
  const levels: number[] = [];
  await page.call();
  page.voice.on("volumeChange", ({ level }) => levels.push(level));
  await page.hear(page.quiet(1_000));
  await page.hear(page.sound(1_000));
  assert.equal(levels.length, 20);
  assert.ok(levels.every((level) => level >= 0 && level <= 1));
  assert.ok(Math.max(...levels.slice(0, 10)) < 0.1 && Math.min(...levels.slice(11)) > 0.4, String(levels));
  await page.hear(silence(RECORDED_HZ, 200));
  assert.equal(levels.at(-1), 0);
});

test("a realtime call is a stream, and its answers are of 24,000 Hz", async () => {
  const page = new VoicePage({ mode: "realtime" });
  await page.dial();
  page.socket.greet();
  await page.clock.pass(1);
  page.socket.say({ type: "voice_started", voiceMode: "realtime", capabilities: { inputSampleRate: 24_000, outputSampleRate: 8_000 } });
  await page.hear(page.quiet(1_000));
  assert.ok(page.socket.heard.length >= 47_000 && page.socket.heard.length <= 48_000);
  page.socket.say({ type: "voice_realtime_transcript", role: "user", text: "hello", isFinal: true });
  page.socket.say({ type: "voice_realtime_audio", audio: page.pcm(100, 8_000).toString("base64") });
  page.socket.say({ type: "voice_realtime_transcript", role: "assistant", text: "Hi.", isFinal: true });
  assert.ok(Math.abs(page.audio.queue.length - RECORDED_HZ / 10) < 10);
  assert.equal(page.voice.getState(), "speaking");
  await page.hear(page.quiet(300));
  assert.equal(page.voice.getState(), "ready");
  assert.deepEqual(page.told.slice(-6), ["transcription", "transcriptionFinal", "speaking", "responseStart", "responseEnd", "speaking"]);
  page.socket.say({ type: "voice_realtime_transcript", role: "assistant", text: "And", isFinal: false });
  page.socket.say({ type: "voice_realtime_transcript", role: "assistant", text: "And you?", isFinal: true });
  assert.deepEqual(page.told.slice(-3), ["responseStart", "responseChunk", "responseEnd"], "the second answer begins too");
});

// -- what goes wrong --------------------------------------------------------------------------------------------------

test("without voice on the platform nobody is asked for a microphone, it is said, and chat is as it was", async () => {
  const page = new VoicePage();
  const started = page.voice.start();
  await page.dial();
  page.socket.greet(false);
  await assert.rejects(started, { name: "AgentError", reason: "voice_unavailable" });
  assert.deepEqual([page.audio.opened, page.voice.getState(), page.socket.isClosed], [0, "error", true]);
  assert.deepEqual(page.errors, ["voice_unavailable"]);
  assert.notEqual(await page.sdk.chat().send("hello"), "");
});

test("the answer of a gateway that has no voice yet is said", async () => {
  const page = new VoicePage();
  const started = page.voice.start();
  await page.dial();
  page.socket.greet();
  await page.clock.pass(1);
  page.socket.say({ type: "voice_error", code: "VOICE_NOT_CONFIGURED", message: "Voice is not configured", fatal: true });
  await assert.rejects(started, { reason: "voice_unavailable", code: "VOICE_NOT_CONFIGURED", message: "Voice is not configured" });
  assert.deepEqual([page.voice.getState(), page.audio.closed], ["error", 1]);
});

test("each reason for which there is no sound is told, and everything is released", async () => {
  const refusals: SoundFailure[] = ["microphone_denied", "microphone_missing", "microphone_failed", "audio_blocked", "voice_unsupported"];
  for (const refusal of refusals) {
    const page = new VoicePage();
    page.audio.refusal = refusal;
    const started = page.voice.start();
    await page.dial();
    page.socket.greet();
    await assert.rejects(started, { reason: refusal });
    const first = { microphone_denied: ["micPermissionDenied"], voice_unsupported: ["vadAvailable"] }[refusal as string] ?? [];
    assert.deepEqual(page.told, [...first, "error"]);
    assert.equal(page.voice.getInfo().hasMicPermission, refusal === "microphone_denied" ? false : undefined);
    assert.deepEqual([page.voice.getState(), page.socket.isClosed, page.socket.types], ["error", true, []]);
    page.audio.refusal = null;
    await page.call();
    assert.equal(page.voice.getState(), "ready", "another try needs no stop()");
  }
});

test("what is injected and fails in its own way is a microphone that failed", async () => {
  const page = new VoicePage({ audio: { open: () => Promise.reject(new Error("odd")) } });
  await page.dial();
  page.socket.greet();
  await page.clock.pass(1);
  assert.deepEqual(page.errors, ["microphone_failed"]);
  assert.ok(new SoundError("page_hidden", "x") instanceof Error);
});

test("microphone, page and socket that go in the middle of a call end it, each by its reason", async () => {
  const ends: Array<[string, (page: VoicePage) => void]> = [
    ["microphone_lost", (page) => page.audio.owner?.lost("microphone_lost", "gone")],
    ["page_hidden", (page) => page.audio.owner?.lost("page_hidden", "left")],
    ["voice_lost", (page) => page.socket.onclose?.(1006)],
    ["voice_failed", (page) => page.socket.say({ type: "voice_error", code: "TTS_FAILED", message: "no", fatal: true })],
    ["voice_failed", (page) => page.socket.say({ type: "error", code: "INTERNAL_ERROR", message: "no", fatal: true })],
    ["voice_busy", (page) => page.socket.say({ type: "voice_error", code: "VOICE_BUSY", message: "no", fatal: true })],
  ];
  for (const [reason, end] of ends) {
    const page = new VoicePage();
    await page.call();
    page.answer("m", 1_000);
    const { socket } = page;
    end(page);
    assert.deepEqual([page.voice.getState(), page.errors], ["error", [reason]]);
    assert.deepEqual([socket.isClosed, page.audio.closed, page.audio.queue.length], [true, 1, 0]);
    await page.clock.pass(60_000);
    assert.deepEqual(page.errors, [reason], "once");
    page.voice.stop();
    assert.equal(page.voice.getState(), "idle");
  }
});

test("a call that the server ends is idle, and says so", async () => {
  for (const frame of [{ type: "voice_stopped", reason: "max_duration" }, { type: "session_end", reason: "completed" }] as VoiceServerFrame[]) {
    const page = new VoicePage();
    await page.call();
    page.socket.say(frame);
    assert.deepEqual([page.voice.getState(), page.errors, page.audio.closed], ["idle", ["voice_ended"], 1]);
  }
});

test("a platform that cannot be reached, or that does not answer, is said to be so", async () => {
  const silent = new VoicePage();
  await silent.dial();
  await silent.clock.pass(OPENING_MS);
  assert.deepEqual([silent.voice.getState(), silent.errors, silent.audio.opened], ["error", ["voice_lost"], 0]);
  const forbidden = new VoicePage();
  forbidden.failsInit = 403;
  await forbidden.dial();
  assert.deepEqual([forbidden.voice.getState(), forbidden.errors, forbidden.sockets.length], ["error", ["forbidden"], 0]);
});

test("a socket that falls silent is asked, and given up when it stays so", async () => {
  const page = new VoicePage();
  await page.call();
  await page.clock.pass(SILENT_MS);
  assert.deepEqual(page.socket.types.slice(-1), ["ping"]);
  page.socket.say({ type: "pong" });
  await page.clock.pass(SILENT_MS);
  assert.equal(page.voice.getState(), "ready");
  await page.clock.pass(SILENT_MS);
  assert.deepEqual([page.voice.getState(), page.errors], ["error", ["voice_lost"]]);
});

test("a server that says nothing to voice_start is taken for a pipeline", async () => {
  const page = new VoicePage();
  await page.dial();
  page.socket.greet();
  await page.clock.pass(STARTED_MS - 10);
  assert.equal(page.voice.getState(), "connecting");
  await page.clock.pass(20);
  assert.equal(page.voice.getState(), "ready");
  await page.hear(page.quiet(400));
  await page.utter();
  assert.ok(page.socket.heard.length > 0);
});

test("a socket that the browser does not let open is said", async () => {
  const page = new VoicePage();
  page.opens = false;
  await page.dial();
  assert.deepEqual([page.voice.getState(), page.errors], ["error", ["voice_lost"]]);
});

test("a token that is refused is not used for the next call", async () => {
  const page = new VoicePage();
  await page.dial();
  page.socket.onclose?.(4001);
  assert.deepEqual([page.voice.getState(), page.tokens], ["error", 1]);
  await page.call();
  assert.deepEqual([page.voice.getState(), page.tokens], ["ready", 2]);
});

test("who stops before anything is there has asked for nothing, and start() says that it was stopped", async () => {
  for (const wait of ["not at all", "for the socket", "for the microphone"]) {
    const page = new VoicePage();
    const started = page.voice.start();
    if (wait !== "not at all") await page.dial();
    if (wait === "for the microphone") page.socket.greet();
    page.voice.stop();
    await assert.rejects(started, { reason: "closed" });
    await page.dial();
    page.voice.stop();
    await page.clock.pass(1);
    assert.deepEqual([page.voice.getState(), page.errors], ["idle", []]);
    assert.ok(page.sockets.every(({ isClosed }) => isClosed));
    assert.equal(page.audio.closed, page.audio.opened);
  }
});

test("disconnect() ends a call too", async () => {
  const page = new VoicePage();
  await page.call();
  page.sdk.disconnect();
  assert.deepEqual([page.voice.getState(), page.audio.closed], ["idle", 1]);
  assert.equal(page.sdk.voice(), page.voice);
});

test("more of an answer than can be held ends the call and not the page", async () => {
  const page = new VoicePage();
  await page.call();
  page.socket.say({ type: "voice_response_start", messageId: "m" });
  page.audio.decode = () => Promise.resolve(new Float32Array((WAITING_MAX_S / 2 + 1) * RECORDED_HZ));
  for (const index of [0, 1]) {
    page.socket.say({ type: "voice_audio_chunk", messageId: "m", index, format: "mp3", audio: "AAAA" });
    await page.clock.pass(1);
    if (!index) assert.equal(page.voice.getState(), "speaking");
  }
  assert.deepEqual([page.voice.getState(), page.errors], ["error", ["voice_failed"]]);
});

test("what a later server says is ignored: frames without a form yet, unknown ones, and what is none", async () => {
  const page = new VoicePage();
  await page.call();
  for (const type of ["voice_ack", "playback", "resume", "toString", "__proto__", "brand_new"]) page.socket.say({ type });
  for (const text of ["", "null", "[]", "7", '{"type":7}']) page.socket.onmessage?.(text);
  page.socket.onbinary?.(new ArrayBuffer(3));
  page.socket.say({ type: "voice_audio_chunk", messageId: "m", index: 0, format: "pcm16", audio: "%" });
  assert.deepEqual([page.voice.getState(), page.errors], ["ready", ["voice_failed"]]);
});

test("a browser without microphone or loudspeaker is told from one with, and says so", async () => {
  assert.equal(VoiceClient.isSupported(), false, "Node has neither");
  const page = new VoicePage();
  const bare = page.sdk.voice({});
  await assert.rejects(bare.start(), (error) => error instanceof AgentError && error.reason === "voice_unsupported");
  assert.equal(page.sockets.length, 0);
});
