// @ts-check
// The keys of the server that signed a record: those that the reader trusts, and those that the record names itself.

import { keyId } from "./ed25519.js";

/** @import {Findings} from "./findings.js" */
/** @import {KnownKey, ListedKey, TrustedKey} from "./types" */

/** Later than every time. */
const NEVER = "~";

/**
 * Returns all keys by id. Checks that those in the header do not contradict themselves.
 * @param {readonly TrustedKey[]} trusted
 * @param {readonly ListedKey[]} listed the keys in the header
 * @param {Findings} findings
 */
export async function serverKeys(trusted, listed, findings) {
    /** @type {Map<string, KnownKey & {until: string}>} */
    const keys = new Map();
    for (const { public: publicKey, from = "", until } of trusted) {
        const key = await keyId(publicKey);
        const key_ = { key, public: publicKey, from, until: until ?? NEVER };
        keys.set(key, { ...key_, isListed: false, isTrusted: true, isRetired: false });
    }
    for (const { key, public: publicKey, from, until } of listed) {
        const where = { line: 1, key };
        const known = keys.get(key);
        if (known?.isListed) findings.broken("head", "key-twice", where);
        if (until !== null && until < from) findings.broken("head", "key-times", where);
        if ((await keyId(publicKey)) !== key) {
            findings.broken("head", "key-id", where);
            continue;
        }
        keys.set(key, {
            key,
            public: publicKey,
            from: known && known.from > from ? known.from : from,
            until: known && known.until < (until ?? NEVER) ? known.until : (until ?? NEVER),
            isListed: true,
            isTrusted: known?.isTrusted ?? false,
            isRetired: until !== null,
        });
    }
    return keys;
}
