// @ts-check
// Chance, as far as it needs no rules: who supplied the last nonce, and the order of the seats that the seed produces. All
// other draws are those of the rule systems.

import { concat, fromHex, sha256, utf8 } from "./bytes.js";
import { hasPublishedSecret } from "./secrets.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {Bytes} from "./types" */

/** The place of the creator is taken with the request that creates the game, before the commitment is published. */
const CREATORS_PLACE = 2;

/** @param {GameLog} log all events @param {Findings} findings */
export async function checkChance(log, findings) {
    const { seats, places, first, ending } = log;
    if (!ending) findings.unknown("chance", "in-progress");
    if (!seats) return;
    const where = { seq: log.startSeq, line: log.startSeq + 1 };
    const last = places.at(-1);
    const supplier = last && last.seq <= CREATORS_PLACE ? "server" : last?.data["nonce_from"];
    if (supplier !== "player") findings.unknown("chance", supplier ? "server-nonce" : "nonce-origin", where);

    const joined = places.map((place) => /** @type {string} */ (place.data["player"]));
    const isDrawn = first?.data["options"].seating !== "joined";
    findings.examined.chance += 1;
    if (isDrawn && !(await hasPublishedSecret(log))) {
        if (String([...seats].sort()) !== String([...joined].sort())) findings.broken("chance", "seats", where);
        return;
    }
    const nonces = places.map((place) => /** @type {string} */ (place.data["nonce"]));
    const expected = isDrawn ? await new Draws(await seedOf(ending?.data["secret"], nonces)).shuffle(joined) : joined;
    if (String(seats) !== String(expected)) findings.broken("chance", "seats", where);
}

/** @param {string} secret @param {readonly string[]} nonces both in hexadecimal @returns {Promise<Bytes>} */
export function seedOf(secret, nonces) {
    const parts = nonces.map(fromHex).flatMap((nonce) => [Uint8Array.of(nonce.length), nonce]);
    return sha256(concat(utf8("cartulary seed v1"), fromHex(secret), ...parts));
}

/** The draws that a seed produces. */
export class Draws {
    /** @param {Bytes} seed */
    constructor(seed) {
        this.seed = seed;
        this.counter = 0n;
        /** Numbers of 64 bits that were computed and not used yet. @type {bigint[]} */
        this.words = [];
    }

    /** @param {number} limit @returns {Promise<number>} an integer from 0, below the limit */
    async below(limit) {
        const n = BigInt(limit);
        for (;;) {
            if (this.words.length === 0) await this.nextBlock();
            const word = /** @type {bigint} */ (this.words.shift());
            if (word < 2n ** 64n - (2n ** 64n % n)) return Number(word % n);
        }
    }

    /** @template T @param {readonly T[]} items @returns {Promise<T[]>} */
    async shuffle(items) {
        const shuffled = [...items];
        for (let i = shuffled.length - 1; i > 0; i -= 1) {
            const j = await this.below(i + 1);
            [shuffled[i], shuffled[j]] = [/** @type {T} */ (shuffled[j]), /** @type {T} */ (shuffled[i])];
        }
        return shuffled;
    }

    async nextBlock() {
        const counter = new DataView(new ArrayBuffer(8));
        counter.setBigUint64(0, this.counter);
        this.counter += 1n;
        const block = new DataView((await sha256(concat(this.seed, new Uint8Array(counter.buffer)))).buffer);
        this.words = [0, 8, 16, 24].map((offset) => block.getBigUint64(offset));
    }
}
