// @ts-check
// The openings of commitments: an opened secret must be the one that its event has committed to.

import { concat, fromHex, hashOf, utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";

/** @typedef {import("./forms.js").Opening} Opening */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */

/** @param {Opening} opening @param {number} line @param {GameLog} log @param {Findings} findings */
export async function checkOpening(opening, line, log, findings) {
    const commitments = log.secrets.get(opening.seq);
    for (const [name, { salt, value }] of Object.entries(opening.open)) {
        const where = { line, seq: opening.seq, secret: name };
        const commitment = commitments?.[name];
        findings.examined.secrets += 1;
        if (commitment === undefined) findings.broken("secrets", "no-commitment", where);
        else if ((await hashOf(concat(fromHex(salt), utf8(canonical(value))))) !== commitment)
            findings.broken("secrets", "other-value", where);
    }
}

/** @param {Map<number, Opening>} openings by seq @param {GameLog} log @param {Findings} findings */
export function checkClosedSecrets(openings, log, findings) {
    for (const [seq, commitments] of log.secrets)
        for (const name of Object.keys(commitments))
            if (!(name in (openings.get(seq)?.open ?? {}))) findings.unknown("secrets", "closed", { seq, secret: name });
}
