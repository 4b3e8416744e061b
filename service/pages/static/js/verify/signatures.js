// @ts-check
// The signatures of players: a signed action was signed with a key that its player had then, for this game and moment.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isPublicKey, isSigned, keyId } from "./ed25519.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {GameEvent} from "./types" */

/** @param {GameEvent} event @param {GameLog} log the events before @param {Findings} findings */
export async function checkSignature(event, log, findings) {
    if (event.type === "PlayerKeyAdded" || event.type === "PlayerKeyRevoked") return changeKey(event, log, findings);
    if (!event.signature) return;
    const { key: id, head, signature } = event.signature;
    const where = { line: log.length + 2, seq: event.seq, key: id };
    const player = event.by.seat === undefined ? undefined : log.seats?.[event.by.seat];
    findings.examined.signatures += 1;
    if (event.action === null || player === undefined) return findings.broken("signatures", "no-action", where);
    const key = log.keys.get(player)?.get(id);
    if (!key) return findings.broken("signatures", key === null ? "key-revoked" : "key-not-added", where);
    const seen = log.seqByHash.get(head);
    if (seen === undefined) return findings.broken("signatures", "history", where);
    if (seen < log.playSeq) return findings.broken("signatures", "moment", { ...where, seen, changed: log.playSeq });
    if (!(await hasEd25519())) return findings.unknown("signatures", "no-ed25519", where);
    const statement = { sign: "cartulary action v1", game: event.game, head, action: event.action };
    if (!(await isSigned(key, utf8(canonical(statement)), signature))) findings.broken("signatures", "signature", where);
}

/** @param {GameEvent} event a key that a player adds or revokes @param {GameLog} log @param {Findings} findings */
async function changeKey({ type, seq, data }, log, findings) {
    const { player, key, public: publicKey } = data;
    const keys = log.keys.get(player) ?? new Map();
    log.keys.set(player, keys);
    const isAdded = type === "PlayerKeyAdded";
    keys.set(key, isAdded ? publicKey : null);
    if (isAdded && (!isPublicKey(publicKey) || (await keyId(publicKey)) !== key))
        findings.broken("signatures", "key-id", { line: log.length + 2, seq, key });
}
