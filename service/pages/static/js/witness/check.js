// @ts-check
// Checks that a game and the transparency log continue what this browser has seen of them. What contradicts that is
// stored, and shown on every page until the visitor dismisses it (contradiction.js).

import { get, put } from "../evidence.js";
import { fromHex, hasEd25519, toHex } from "../verify/crypto.js";
import { isConsistent, isSignedByServer, readNote } from "../verify/transparency_log.js";
import { hashesUpTo, isShownBy, readContinuation, witnessFile } from "./history.js";

/** @import {Continuation, Contradiction, ContradictionKind, ListedKey, ShownHead} from "../verify/types" */
/** @typedef {{head?: ShownHead, seen?: ShownHead}} Seen `head` was checked; `seen` was on a page later, if it is there */
/** @typedef {{checkpoint: string | null, keys: ListedKey[]}} Log */

/** Milliseconds after which a contradiction must still be there. */
const CONFIRMATION = 2000;

/** @param {string} account @param {string} game */
export async function check(account, game) {
  await navigator.locks.request("cartulary-witness", { ifAvailable: true }, async (lock) => {
    if (!lock) return;
    // A visitor who follows a link ends the check: only a check that was completed delays the next one.
    try {
      await examineTwice(account, game);
    } finally {
      await put("checkpoints", "checked", Date.now());
    }
  });
}

/** Report what contradicts what was seen, if it is still there after a time. @param {string} account @param {string} game */
async function examineTwice(account, game) {
  if (!(await examine(account, game)).length) return;
  await new Promise((resolve) => setTimeout(resolve, CONFIRMATION));
  const contradictions = await examine(account, game);
  for (const contradiction of contradictions) await report(account, contradiction);
}

/** @param {string} account @param {Contradiction} contradiction */
export async function report(account, contradiction) {
  const owner = contradiction.game === null ? "" : account;
  const key = [owner, contradiction.kind, contradiction.game ?? ""];
  // What was found first is the strongest evidence, and what was dismissed stays so.
  if (!(await get("contradictions", key))) await put("contradictions", key, { ...contradiction, key, isDismissed: false });
  localStorage.setItem("cartulary-contradiction", "1");
  const { show } = await import("../contradiction.js");
  await show();
}

/** @param {string} account @param {string} game @returns {Promise<Contradiction[]>} */
async function examine(account, game) {
  const entry = /** @type {Seen} */ ((await get("heads", [account, game])) ?? {});
  const log = /** @type {Log} */ ((await get("checkpoints", "log")) ?? { checkpoint: null, keys: [] });
  const seen = entry.head ?? entry.seen;
  if (!seen) return [];
  const size = (log.checkpoint && readNote(log.checkpoint)?.size) || 0;
  const now = await readContinuation(game, seen.seq, size);
  if (!now) return [];
  if (log.keys.some(({ key }) => !now.keys.some((listed) => listed.key === key)))
    return [contradiction("keys", log.keys, { heads: [seen, now.head] })];
  const [inGame, inLog] = [await examineGame(entry, seen, now), await examineLog(log, now)];
  if (!inGame.length) await put("heads", [account, game], { head: now.head });
  if (!inLog.length) await put("checkpoints", "log", { checkpoint: latest(log, now), keys: now.keys });
  return [...inGame, ...inLog];
}

/**
 * @param {Seen} entry
 * @param {ShownHead} seen the head that the events come after
 * @param {Continuation} now
 * @returns {Promise<Contradiction[]>}
 */
async function examineGame(entry, seen, now) {
  const { head, events, keys } = now;
  if (head.game !== seen.game || !(await isShownBy(head, keys))) return [contradiction("unproven", keys, { heads: [seen, head], events })];
  const hashes = head.seq < seen.seq ? new Map() : await hashesUpTo(events, head);
  if (!hashes) return [contradiction("unproven", keys, { heads: [seen, head], events })];
  for (const earlier of [entry.head, entry.seen]) {
    if (!earlier || !(await isShownBy(earlier, keys))) continue;
    const parts = { heads: [earlier, head], events };
    if (earlier.seq > head.seq) return [contradiction("cut-off", keys, parts)];
    if (hashes.get(earlier.seq) !== earlier.hash) return [contradiction("rewritten", keys, parts)];
  }
  return [];
}

/** @param {Log} log @param {Continuation} now @returns {Promise<Contradiction[]>} */
async function examineLog(log, { checkpoint, consistency, epochs, keys }) {
  if (checkpoint === null) return [];
  const checkpoints = log.checkpoint === null ? [checkpoint] : [log.checkpoint, checkpoint];
  /** @param {ContradictionKind} kind */
  const because = (kind) => [contradiction(kind, keys, { checkpoints, consistency })];
  const [old, note] = [log.checkpoint === null ? null : readNote(log.checkpoint), readNote(checkpoint)];
  if (!note || ((await hasEd25519) && !(await isSignedByServer(note, keys)))) return because("unproven");
  // An empty log commits to nothing: the log may be lost for a while.
  if (!old?.size || !note.size) return [];
  if (old.origin !== note.origin) return (await isDeclared(old.origin, epochs, keys)) ? [] : because("epoch");
  // A page of another process may be older by a moment.
  if (note.size < old.size) return [];
  if (note.size === old.size) return toHex(note.root) === toHex(old.root) ? [] : because("log");
  if (!consistency || consistency.from !== old.size || consistency.to !== note.size) return because("unproven");
  const root = fromHex(consistency.root);
  if (!(await isConsistent(old.size, note.size, root, note.root, consistency.path.map(fromHex)))) return because("unproven");
  return consistency.root === toHex(old.root) ? [] : because("log");
}

/** @param {Log} log @param {Continuation} now @returns {string | null} the checkpoint to remember */
function latest(log, now) {
  if (log.checkpoint === null || now.checkpoint === null) return now.checkpoint ?? log.checkpoint;
  const [old, note] = [readNote(log.checkpoint), readNote(now.checkpoint)];
  if (!old || !note) return now.checkpoint;
  const isOlder = note.size === 0 || (old.origin === note.origin && note.size < old.size);
  return isOlder ? log.checkpoint : now.checkpoint;
}

/**
 * @param {string} origin
 * @param {readonly string[]} epochs
 * @param {readonly ListedKey[]} keys
 * @returns {Promise<boolean>} whether the server has signed that the log of this origin has ended
 */
async function isDeclared(origin, epochs, keys) {
  for (const epoch of epochs) {
    const end = epoch.lastIndexOf("\n\n");
    const [format, , former] = epoch.split("\n");
    if (format !== "cartulary-epoch/1" || former !== origin || end < 0) continue;
    // A declaration is signed like a checkpoint of the log that has ended.
    const note = readNote(`${origin}\n0\n${"A".repeat(43)}=\n\n${epoch.slice(end + 2)}`);
    if (!note) continue;
    if (!(await hasEd25519) || (await isSignedByServer({ ...note, text: epoch.slice(0, end + 1) }, keys))) return true;
  }
  return false;
}

/**
 * @param {ContradictionKind} kind
 * @param {readonly ListedKey[]} keys
 * @param {Parameters<typeof witnessFile>[1]} parts
 * @returns {Contradiction}
 */
function contradiction(kind, keys, parts) {
  const [earlier, later] = parts.heads ?? [];
  return {
    kind,
    game: earlier?.game ?? null,
    seq: earlier?.seq ?? null,
    last: later?.seq ?? null,
    file: witnessFile(keys, parts),
  };
}
