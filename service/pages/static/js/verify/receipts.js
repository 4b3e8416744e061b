// @ts-check
// Receipts: the record must contain every event for which the server has signed a receipt.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";
import { RECEIPT } from "./forms.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {JsonObject, KnownKey, Receipt} from "./types" */

/**
 * @param {JsonObject} value
 * @param {number | undefined} line the line of the record that contains it, if one does
 * @param {GameLog} log all events
 * @param {ReadonlyMap<string, KnownKey>} keys
 * @param {Findings} findings
 */
export async function checkReceipt(value, line, log, keys, findings) {
    findings.examined.receipts += 1;
    if (RECEIPT(value, "")) return findings.broken("receipts", "form", { line });
    const { signature, ...statement } = value;
    const receipt = /** @type {Receipt} */ (/** @type {unknown} */ (value));
    const where = { line, seq: receipt.seq, key: receipt.key };
    const key = keys.get(receipt.key);
    if (!key) return findings.broken("receipts", "key-not-listed", where);
    if (!(await hasEd25519())) return findings.unknown("receipts", "no-ed25519", where);
    if (!(await isSigned(key.public, utf8(canonical(statement)), receipt.signature)))
        return findings.broken("receipts", "signature", where);
    if (receipt.game !== log.first?.game) return findings.broken("receipts", "game", where);
    if (receipt.seq > log.length) {
        if (log.ending) return findings.broken("receipts", "omitted", where);
        return findings.unknown("receipts", "later", where);
    }
    const [hash, at] = [log.hashes[receipt.seq - 1], log.times[receipt.seq - 1]];
    if (receipt.hash !== hash || receipt.at !== at) findings.broken("receipts", "event", where);
    else if (receipt.at < key.from || (key.until && receipt.at > key.until)) findings.broken("receipts", "key-period", where);
}
