// @ts-check
// The signatures of players: a signed action was signed with a key that its player had then, for this game and moment.

import { canonical } from "./canonical.js";
import { hasEd25519, isPublicKey, isSigned, keyId } from "./crypto.js";

/** @import {Context, GameEvent} from "./types" */

/** @param {GameEvent} event @param {number} line @param {Context} context with the events before */
export async function checkAction(event, line, { log, findings }) {
  if (!event.signature) return;
  const { key: id, head, signature } = event.signature;
  const where = { line, seq: event.seq, key: id };
  const player = log.players[event.by.seat ?? -1];
  findings.examined.signatures += 1;
  if (!event.action || !player) return findings.broken("signatures", "no-action", where);
  const key = log.keys.get(player)?.get(id);
  if (!key) return findings.broken("signatures", key === null ? "key-revoked" : "key-not-added", where);
  const seen = log.seqByHash.get(head);
  if (!seen) return findings.broken("signatures", "history", where);
  if (seen < log.playSeq) return findings.broken("signatures", "moment", { ...where, seen, changed: log.playSeq });
  if (!(await hasEd25519)) return findings.unknown("signatures", "no-ed25519", where);
  const { game, action } = event;
  const statement = canonical({ sign: "cartulary action v1", game, head, action });
  if (!(await isSigned(key, statement, signature))) findings.broken("signatures", "signature", where);
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
