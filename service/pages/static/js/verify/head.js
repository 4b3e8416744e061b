// @ts-check
// The head: the header names the last event, and the server has signed it.

import { utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";

/** @typedef {import("./forms.js").Header} Header */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */
/** @typedef {import("./server_keys.js").ServerKeys} ServerKeys */

/** @param {Header} header @param {GameLog} log all events @param {ServerKeys} keys @param {Findings} findings */
export async function checkHead(header, log, keys, findings) {
    const { signature, ...head } = header.head;
    const where = { line: 1, seq: head.seq, key: head.key };
    findings.examined.head += 1;
    if (head.seq !== log.length) findings.broken("head", "other-length", { ...where, count: log.length });
    else if (head.hash !== log.hashes.at(-1)) findings.broken("head", "other-hash", where);

    const key = keys.find(head.key);
    if (!key) return findings.broken("head", "key-not-listed", where);
    if (!(await hasEd25519())) return findings.unknown("head", "no-ed25519", where);
    const signed = utf8(canonical(/** @type {any} */ ({ ...header, head })));
    if (!(await isSigned(key.public, signed, signature))) return findings.broken("head", "signature", where);
    if (key.isRetired || (log.times.at(-1) ?? "") > key.until) findings.broken("head", "key-retired", where);
    if (!key.isTrusted) findings.unknown("head", "unknown-key", where);
}
