// @ts-check
// The signatures of players: a signed action was signed with a key that its player had then, for this game and moment.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned, keyId } from "./ed25519.js";

/** @typedef {import("./forms.js").GameEvent} GameEvent */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */

/** @param {GameEvent} event @param {GameLog} log the events before @param {Findings} findings */
export async function checkSignature(event, log, findings) {
    if (event.type === "PlayerKeyAdded" || event.type === "PlayerKeyRevoked") return changeKeys(event, log, findings);
    if (!event.signature) return;
    const { key: id, head, signature } = event.signature;
    const where = { line: log.length + 2, seq: log.length + 1, key: id };
    const player = event.by.seat === undefined ? undefined : log.player(event.by);
    findings.examined.signatures += 1;
    if (event.action === null || player === undefined) return findings.broken("signatures", "no-action", where);
    const key = log.keys.get(player)?.get(id);
    if (!key || key.isRevoked) return findings.broken("signatures", key ? "revoked-key" : "key-not-added", where);
    const seen = log.seqByHash.get(head);
    if (seen === undefined) return findings.broken("signatures", "other-history", where);
    if (seen < log.lastPlaySeq) return findings.broken("signatures", "other-moment", { ...where, seen });
    if (!(await hasEd25519())) return findings.unknown("signatures", "no-ed25519", where);
    const statement = { sign: "cartulary action v1", game: event.game, head, action: event.action };
    if (!(await isSigned(key.public, utf8(canonical(statement)), signature)))
        findings.broken("signatures", "signature", where);
}

/** @param {GameEvent} event a key that a player adds or revokes @param {GameLog} log @param {Findings} findings */
async function changeKeys(event, log, findings) {
    const { player, key: id, public: publicKey } = event.data;
    const where = { line: log.length + 2, seq: log.length + 1, key: id };
    if (log.player(event.by) !== player) findings.broken("signatures", "key-of-another", where);
    const keys = log.keys.get(player) ?? new Map();
    log.keys.set(player, keys);
    const key = keys.get(id);
    if (event.type === "PlayerKeyRevoked") {
        if (!key || key.isRevoked) findings.broken("signatures", "revoked-key", where);
        else key.isRevoked = true;
        return;
    }
    if (key) findings.broken("signatures", "key-twice", where);
    else if ((await keyId(publicKey)) !== id) findings.broken("signatures", "key-id", where);
    else keys.set(id, { public: publicKey, isRevoked: false });
}
