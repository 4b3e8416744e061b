// @ts-check
// Receipts: the record must contain every event for which the server has signed a receipt.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";

/** @typedef {import("./forms.js").Receipt} Receipt */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */
/** @typedef {import("./server_keys.js").ServerKeys} ServerKeys */

/** @param {Receipt} receipt @param {GameLog} log all events @param {ServerKeys} keys @param {Findings} findings */
export async function checkReceipt(receipt, log, keys, findings) {
    const { signature, ...statement } = receipt;
    const where = { seq: receipt.seq, key: receipt.key };
    findings.examined.receipts += 1;
    const key = keys.find(receipt.key);
    if (!key) return findings.unknown("receipts", "unknown-key", where);
    if (!(await hasEd25519())) return findings.unknown("receipts", "no-ed25519", where);
    if (!(await isSigned(key.public, utf8(canonical(statement)), signature)))
        return findings.broken("receipts", "signature", where);
    if (receipt.at < key.from || receipt.at > key.until) return findings.broken("receipts", "key-period", where);
    if (!key.isTrusted) findings.unknown("receipts", "unknown-key", where);
    if (receipt.seq > log.length) {
        if (log.isOver) findings.broken("receipts", "omitted", where);
        else findings.unknown("receipts", "later", where);
    } else if (receipt.hash !== log.hashes[receipt.seq - 1]) findings.broken("receipts", "other-event", where);
    else if (receipt.at !== log.times[receipt.seq - 1]) findings.broken("receipts", "other-time", where);
}
