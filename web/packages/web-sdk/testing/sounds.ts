/** Signals for the tests of voice: made, so that what is in them is known. All are mono, from -1 to 1. */

/** Numbers from 0 to 1 that are the same in every run. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function silence(rateHz: number, ms: number): Float32Array {
  return new Float32Array(Math.round((rateHz * ms) / 1000));
}

export function sine(rateHz: number, ms: number, hz: number, amplitude = 0.5): Float32Array {
  return silence(rateHz, ms).map((_, at) => amplitude * Math.sin((2 * Math.PI * hz * at) / rateHz));
}

export function white(rateHz: number, ms: number, dbfs: number, random: () => number): Float32Array {
  return atLevel(silence(rateHz, ms).map(() => random() + random() + random() - 1.5), dbfs);
}

/** Noise whose power falls by 3 dB an octave, as that of rooms and streets does (Kellet's filter). */
export function pink(rateHz: number, ms: number, dbfs: number, random: () => number): Float32Array {
  let [slow, middle, fast] = [0, 0, 0];
  const made = white(rateHz, ms, -20, random).map((sample) => {
    slow = 0.99765 * slow + sample * 0.099046;
    middle = 0.963 * middle + sample * 0.2965164;
    fast = 0.57 * fast + sample * 1.0526913;
    return slow + middle + fast + sample * 0.1848;
  });
  return atLevel(made, dbfs);
}

/**
 * Something like speech: syllables of 4 a second with gaps between them, a voice of 120 Hz with formants, and hisses.
 *
 * @param least How loud it is in the gaps, as a part of its loudest.
 */
export function speech(rateHz: number, ms: number, dbfs: number, random: () => number, least = 0): Float32Array {
  const made = silence(rateHz, ms);
  for (let at = 0; at < made.length; at += 1) {
    const s = at / rateHz;
    const inSyllable = (s * 4) % 1;
    const loud = inSyllable < 0.75 ? Math.max(least, Math.sin((Math.PI * inSyllable) / 0.75) ** 0.5) : least;
    const pitchHz = 120 + 10 * Math.sin(2 * Math.PI * 0.7 * s);
    let voice = 0;
    for (let harmonic = 1; loud && harmonic * pitchHz < 3_500; harmonic += 1) {
      const hz = harmonic * pitchHz;
      const formants = Math.exp(-(((hz - 600) / 250) ** 2)) + 0.5 * Math.exp(-(((hz - 1_500) / 300) ** 2)) + 0.1;
      voice += formants * Math.sin(2 * Math.PI * hz * s + harmonic);
    }
    const hiss = Math.floor(s * 4) % 4 === 3 ? random() * 2 - 1 : 0;
    made[at] = loud * (voice + hiss);
  }
  return atLevel(made, dbfs);
}

/** Return a signal at a level: decibels of its mean power below that of a full square wave. */
export function atLevel(samples: Float32Array, dbfs: number): Float32Array {
  const factor = 10 ** (dbfs / 20) / Math.sqrt(power(samples));
  return samples.map((sample) => sample * factor);
}

export function power(samples: Float32Array): number {
  return samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length;
}

export function decibels(ratio: number): number {
  return 10 * Math.log10(ratio);
}

export function joined(...parts: Float32Array[]): Float32Array {
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Return the sum of two signals, as long as the first. */
export function mixed(one: Float32Array, other: Float32Array): Float32Array {
  return one.map((sample, at) => sample + (other[at] ?? 0));
}

/** Cut a signal into pieces of these lengths, again and again. */
export function* pieces(samples: Float32Array, lengths: number[]): Generator<Float32Array> {
  for (let at = 0, turn = 0; at < samples.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? 1;
    yield samples.slice(at, at + length);
    at += length;
  }
}
