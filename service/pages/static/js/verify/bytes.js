// @ts-check
// Bytes, their forms as text, and SHA-256.

/** @import {Bytes} from "./types" */

const UTF8 = new TextEncoder();

/** @param {string} text @returns {Bytes} */
export const utf8 = (text) => UTF8.encode(text);

/** @param {Uint8Array} bytes @returns {string} lowercase hexadecimal */
export const toHex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

/** @param {string} hex @returns {Bytes} none if the text is not lowercase hexadecimal */
export function fromHex(hex) {
    if (!/^(?:[0-9a-f]{2})*$/.test(hex)) return new Uint8Array();
    return Uint8Array.from(hex.match(/../g) ?? [], (digits) => parseInt(digits, 16));
}

/** @param {string} text @returns {Bytes | null} the bytes, or null if the text is not base64 in its only form */
export function fromBase64(text) {
    try {
        const decoded = atob(text);
        return btoa(decoded) === text ? Uint8Array.from(decoded, (character) => character.charCodeAt(0)) : null;
    } catch {
        return null;
    }
}

/** @param {...Uint8Array} parts @returns {Bytes} */
export function concat(...parts) {
    const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

/** @param {Bytes} bytes @returns {Promise<Bytes>} */
export const sha256 = async (bytes) => new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));

/** @param {Bytes | string} content bytes, or text to encode @returns {Promise<string>} SHA-256 in hexadecimal */
export const hashOf = async (content) => toHex(await sha256(typeof content === "string" ? utf8(content) : content));
