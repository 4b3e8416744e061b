// @ts-check
// The signatures of players: an action or a statement was signed with a key that its author had then, for this game and
// moment.

import { canonical } from "./canonical.js";
import { hasEd25519, isPublicKey, isSigned, keyId } from "./crypto.js";

/** @import {Context, GameEvent} from "./types" */

/** By the type of a statement, the fields of its data that are signed. @type {Record<string, string[]>} */
const STATED_FIELDS = {
  TakebackRequested: ["nonce"],
  TakebackAnswered: ["request", "agree", "nonce"],
  DisputeOpened: ["about", "nonce"],
  DisputeAnswered: ["dispute", "nonce"],
  DisputeWithdrawn: ["dispute", "nonce"],
  RulingProposed: ["dispute", "ruling", "nonce"],
  DisputeRuled: ["dispute", "ruling", "nonce"],
  PauseAgreed: ["agree"],
  SeatVacated: [],
  SubstituteSeated: ["seat"],
};

/** @param {GameEvent} event @param {number} line @param {Context} context with the events before */
export async function checkSignature(event, line, { log, findings }) {
  const author = authorOf(event, log.players);
  const stated = log.statements.get(author ?? "") ?? 0;
  if (author && !event.action) log.statements.set(author, event.seq);
  if (!event.signature) return;
  const { key: id, head, signature } = event.signature;
  const where = { line, seq: event.seq, key: id };
  findings.examined.signatures += 1;
  if (!author) return findings.broken("signatures", "no-action", where);
  const key = log.keys.get(author)?.get(id);
  if (!key) return findings.broken("signatures", key === null ? "key-revoked" : "key-not-added", where);
  const seen = log.seqByHash.get(head);
  if (!seen) return findings.broken("signatures", "history", where);
  if (seen < log.playSeq) return findings.broken("signatures", "moment", { ...where, seen, changed: log.playSeq });
  if (seen < stated) return findings.broken("signatures", "statement", { ...where, seen, stated });
  if (!(await hasEd25519)) return findings.unknown("signatures", "no-ed25519", where);
  if (!(await isSigned(key, canonical(payload(event, head)), signature)))
    findings.broken("signatures", "signature", where);
}

/**
 * @param {GameEvent} event
 * @param {readonly string[]} players by seat
 * @returns {string | undefined} the id of the person whose action or statement an event is
 */
function authorOf({ type, by, action, data }, players) {
  if (!action && !Object.hasOwn(STATED_FIELDS, type)) return undefined;
  if (by.seat !== undefined) return players[by.seat];
  if (by.player !== undefined) return type === "SubstituteSeated" ? by.player : undefined;
  return type === "DisputeRuled" && typeof data.arbiter === "string" ? data.arbiter : undefined;
}

/** @param {GameEvent} event @param {string} head */
function payload({ game, type, action, data, secrets }, head) {
  if (action) return { sign: "cartulary action v1", game, head, action };
  const stated = Object.fromEntries(STATED_FIELDS[type].filter((name) => name in data).map((name) => [name, data[name]]));
  const statement = { sign: "cartulary statement v1", game, head, type, data: stated };
  return secrets ? { ...statement, secrets } : statement;
}

/** Adds or revokes a key of a player, if an event does. @param {GameEvent} event @param {number} line @param {Context} context */
export async function changeKeys({ type, seq, data }, line, { log, findings }) {
  const isAdded = type === "PlayerKeyAdded";
  if (!isAdded && type !== "PlayerKeyRevoked") return;
  const keys = log.keys.get(data.player) ?? new Map();
  log.keys.set(data.player, keys.set(data.key, isAdded ? data.public : null));
  if (isAdded && (!isPublicKey(data.public) || (await keyId(data.public)) !== data.key))
    findings.broken("signatures", "key-id", { line, seq, key: data.key });
}
