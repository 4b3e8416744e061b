// @ts-check
/** Canonical JSON (RFC 8785), and bytes in hexadecimal. */

/** @param {any} value of JSON @returns {string} its canonical JSON */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** @param {ArrayBuffer | Uint8Array} bytes @returns {string} */
export function toHex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
