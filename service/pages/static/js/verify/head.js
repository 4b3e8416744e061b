// @ts-check
// The head: the header names the last event, and the server has signed it.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {GameEvent, Header, KnownKey} from "./types" */

/**
 * @param {Header} header
 * @param {GameLog} log all events, of which there is one at least
 * @param {ReadonlyMap<string, KnownKey>} keys
 * @param {Findings} findings
 */
export async function checkHead(header, log, keys, findings) {
    const { signature, ...head } = header.head;
    const [first, last] = /** @type {[GameEvent, GameEvent]} */ ([log.first, log.last]);
    const where = { line: 1, seq: head.seq, key: head.key };
    findings.examined.head += 1;
    if (last.seq !== head.seq) findings.broken("head", "seq", { ...where, last: last.seq });
    else if (last.hash !== head.hash) findings.broken("head", "hash", where);
    if (header.game !== first.game || header.rules !== first.data["rules"]) findings.broken("head", "game", where);

    const key = keys.get(head.key);
    if (!key?.isListed) return findings.broken("head", "key-not-listed", where);
    if (!(await hasEd25519())) return findings.unknown("head", "no-ed25519", where);
    const signed = utf8(canonical(/** @type {any} */ ({ ...header, head })));
    if (!(await isSigned(key.public, signed, signature))) return findings.broken("head", "signature", where);
    if (key.isRetired || (key.until && last.at > key.until)) findings.broken("head", "key-retired", where);
    if (!key.isTrusted) findings.unknown("head", "unknown-key", where);
}
