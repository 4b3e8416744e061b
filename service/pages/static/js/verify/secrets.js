// @ts-check
// The openings of commitments, and chance: who supplied the last nonces, and what the seed draws at the start. What is
// drawn when play resumes depends on the position then, which only an audit knows.

import { canonical } from "./canonical.js";
import { concat, fromHex, hashOf, sha256, utf8 } from "./crypto.js";

/** @import {Bytes, Context, Opening, SentNonce, SetUp, SetUpScript} from "./types" */

/** What players write in disputes can be erased, so it may remain closed. */
const ERASABLE = "statement";
/** The version of the seed of games whose first event names none. */
const FIRST_SEED_VERSION = 1;
/** The creator takes a place in the request that creates the game, before the commitment is published. */
const CREATORS_PLACE = 2;

/** @param {Opening} opening @param {number} line @param {Context} context */
export async function checkOpening({ seq, open }, line, { log, findings }) {
  const commitments = log.commitments.get(seq) ?? {};
  for (const [secret, { salt, value }] of Object.entries(open)) {
    findings.examined.secrets += 1;
    if (!Object.hasOwn(commitments, secret)) findings.broken("secrets", "no-commitment", { line, seq, secret });
    else if ((await hashOf(concat(fromHex(salt), utf8(canonical(value))))) !== commitments[secret])
      findings.broken("secrets", "value", { line, seq, secret });
  }
}

/** Checks that everything is open once the game has ended, the secret of the game included. @param {Context} context */
export async function checkSecrets({ log, openings, findings }) {
  const { ending } = log;
  for (const [place, commitments] of log.commitments)
    for (const secret of Object.keys(commitments)) {
      // In a record with a repeated line, that is not the place of the event.
      const seq = log.events[place - 1]?.seq ?? place;
      if (secret === ERASABLE || Object.hasOwn(openings.get(seq)?.open ?? {}, secret)) continue;
      if (ending) findings.broken("secrets", "not-opened", { line: place + 1, seq, secret });
      else findings.unknown("secrets", "closed", { line: place + 1, seq, secret });
    }
  if (!ending) return findings.unknown("secrets", "in-progress");
  findings.examined.secrets += 1;
  if (!(await hasPublishedSecret(log))) findings.broken("secrets", "game-secret", { line: ending.seq + 1, seq: ending.seq });
}

/** @param {Context["log"]} log @returns {Promise<boolean>} whether the end publishes the secret committed to at first */
async function hasPublishedSecret({ first, ending }) {
  const secret = fromHex(ending?.data.secret ?? "");
  return secret.length === 32 && (await hashOf(secret)) === first?.data.commitment;
}

/** @param {Context} context */
export async function checkChance({ log, openings, findings, setUps }) {
  const { first, start, ending, places, newDraws } = log;
  const version = first?.data.seed ?? FIRST_SEED_VERSION;
  if (!ending) findings.unknown("chance", "in-progress");
  for (const { seq, nonces } of newDraws) {
    const where = { line: seq + 1, seq };
    if (version === FIRST_SEED_VERSION) findings.unknown("chance", "new-draws", where);
    else if (!nonces.at(-1)) findings.unknown("chance", "new-draws-nonce", where);
  }
  if (!start) return;
  const where = { line: start.seq + 1, seq: start.seq };
  const nonces = (version === FIRST_SEED_VERSION ? places : log.taken.filter(({ data }) => data.nonce)) //
    .map(({ seq, data }) => ({ nonce: data.nonce, source: seq <= CREATORS_PLACE ? "nobody" : data.nonce_from }));
  const last = nonces.at(-1) ?? { source: "nobody" };
  if (last.source === undefined) findings.unknown("chance", "nonce-origin", where);
  else if (last.source !== "player")
    findings.unknown("chance", version === FIRST_SEED_VERSION ? "server-nonce" : "no-nonce", where);

  const isSeatingDrawn = first?.data.options.seating !== "joined";
  let expected = places.map((place) => place.data.player);
  const { players, ...drawn } = start.data;
  let seats = players;
  /** @type {SetUp | null} */
  let setUp = null;
  if (await hasPublishedSecret(log)) {
    const supplied = nonces.map(({ nonce }) => nonce);
    const draws = new Draws(await seedOf(ending?.data.secret, supplied, version));
    if (isSeatingDrawn) expected = await draws.shuffle(expected);
    setUp = await drawSetUp(first?.data ?? {}, draws, setUps);
  } else if (isSeatingDrawn) [expected, seats] = [[...expected].sort(), [...seats].sort()];
  findings.examined.chance += 1;
  if (String(seats) !== String(expected)) findings.broken("chance", "seats", where);
  if (setUp === null) return;
  const { open = {} } = openings.get(start.seq) ?? {};
  const secrets = Object.fromEntries(Object.entries(open).map(([name, { value }]) => [name, value]));
  if (canonical(drawn) !== canonical(setUp.data) || canonical(secrets) !== canonical(setUp.secrets))
    findings.broken("chance", "set-up", where);
}

