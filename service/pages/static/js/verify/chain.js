// @ts-check
// The hash chain: every event contains its number, the hash of the event before, and the hash of its own content.

import { hashOf } from "./bytes.js";
import { canonical } from "./canonical.js";

/** @typedef {import("./forms.js").GameEvent} GameEvent */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */

/**
 * Checks one event against the events before it.
 * @param {GameEvent} event
 * @param {GameLog} log the events before
 * @param {string} game the id in the header
 * @param {Findings} findings
 * @returns {Promise<string>} the hash of the event, computed from its content
 */
export async function checkEvent(event, log, game, findings) {
    const seq = log.length + 1;
    const { hash: statedHash, ...sealed } = event;
    const hash = await hashOf(canonical(/** @type {import("./canonical.js").JsonObject} */ (sealed)));
    const where = { line: seq + 1, seq };
    if (event.game !== game) findings.broken("chain", "other-game", { ...where, game: event.game });
    if (event.seq !== seq) findings.broken("chain", "seq", { ...where, stated: event.seq });
    if (event.prev !== (log.hashes.at(-1) ?? "0".repeat(64))) findings.broken("chain", "prev", where);
    if (event.at < (log.times.at(-1) ?? "")) findings.broken("chain", "time", where);
    if (statedHash !== hash) findings.broken("chain", "hash", where);
    if ((event.type === "GameCreated") !== (seq === 1)) findings.broken("chain", "first", where);
    findings.examined.chain += 1;
    return hash;
}
