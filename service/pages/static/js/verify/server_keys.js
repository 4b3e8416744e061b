// @ts-check
// The keys of the server that signed a record: those that the reader trusts, and those that the record names itself.

import { keyId } from "./ed25519.js";

/** @typedef {import("./forms.js").ServerKey} ServerKey */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {{public: string, from?: string, until?: string | null}} TrustedKey a key without a period is always valid */
/** @typedef {{id: string, public: string, from: string, until: string, isTrusted: boolean, isRetired: boolean}} KnownKey */

/** Later than every time. */
const NEVER = "~";

/** Keys by id, each with the shorter of its periods of validity where the reader's and the record's differ. */
export class ServerKeys {
    /** @param {KnownKey[]} keys */
    constructor(keys) {
        this.keys = keys;
    }

    /**
     * @param {readonly TrustedKey[]} trusted
     * @param {readonly ServerKey[]} claimed the keys in the header
     * @param {Findings} findings
     */
    static async from(trusted, claimed, findings) {
        /** @type {Map<string, KnownKey>} */
        const keys = new Map();
        for (const { public: publicKey, from = "", until } of trusted) {
            const id = await keyId(publicKey);
            keys.set(id, { id, public: publicKey, from, until: until ?? NEVER, isTrusted: true, isRetired: false });
        }
        for (const claim of claimed) {
            if ((await keyId(claim.public)) !== claim.key) findings.broken("head", "key-id", { line: 1, key: claim.key });
            const known = keys.get(claim.key);
            const until = claim.until ?? NEVER;
            keys.set(claim.key, {
                id: claim.key,
                public: known?.public ?? claim.public,
                from: known && known.from > claim.from ? known.from : claim.from,
                until: known && known.until < until ? known.until : until,
                isTrusted: known !== undefined,
                isRetired: claim.until !== null,
            });
        }
        return new ServerKeys([...keys.values()]);
    }

    /** @param {string} id @returns {KnownKey | undefined} */
    find(id) {
        return this.keys.find((key) => key.id === id);
    }
}
