// @ts-check
// The hash chain: every event contains its number, the hash of the event before, and the hash of its own content.

import { hashOf } from "./bytes.js";
import { canonical } from "./canonical.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {GameEvent, JsonObject} from "./types" */

/** @param {GameEvent} event @param {GameLog} log the events before @param {Findings} findings */
export async function checkChain(event, log, findings) {
    const { hash, ...sealed } = event;
    const { first, last } = log;
    const where = { line: log.length + 2, seq: event.seq };
    findings.examined.chain += 1;
    if (event.seq !== (last?.seq ?? 0) + 1) findings.broken("chain", "seq", { ...where, previous: last?.seq ?? 0 });
    if (event.prev !== (last?.hash ?? "0".repeat(64))) findings.broken("chain", "prev", where);
    if (hash !== (await hashOf(canonical(/** @type {JsonObject} */ (sealed))))) findings.broken("chain", "hash", where);
    if (last && event.at < last.at) findings.broken("chain", "time", where);
    if (first && event.game !== first.game) findings.broken("chain", "game", { ...where, game: event.game });
}
