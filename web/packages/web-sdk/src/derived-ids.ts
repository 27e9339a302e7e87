/**
 * The ids that the server gives to the two messages of a turn, made from the id that this client gave it: so what comes
 * by the socket, what the history says and what was sent from here are one message each. Decision: 0077.
 */

const MASK = (1n << 64n) - 1n;
const START = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
/** Which word of a block each step takes, a hexadecimal digit each; rounds 10 and 11 are 0 and 1 again. RFC 7693. */
const ORDER = [
  "0123456789abcdef",
  "ea489fd61c02b753",
  "b8c052fdae367194",
  "7931dcbe265a40f8",
  "905724afe1bc683d",
  "2c6a0b834d75fe19",
  "c51fed4a0763928b",
  "db7ec13950f4862a",
  "6fe9b308c2d714a5",
  "a2847615fb9e3cd0",
];
const ROUNDS = 12;
const MIXED = ["048c", "159d", "26ae", "37bf", "05af", "16bc", "278d", "349e"].map((row) => [...row].map((digit) => parseInt(digit, 16)));
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
  const word = (digit: string): bigint => words.getBigUint64(parseInt(digit, 16) * 8, true);
  for (let round = 0; round < ROUNDS; round += 1) {
    const order = ORDER[round % ORDER.length]!;
    MIXED.forEach((row, at) => {
      const [a, b, c, d] = row as [number, number, number, number];
      v[a] = (v[a]! + v[b]! + word(order[2 * at]!)) & MASK;
      v[d] = turn(v[d]! ^ v[a]!, 32n);
      v[c] = (v[c]! + v[d]!) & MASK;
      v[b] = turn(v[b]! ^ v[c]!, 24n);
      v[a] = (v[a]! + v[b]! + word(order[2 * at + 1]!)) & MASK;
      v[d] = turn(v[d]! ^ v[a]!, 16n);
      v[c] = (v[c]! + v[d]!) & MASK;
      v[b] = turn(v[b]! ^ v[c]!, 63n);
    });
  }
  hash.forEach((value, at) => (hash[at] = value ^ v[at]! ^ v[at + 8]!));
}
