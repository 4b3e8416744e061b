// @ts-check
// Chance, as far as it needs no rules: the secret of the game is the one that the server has committed to, and the order
// of the seats is the one that the seed produces. The other draws are those of the rule systems.

import { concat, fromHex, hashOf, sha256, utf8 } from "./bytes.js";

/** @typedef {import("./forms.js").GameEvent} GameEvent */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */
/** @typedef {import("./bytes.js").Bytes} Bytes */

/** The draws that a seed produces. */
export class Draws {
    /** @param {Bytes} seed */
    constructor(seed) {
        this.seed = seed;
        this.counter = 0n;
        /** @type {bigint[]} numbers of 64 bits that were computed and not used yet */
        this.words = [];
    }

    /** @param {number} limit @returns {Promise<number>} an integer from 0, below the limit */
    async below(limit) {
        const n = BigInt(limit);
        const bound = 2n ** 64n - (2n ** 64n % n);
        for (;;) {
            const word = this.words.shift() ?? (await this.nextBlock());
            if (word < bound) return Number(word % n);
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

    /** @returns {Promise<bigint>} the first word of the next block; the other three are kept for later draws */
    async nextBlock() {
        const counter = new DataView(new ArrayBuffer(8));
        counter.setBigUint64(0, this.counter);
        this.counter += 1n;
        const block = new DataView((await sha256(concat(this.seed, new Uint8Array(counter.buffer)))).buffer);
        this.words = [8, 16, 24].map((offset) => block.getBigUint64(offset));
        return block.getBigUint64(0);
    }
}

/** @param {string} secret @param {readonly string[]} nonces both in hexadecimal @returns {Promise<Bytes>} */
export function seedOf(secret, nonces) {
    const parts = nonces.map(fromHex).flatMap((nonce) => [Uint8Array.of(nonce.length), nonce]);
    return sha256(concat(utf8("cartulary seed v1"), fromHex(secret), ...parts));
}

/**
 * @param {GameEvent} created
 * @param {GameEvent | null} ending the event that publishes the secret
 * @param {GameLog} log all events
 * @param {Findings} findings
 */
export async function checkChance(created, ending, log, findings) {
    const joined = log.places.map((place) => place.player);
    const { seats } = log;
    if (seats) {
        const last = log.places.at(-1)?.nonceFrom;
        if (last !== "player") findings.unknown("chance", last === "server" ? "server-nonce" : "nonce-origin");
        const isJoined = created.data.options.seating === "joined";
        const [actual, expected] = isJoined ? [seats, joined] : [[...seats].sort(), [...joined].sort()];
        findings.examined.chance += 1;
        if (actual.join(" ") !== expected.join(" ")) return findings.broken("chance", "other-players");
    }
    if (!ending) return findings.unknown("chance", "secret-unpublished");
    const { secret } = ending.data;
    findings.examined.chance += 1;
    if ((await hashOf(fromHex(secret))) !== created.data.commitment)
        return findings.broken("chance", "other-secret", { seq: ending.seq });
    if (seats && created.data.options.seating === "drawn") {
        const nonces = log.places.map((place) => place.nonce);
        const drawn = await new Draws(await seedOf(secret, nonces)).shuffle(joined);
        if (drawn.join(" ") !== seats.join(" ")) findings.broken("chance", "other-seats");
    }
}
