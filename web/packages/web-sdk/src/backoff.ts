/** After how many failures in a row it is not tried again unasked. Spec: platform-api 12.6. */
export const ATTEMPTS_MAX = 5;
export const FIRST_DELAY_MS = 1_000;
export const LONGEST_DELAY_MS = 30_000;

/**
 * Return how long to wait before an attempt: 1, 2, 4, ... s and at most 30 s, of which half is chance, so that the pages
 * of a gateway that went away do not all come back in the same second. The chance is added, never taken off.
 *
 * @param attempt From 1.
 * @param random From 0 to 1.
 * @param leastMs What the server asked for.
 */
export function delayMs(attempt: number, random: number, leastMs = 0): number {
  const base = Math.max(Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), LONGEST_DELAY_MS), leastMs);
  return Math.min(base * (1 + random / 2), LONGEST_DELAY_MS + leastMs);
}