/**
 * Draws the set-up of a game as its script does.
 * @param {{[name: string]: any}} created the data of the event that created the game
 * @param {Draws} draws those that remain after the order of the seats
 * @param {Context["setUps"]} setUps
 * @returns {Promise<SetUp | null>} null for a game without a script
 */
export async function drawSetUp(created, draws, setUps) {
  if (!Object.hasOwn(setUps, created.rules)) return null;
  /** @type {SetUpScript} */
  const script = await import(setUps[created.rules]);
  return script.drawSetUp(created, draws);
}

/**
 * Checks that the record has the nonces that the program of the reader sent for this game.
 * @param {readonly SentNonce[]} sent
 * @param {Context} context
 * @returns {number} how many of them it has
 */
export function checkSentNonces(sent, { header, log, findings }) {
  const recorded = new Set([...log.taken.map(({ data }) => data.nonce), ...[...log.newNonces.values()].flat()]);
  const ofGame = sent.filter(({ game }) => game === header.game);
  const found = ofGame.filter(({ nonce }) => recorded.has(nonce));
  const missing = ofGame.filter(({ nonce }) => !recorded.has(nonce));
  if (ofGame.some(({ commitment }) => commitment !== log.first?.data.commitment))
    findings.broken("chance", "sent-commitment", { line: 2, seq: 1 });
  if (missing.some(({ isAccepted }) => isAccepted)) findings.broken("chance", "sent-nonce");
  // A request that has failed may have been repeated with another nonce.
  else if (missing.length > 0 && found.length === 0) findings.unknown("chance", "sent-nonce-unconfirmed");
  return found.length;
}

/** @param {string} secret @param {string[]} nonces both in hexadecimal @param {number} version of the seed */
export function seedOf(secret, nonces, version) {
  const parts = nonces.map(fromHex).flatMap((nonce) => [Uint8Array.of(nonce.length), nonce]);
  return sha256(concat(utf8(`cartulary seed v${version}`), fromHex(secret), ...parts));
}

/** The draws that a seed produces. */
export class Draws {
  /** @param {Bytes} seed */
  constructor(seed) {
    this.seed = seed;
    this.counter = 0n;
    /** @type {bigint[]} Numbers of 64 bits that were not used yet. */
    this.words = [];
  }

  /** @param {number} limit @returns {Promise<number>} an integer from 0, below the limit */
  async below(limit) {
    const n = BigInt(limit);
    for (;;) {
      const word = this.words.shift();
      if (word === undefined) await this.nextBlock();
      else if (word < 2n ** 64n - (2n ** 64n % n)) return Number(word % n);
    }
  }

  /** @param {string[]} items @returns {Promise<string[]>} */
  async shuffle(items) {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i -= 1) {
      const j = await this.below(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  }

  async nextBlock() {
    const counter = new DataView(new ArrayBuffer(8));
    counter.setBigUint64(0, this.counter);
    this.counter += 1n;
    const block = new DataView((await sha256(concat(this.seed, new Uint8Array(counter.buffer)))).buffer);
    this.words = [0, 8, 16, 24].map((offset) => block.getBigUint64(offset));
  }
}
