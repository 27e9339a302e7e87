import assert from "node:assert/strict";
import { test } from "node:test";
import { decibels, joined, pieces, power, sine } from "../../testing/sounds.ts";
import { Resampler } from "./resampler.ts";

const PAIRS: ReadonlyArray<[number, number]> = [
  [48_000, 16_000],
  [44_100, 16_000],
  [48_000, 24_000],
  [24_000, 48_000],
  [24_000, 44_100],
  [16_000, 8_000],
  [22_050, 48_000],
  [44_099, 16_000],
];
const EDGE_MS = 40;

function through(fromHz: number, toHz: number, samples: Float32Array, lengths: number[]): Float32Array {
  const resampler = new Resampler(fromHz, toHz);
  return joined(...[...pieces(samples, lengths)].map((piece) => resampler.push(piece)), resampler.flush());
}

/** The middle of a signal: its first and last moments sound into silence. */
function middle(samples: Float32Array, rateHz: number): Float32Array {
  const edge = Math.round((rateHz * EDGE_MS) / 1000);
  return samples.subarray(edge, samples.length - edge);
}

/** How much of a signal is not the sine of this frequency, in dB below it. */
function impurityDb(samples: Float32Array, rateHz: number, hz: number): number {
  const wave = (at: number): [number, number] => [Math.sin((2 * Math.PI * hz * at) / rateHz), Math.cos((2 * Math.PI * hz * at) / rateHz)];
  let [ss, cc, sc, s, c] = [0, 0, 0, 0, 0];
  samples.forEach((sample, at) => {
    const [sin, cos] = wave(at);
    [ss, cc, sc, s, c] = [ss + sin * sin, cc + cos * cos, sc + sin * cos, s + sample * sin, c + sample * cos];
  });
  const [a, b] = [(s * cc - c * sc) / (ss * cc - sc * sc), (c * ss - s * sc) / (ss * cc - sc * sc)];
  const rest = samples.map((sample, at) => sample - a * wave(at)[0] - b * wave(at)[1]);
  return decibels(power(rest) / power(samples));
}

for (const [fromHz, toHz] of PAIRS) {
  const nyquistHz = Math.min(fromHz, toHz) / 2;
  test(`${fromHz} to ${toHz} Hz keeps how long a sound is, its energy and its purity`, () => {
    for (const hz of [100, 440, 0.5 * nyquistHz, 0.78 * nyquistHz]) {
      const given = sine(fromHz, 400, hz);
      const made = through(fromHz, toHz, given, [1_000]);
      assert.ok(Math.abs(made.length - (given.length * toHz) / fromHz) <= 1, `${made.length} samples`);
      const inside = middle(made, toHz);
      const change = decibels(power(inside) / power(middle(given, fromHz)));
      assert.ok(Math.abs(change) < 0.2, `${hz} Hz: ${change} dB`);
      assert.ok(impurityDb(inside, toHz, hz) < -60, `${hz} Hz: ${impurityDb(inside, toHz, hz)} dB of something else`);
    }
  });

  test(`${fromHz} to ${toHz} Hz has no alias and no image`, () => {
    const beyond = [1.1, 1.5, 1.9].map((factor) => factor * nyquistHz).filter((hz) => hz < fromHz / 2);
    for (const hz of beyond) {
      const left = decibels(power(middle(through(fromHz, toHz, sine(fromHz, 400, hz), [1_000]), toHz)) / power(sine(fromHz, 400, hz)));
      assert.ok(left < -60, `${hz} Hz: ${left} dB of it are left`);
    }
  });

  test(`${fromHz} to ${toHz} Hz gives the same however the sound is cut`, () => {
    const given = sine(fromHz, 120, 440);
    const whole = through(fromHz, toHz, given, [given.length]);
    for (const lengths of [[128], [1, 7, 500], [960]]) assert.deepEqual(through(fromHz, toHz, given, lengths), whole);
  });
}

test("the same rate changes nothing", () => {
  const given = sine(16_000, 50, 440);
  assert.deepEqual(through(16_000, 16_000, given, [128]), given);
});

test("what comes out lags by less than four milliseconds", () => {
  const resampler = new Resampler(48_000, 16_000);
  let given = 0;
  let made = 0;
  for (const piece of pieces(sine(48_000, 100, 440), [480])) {
    given += piece.length / 48_000;
    made += resampler.push(piece).length / 16_000;
  }
  assert.ok(given - made < 0.004, `${given - made} s`);
});
