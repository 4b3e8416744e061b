// @ts-check
// Ed25519 signatures (RFC 8032) by WebCrypto, with the strict checks of docs/formats.md before it: encodings that not all
// implementations refuse are refused here.

import { fromHex, hashOf, toHex } from "./bytes.js";

/** @import {Bytes} from "./types" */

const PRIME = 2n ** 255n - 19n;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The y of a point of order 8. The other one is its negative. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
const SMALL_ORDER = new Set([0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8]);

/** @param {Uint8Array} bytes little-endian @returns {bigint} */
const toNumber = (bytes) => BigInt(`0x${toHex(bytes.slice().reverse())}`);

/** @param {Uint8Array} point 32 bytes @returns {boolean} whether it is encoded canonically, and not of small order */
function isSafePoint(point) {
    const y = toNumber(point) & (2n ** 255n - 1n);
    return y < PRIME && !SMALL_ORDER.has(y);
}

/** @param {string} key in hexadecimal @returns {boolean} whether it can be a public key */
export const isPublicKey = (key) => fromHex(key).length === 32 && isSafePoint(fromHex(key));

/** @type {Promise<boolean> | undefined} */
let support;

/** @returns {Promise<boolean>} whether this browser can verify Ed25519 signatures */
export function hasEd25519() {
    support ??= importKey(fromHex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")).then(
        () => true,
        () => false,
    );
    return support;
}

/** @param {Bytes} key @returns {Promise<CryptoKey>} */
const importKey = (key) => crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]);

/**
 * @param {string} publicKey in hexadecimal
 * @param {Bytes} message
 * @param {string} signature in hexadecimal
 * @returns {Promise<boolean>} whether the signature is valid; WebCrypto must have Ed25519
 */
export async function isSigned(publicKey, message, signature) {
    const bytes = fromHex(signature);
    if (!isPublicKey(publicKey) || bytes.length !== 64 || !isSafePoint(bytes.slice(0, 32))) return false;
    if (toNumber(bytes.slice(32)) >= GROUP_ORDER) return false;
    try {
        return await crypto.subtle.verify("Ed25519", await importKey(fromHex(publicKey)), bytes, message);
    } catch {
        return false; // the key is not a point of the curve
    }
}

/** @param {string} publicKey in hexadecimal @returns {Promise<string>} the id of the key */
export const keyId = async (publicKey) => (await hashOf(fromHex(publicKey))).slice(0, 16);
