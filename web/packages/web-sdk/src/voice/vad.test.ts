import assert from "node:assert/strict";
import { test } from "node:test";
import { atLevel, joined, mixed, pieces, pink, seeded, silence, speech, white } from "../../testing/sounds.ts";
import { FRAME_MS, VAD_DEFAULTS, Vad, type VadConfig } from "./vad.ts";

const RATE = 16_000;
const FRAME = (RATE * FRAME_MS) / 1000;
const SPEECH_DB = -26;

interface Span {
  fromMs: number;
  toMs: number;
}

/** Return the utterances that are heard in a signal. */
function heardIn(samples: Float32Array, config: VadConfig = {}, rateHz = RATE): Span[] {
  const vad = new Vad(rateHz, config);
  const spans: Span[] = [];
  let atMs = 0;
  for (const frame of pieces(samples, [(rateHz * FRAME_MS) / 1000])) {
    const heard = vad.push(frame);
    atMs += FRAME_MS;
    if (heard === "start") spans.push({ fromMs: atMs, toMs: Infinity });
    if (heard === "end") (spans[spans.length - 1] as Span).toMs = atMs;
  }
  return spans;
}

/** Three utterances of 1.5 s with pauses of 2 s between and around them. */
const SAID: ReadonlyArray<Span> = [0, 1, 2].map((turn) => ({ fromMs: 2_000 + turn * 3_500, toMs: 3_500 + turn * 3_500 }));

const made = new Map<number, Float32Array>();

function talk(seed: number, rateHz = RATE): Float32Array {
  const known = made.get(seed);
  if (known) return known;
  const random = seeded(seed);
  const gap = silence(rateHz, 2_000);
  const said = joined(gap, ...SAID.flatMap(() => [speech(rateHz, 1_500, SPEECH_DB, random), gap]));
  if (rateHz === RATE) made.set(seed, said);
  return said;
}

function assertHears(spans: Span[], what: string, lateMs: number): void {
  assert.equal(spans.length, SAID.length, `${what}: ${JSON.stringify(spans)}`);
  spans.forEach((span, at) => {
    const said = SAID[at] as Span;
    const late = span.fromMs - said.fromMs;
    assert.ok(late >= 0 && late <= lateMs, `${what}: begins ${late} ms behind`);
    const over = span.toMs - said.toMs;
    assert.ok(over >= VAD_DEFAULTS.redemptionMs - 250 && over <= VAD_DEFAULTS.redemptionMs + 250, `${what}: ends ${over} ms behind`);
  });
}

test("the defaults are named as in the contract", () => {
  assert.deepEqual(Object.keys(VAD_DEFAULTS), ["positiveSpeechThreshold", "negativeSpeechThreshold", "redemptionMs", "minSpeechMs", "preSpeechPadMs"]);
});

test("nothing is heard in silence, digital or of a quiet room", () => {
  assert.deepEqual(heardIn(silence(RATE, 60_000)), []);
  assert.deepEqual(heardIn(white(RATE, 60_000, -66, seeded(1))), []);
});

test("nothing is heard in a minute of steady noise, white or pink, quiet or loud", () => {
  for (const db of [-60, -40, -15]) {
    for (const seed of [1, 2]) {
      assert.deepEqual(heardIn(pink(RATE, 60_000, db, seeded(seed))), [], `pink ${db}`);
      assert.deepEqual(heardIn(white(RATE, 60_000, db, seeded(seed))), [], `white ${db}`);
    }
  }
});

for (const [snrDb, lateMs] of [[40, 150], [20, 150], [10, 200], [5, 400]] as const) {
  test(`every utterance is heard ${snrDb} dB above pink and white noise, and nothing else`, () => {
    for (const seed of [1, 2, 3]) {
      const said = talk(seed);
      const ms = (said.length / RATE) * 1000;
      assertHears(heardIn(mixed(said, pink(RATE, ms, SPEECH_DB - snrDb, seeded(100 + seed)))), `pink ${seed}`, lateMs);
      if (snrDb >= 10) assertHears(heardIn(mixed(said, white(RATE, ms, SPEECH_DB - snrDb, seeded(200 + seed)))), `white ${seed}`, lateMs);
    }
  });
}

test("rates other than 16,000 Hz hear the same", () => {
  for (const rateHz of [8_000, 24_000, 48_000]) {
    const said = talk(7, rateHz);
    assertHears(heardIn(mixed(said, pink(rateHz, (said.length / rateHz) * 1000, SPEECH_DB - 15, seeded(9))), {}, rateHz), `${rateHz}`, 200);
  }
});

