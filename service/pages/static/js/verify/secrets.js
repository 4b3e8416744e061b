// @ts-check
// The openings of commitments: an opened secret must be the one that its event has committed to, and so must the secret
// of the game, which its end publishes.

import { concat, fromHex, hashOf, utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {Opening} from "./types" */

/** What players write in disputes can be erased; no opening of it needs to be there. */
const ERASABLE = "statement";

/** @param {Opening} opening @param {number} line @param {GameLog} log @param {Findings} findings */
export async function checkOpening(opening, line, log, findings) {
    const commitments = log.secrets.get(opening.seq) ?? {};
    for (const [secret, { salt, value }] of Object.entries(opening.open)) {
        const where = { line, seq: opening.seq, secret };
        findings.examined.secrets += 1;
        if (!Object.hasOwn(commitments, secret)) findings.broken("secrets", "no-commitment", where);
        else if ((await hashOf(concat(fromHex(salt), utf8(canonical(value))))) !== commitments[secret])
            findings.broken("secrets", "value", where);
    }
}

/** @param {ReadonlyMap<number, Opening>} openings by seq @param {GameLog} log all events @param {Findings} findings */
export async function checkSecrets(openings, log, findings) {
    const { first, ending } = log;
    for (const [seq, commitments] of log.secrets)
        for (const secret of Object.keys(commitments)) {
            if (secret === ERASABLE || Object.hasOwn(openings.get(seq)?.open ?? {}, secret)) continue;
            if (ending) findings.broken("secrets", "not-opened", { seq, secret });
            else findings.unknown("secrets", "closed", { seq, secret });
        }
    if (!ending) return findings.unknown("secrets", "in-progress");
    findings.examined.secrets += 1;
    if (!(await hasPublishedSecret(log)))
        findings.broken("secrets", "game-secret", { line: ending.seq + 1, seq: ending.seq, commitment: first?.data["commitment"] });
}

/** @param {GameLog} log @returns {Promise<boolean>} whether the end publishes the secret committed to at the start */
export async function hasPublishedSecret({ first, ending }) {
    const secret = fromHex(ending?.data["secret"] ?? "");
    return secret.length === 32 && (await hashOf(secret)) === first?.data["commitment"];
}
