// @ts-check
// Signed heads and the chains of events between them, and files of what a browser has seen (docs/formats.md).

import { canonical } from "../verify/canonical.js";
import { hasEd25519, hashOf, isSigned, utf8 } from "../verify/crypto.js";

/** @import {Consistency, Continuation, GameEvent, ListedKey, ShownHead, WitnessFile} from "../verify/types" */

/** The events that the server returns at a time, and how often it is asked for more. */
const PAGE_EVENTS = 200;
const MAX_PAGES = 50;

/** @param {ShownHead} head @param {readonly ListedKey[]} keys @returns {Promise<boolean>} whether one of the keys signed it */
export async function isShownBy({ signature, ...statement }, keys) {
  const key = keys.find(({ key: id }) => id === statement.key);
  if (!key || statement.sign !== "cartulary head v1") return false;
  return !(await hasEd25519) || isSigned(key.public, canonical(statement), signature);
}

/**
 * @param {string} game
 * @param {number} seq the last event that was seen
 * @param {number} [size] the number of entries of the last checkpoint that was seen
 * @returns {Promise<Continuation | null>} what the server shows now, with all events after that one; null if it shows
 *     nothing, such as the game of another account
 */
export async function readContinuation(game, seq, size = 0) {
  /** @type {GameEvent[]} */
  const events = [];
  /** @type {Continuation | undefined} */
  let first;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const after = seq + events.length;
    const address = `/games/${game}/head?seq=${after}&size=${size}&limit=${PAGE_EVENTS}`;
    const response = await fetch(address, { cache: "no-store", headers: { Accept: "application/json" } });
    if (!response.ok) return null;
    const continuation = /** @type {Continuation} */ (await response.json());
    first ??= continuation;
    events.push(...continuation.events);
    if (continuation.events.length < PAGE_EVENTS) return { ...first, head: continuation.head, events };
  }
  return null;
}

/**
 * @param {readonly GameEvent[]} events
 * @param {ShownHead} head
 * @returns {Promise<Map<number, string> | null>} the hashes of the events, and of the one before them, by number; null
 *     unless they form an unbroken chain that ends with the head
 */
export async function hashesUpTo(events, head) {
  /** @type {Map<number, string>} */
  const hashes = new Map();
  for (const { hash, ...sealed } of events) {
    if (hashes.size === 0) hashes.set(sealed.seq - 1, sealed.prev);
    const follows = sealed.game === head.game && hashes.get(sealed.seq - 1) === sealed.prev && !hashes.has(sealed.seq);
    if (!follows || (await hashOf(utf8(canonical(sealed)))) !== hash) return null;
    hashes.set(sealed.seq, hash);
  }
  if (hashes.size === 0) hashes.set(head.seq, head.hash);
  return hashes.get(head.seq) === head.hash ? hashes : null;
}

/**
 * @param {readonly ListedKey[]} keys
 * @param {{heads?: ShownHead[], events?: GameEvent[], checkpoints?: string[], consistency?: Consistency | null}} parts
 * @returns {WitnessFile}
 */
export const witnessFile = (keys, { heads = [], events = [], checkpoints = [], consistency = null }) => ({
  format: "cartulary-witness/1",
  server: location.origin,
  keys: [...keys],
  heads,
  events,
  checkpoints,
  consistency,
});

/** Have the visitor save a file. @param {WitnessFile} file @param {string} name */
export function save(file, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([`${canonical(file)}\n`], { type: "application/json" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
