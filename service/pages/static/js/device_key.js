// @ts-check
/**
 * The key with which this browser signs for an account. WebCrypto makes it, and no script can read it out.
 *
 * `start` registers it with the account, once for each account and browser. A browser without Ed25519, without a
 * secure context or without IndexedDB has no key, and everything works without one.
 */

import { canonical, toHex } from "./canonical.js";
import { get, put } from "./evidence.js";

/**
 * @typedef {object} DeviceKey
 * @property {CryptoKeyPair} pair
 * @property {string} public in hexadecimal, as in the list of keys
 * @property {string} id as in the list of keys
 * @property {"new" | "registered" | "refused"} state
 */

/**
 * @param {string | undefined} account
 * @returns {Promise<DeviceKey | undefined>} the key of this browser for an account; undefined without one
 */
export async function deviceKey(account) {
  try {
    return account ? await get("keys", [account]) : undefined;
  } catch {
    return undefined;
  }
}

/** @param {DeviceKey} key @param {unknown} payload @returns {Promise<string>} the signature of its canonical JSON */
export async function sign(key, payload) {
  const signed = new TextEncoder().encode(canonical(payload));
  return toHex(await crypto.subtle.sign("Ed25519", key.pair.privateKey, signed));
}

/**
 * Register the key of this browser, unless that was done before, or the server has refused it.
 * @param {HTMLElement} element with the account and the field against cross-site requests
 * @param {boolean} [again] whether to replace a key that was revoked, or to ask again after a refusal
 * @returns {Promise<boolean>} whether the server has responded to a request
 */
export async function register(element, again = false) {
  const { account = "" } = element.dataset;
  const fields = new FormData();
  const token = element.querySelector("input");
  if (token) fields.set(token.name, token.value);
  // Of several pages that open at once, one makes the key.
  return navigator.locks.request("cartulary-key", async () => {
    let key = await deviceKey(account);
    if (key && key.state !== "new" && !again) return false;
    if (key?.state !== "new") key = await generate();
    await put("keys", [account], key);
    fields.set("public", key.public);
    fields.set("proof", await sign(key, { sign: "cartulary key v1", player: account, public: key.public }));
    const response = await fetch("/account/keys", { method: "POST", body: fields });
    // The server may be busy, or the session may have ended: the next page tries again.
    if (response.ok || response.status === 409)
      await put("keys", [account], { ...key, state: response.ok ? "registered" : "refused" });
    return response.ok;
  });
}

/** @returns {Promise<DeviceKey>} */
async function generate() {
  const pair = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey("Ed25519", false, ["sign"]));
  const bytes = await crypto.subtle.exportKey("raw", pair.publicKey);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { pair, public: toHex(bytes), id: toHex(digest).slice(0, 16), state: "new" };
}

/** @param {HTMLElement} element */
export function start(element) {
  register(element).catch(() => {
    // This browser cannot make or keep a key, or the server cannot be reached.
  });
}
