// @ts-check
// Bytes as text, SHA-256, and Ed25519 signatures (RFC 8032) by WebCrypto. Before WebCrypto checks a signature, the strict
// rules of docs/formats.md do: not all implementations refuse what those refuse.

/** @import {Bytes} from "./types" */

const PRIME = 2n ** 255n - 19n;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
/** The y of two points of order 8. That of the other two is its negative. */
const ORDER_8 = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;
const SMALL_ORDER = [0n, 1n, PRIME - 1n, ORDER_8, PRIME - ORDER_8];

/** @param {string} text @returns {Bytes} */
export const utf8 = (text) => new TextEncoder().encode(text);

/** @param {Uint8Array} bytes */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} hex @returns {Bytes} none if the text is not lowercase hexadecimal */
export function fromHex(hex) {
  if (!/^(?:[0-9a-f]{2})*$/.test(hex)) return new Uint8Array();
  return Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}

/** @param {string} text @returns {Bytes} none if the text is not base64 in its only form */
export function fromBase64(text) {
  try {
    const decoded = atob(text);
    if (btoa(decoded) === text) return Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  } catch {
    // not base64
  }
  return new Uint8Array();
}

/** @param {...ArrayLike<number>} parts @returns {Bytes} */
export const concat = (...parts) => Uint8Array.from(parts.flatMap((part) => Array.from(part)));

/** @param {Bytes} bytes */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** @param {Bytes} bytes @returns {Promise<string>} SHA-256 in hexadecimal */
export const hashOf = async (bytes) => toHex(await sha256(bytes));

/** @param {string} key a public key in hexadecimal @returns {Promise<string>} its id */
export const keyId = async (key) => (await hashOf(fromHex(key))).slice(0, 16);

/** @param {Uint8Array} bytes little-endian */
const toNumber = (bytes) => BigInt(`0x${toHex(bytes.slice().reverse())}`);

/** @param {Uint8Array} point 32 bytes @returns {boolean} whether it is encoded canonically and not of small order */
function isSafePoint(point) {
  const y = BigInt.asUintN(255, toNumber(point));
  return y < PRIME && !SMALL_ORDER.includes(y);
}

/** @param {string} key in hexadecimal @returns {boolean} whether it can be a public key */
export const isPublicKey = (key) => fromHex(key).length === 32 && isSafePoint(fromHex(key));

/** @param {string} key in hexadecimal */
const importKey = (key) => crypto.subtle.importKey("raw", fromHex(key), "Ed25519", false, ["verify"]);

/** Whether this browser can verify Ed25519 signatures, which it shows by importing the base point as a key. */
export const hasEd25519 = importKey(`58${"66".repeat(31)}`).then(
  () => true,
  () => false,
);

/**
 * @param {string} key a public key in hexadecimal
 * @param {string} text
 * @param {string} signature in hexadecimal
 * @returns {Promise<boolean>} whether the signature of the text is valid; WebCrypto must have Ed25519
 */
export async function isSigned(key, text, signature) {
  const bytes = fromHex(signature);
  const isStrict = isPublicKey(key) && bytes.length === 64 && isSafePoint(bytes.slice(0, 32));
  if (!isStrict || toNumber(bytes.slice(32)) >= GROUP_ORDER) return false;
  try {
    return await crypto.subtle.verify("Ed25519", await importKey(key), bytes, utf8(text));
  } catch {
    return false; // the key is not a point of the curve
  }
}
