/**
 * The ids that the server gives to the two messages of a turn, made from the id that this client gave it: so what comes
 * by the socket, what the history says and what was sent from here are one message each. Decision: 0077.
 */

const MASK = (1n << 64n) - 1n;
/** The first 64 bits behind the point of the square roots of the first eight primes: shorter said so than written out. */
const START = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n].map((prime) => {
  let root = 1n << 67n;
  while (root * root > prime << 128n) root = (root + (prime << 128n) / root) >> 1n;
  return root & MASK;
});
/** Which word of a block each step takes, a hexadecimal digit each, sixteen a round; rounds 10 and 11 are 0 and 1 again. RFC 7693. */
const ORDER =
  "0123456789abcdefea489fd61c02b753b8c052fdae3671947931dcbe265a40f8905724afe1bc683d2c6a0b834d75fe19c51fed4a0763928bdb7ec13950f4862a6fe9b308c2d714a5a2847615fb9e3cd0";
const ROUNDS = 12;
const MIXED = [..."048c159d26ae37bf05af16bc278d349e"].map((digit) => parseInt(digit, 16));
const BLOCK_BYTES = 128;
const KEY_BYTES = 16;
const ID_BYTES = 12;
/** Whose the messages of a page are that says nothing of its visitor. */
const OWNER = "sdk:anonymous";

/** Return the id of the message that answers the turn of a client's message. */
export function answerId(sessionId: string, messageId: string): string {
  return idOf(sessionId, keyOf(messageId));
}

/** Return the id under which the history has a client's message. */
export function spokenId(sessionId: string, messageId: string): string {
  return idOf(sessionId, `${keyOf(messageId)}\0user`);
}

/** Return the key under which the server knows a message of a socket. */
function keyOf(messageId: string): string {
  return blake2b(JSON.stringify(["turn", OWNER, `socket:${messageId}`]), KEY_BYTES);
}

function idOf(sessionId: string, key: string): string {
  return `msg_c${blake2b(`${sessionId}\0${key}`, ID_BYTES)}`;
}

/** Return the BLAKE2b digest of a text, of so many bytes, in hexadecimal. RFC 7693. */
export function blake2b(text: string, digestBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  const hash = [...START];
  hash[0] = hash[0]! ^ 0x01010000n ^ BigInt(digestBytes);
  const blocks = Math.max(Math.ceil(bytes.length / BLOCK_BYTES), 1);
  for (let block = 0; block < blocks; block += 1) {
    const isLast = block === blocks - 1;
    const words = new DataView(new ArrayBuffer(BLOCK_BYTES));
    bytes.subarray(block * BLOCK_BYTES, (block + 1) * BLOCK_BYTES).forEach((byte, at) => words.setUint8(at, byte));
    compress(hash, words, BigInt(isLast ? bytes.length : (block + 1) * BLOCK_BYTES), isLast);
  }
  const digest = new DataView(new ArrayBuffer(64));
  hash.forEach((word, at) => digest.setBigUint64(at * 8, word, true));
  return Array.from({ length: digestBytes }, (_, at) => digest.getUint8(at).toString(16).padStart(2, "0")).join("");
}

function compress(hash: bigint[], words: DataView, counted: bigint, isLast: boolean): void {
  const v = [...hash, ...START];
  v[12] = v[12]! ^ counted;
  if (isLast) v[14] = v[14]! ^ MASK;
  const turn = (value: bigint, by: bigint): bigint => ((value >> by) | (value << (64n - by))) & MASK;
  const word = (at: number): bigint => words.getBigUint64(parseInt(ORDER[at % ORDER.length]!, 16) * 8, true);
  for (let step = 0; step < ROUNDS * 8; step += 1) {
    const [a, b, c, d] = MIXED.slice((step % 8) * 4) as [number, number, number, number];
    const half = (at: number, left: bigint, right: bigint): void => {
      v[a] = (v[a]! + v[b]! + word(at)) & MASK;
      v[d] = turn(v[d]! ^ v[a]!, left);
      v[c] = (v[c]! + v[d]!) & MASK;
      v[b] = turn(v[b]! ^ v[c]!, right);
    };
    half(2 * step, 32n, 24n);
    half(2 * step + 1, 16n, 63n);
  }
  hash.forEach((value, at) => (hash[at] = value ^ v[at]! ^ v[at + 8]!));
}