test("noise that grows is learnt: it is taken for speech once at most, and what is said in it is heard", () => {
  const random = seeded(3);
  const quiet = pink(RATE, 4_000, -55, random);
  const loud = pink(RATE, 12_000, -40, random);
  const said = joined(silence(RATE, 8_000), speech(RATE, 1_500, SPEECH_DB, random), silence(RATE, 2_500));
  const spans = heardIn(joined(quiet, mixed(loud, said)));
  assert.equal(spans.length, 2, JSON.stringify(spans));
  const [noise, words] = spans as [Span, Span];
  assert.ok(noise.fromMs >= 4_000 && noise.toMs < 4_000 + 3_000 + VAD_DEFAULTS.redemptionMs + 300, JSON.stringify(noise));
  assert.ok(Math.abs(words.fromMs - 12_000) < 300, JSON.stringify(words));
});

test("who speaks for long is heard to the end, with and without noise, also where no syllable falls to the noise", () => {
  const known = new Map<number, Float32Array>();
  for (const gap of [0, 0.15]) for (const noiseDb of [-90, -60, -46]) {
    const random = seeded(9);
    const said = known.get(gap) ?? speech(RATE, 10_000, SPEECH_DB, random, gap);
    known.set(gap, said);
    const all = joined(silence(RATE, 2_000), said, silence(RATE, 2_000));
    const spans = heardIn(mixed(all, pink(RATE, (all.length / RATE) * 1000, noiseDb, random)));
    const what = `${noiseDb} dB, ${gap}: ${JSON.stringify(spans)}`;
    assert.equal(spans.length, 1, what);
    const [{ fromMs, toMs }] = spans as [Span];
    assert.ok(fromMs < 2_200 && toMs > 12_000 && toMs < 13_000, what);
  }
});

test("a pause shorter than redemptionMs does not end an utterance, a longer one does", () => {
  const random = seeded(5);
  const sound = (): Float32Array => speech(RATE, 1_000, SPEECH_DB, random);
  const said = (pauseMs: number): Float32Array => {
    const all = joined(silence(RATE, 1_000), sound(), silence(RATE, pauseMs), sound(), silence(RATE, 3_000));
    return mixed(all, pink(RATE, (all.length / RATE) * 1000, -60, random));
  };
  assert.equal(heardIn(said(400)).length, 1);
  assert.equal(heardIn(said(1_200)).length, 2);
  assert.equal(heardIn(said(1_200), { redemptionMs: 1_400 }).length, 1);
  assert.equal(heardIn(said(400), { redemptionMs: 200 }).length, 2);
});

test("what is shorter than minSpeechMs is no speech", () => {
  const random = seeded(6);
  const click = joined(silence(RATE, 1_000), white(RATE, 40, -20, random), silence(RATE, 1_000), white(RATE, 140, -20, random), silence(RATE, 1_000));
  const heard = mixed(click, pink(RATE, (click.length / RATE) * 1000, -60, random));
  assert.equal(heardIn(heard).length, 1, "the click of 40 ms is none");
  assert.equal(heardIn(heard, { minSpeechMs: 300 }).length, 0);
  assert.equal(heardIn(heard, { minSpeechMs: 20 }).length, 2);
});

test("the thresholds say how far above the noise speech is", () => {
  const random = seeded(8);
  const noise = pink(RATE, 8_000, -45, random);
  const louder = atLevel(pink(RATE, 8_000, -45, random), -36); // 9 dB
  const all = noise.map((sample, at) => (at > 4 * RATE && at < 5 * RATE ? (louder[at] as number) : sample));
  assert.equal(heardIn(all, { positiveSpeechThreshold: 0.5 }).length, 1);
  assert.equal(heardIn(all, { positiveSpeechThreshold: 0.99, negativeSpeechThreshold: 0.9 }).length, 0);
  const vad = new Vad(RATE);
  const likely = [...pieces(all, [FRAME])].map((frame) => (vad.push(frame), vad.probability));
  assert.ok(likely.every((probability) => probability >= 0 && probability <= 1));
  const mean = (from: number, to: number): number => likely.slice(from, to).reduce((sum, one) => sum + one, 0) / (to - from);
  assert.ok(mean(205, 245) > 0.6 && mean(100, 200) < 0.3, `${mean(205, 245)} ${mean(100, 200)}`);
});

test("what rested begins anew and still knows the noise", () => {
  const random = seeded(4);
  const vad = new Vad(RATE);
  for (const frame of pieces(pink(RATE, 2_000, -50, random), [FRAME])) vad.push(frame);
  const started = (): boolean => [...pieces(speech(RATE, 300, SPEECH_DB, random), [FRAME])].some((frame) => vad.push(frame) === "start");
  assert.ok(started());
  vad.rest();
  assert.equal(vad.isSpeech, false);
  assert.ok(started());
});
