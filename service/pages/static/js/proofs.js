// @ts-check
/**
 * What a page does for the evidence of its visitor, without being asked.
 *
 * A form with `data-commitment` sends random bytes, which are drawn after the server has committed itself to its
 * secret. A form with `data-sign` is signed with the key of this browser: what is signed is made here, from the
 * fields that are sent. The form of several actions is sent in parts, since what is signed of an action has the hash of
 * the event before it: all actions but the last one go ahead, one after the other. An element with `data-receipt` has
 * the receipt of an action. Bytes and receipts are kept.
 * Another element registers the key with the account, once for each account and browser. WebCrypto makes the key, and
 * no script can read it out. A browser without Ed25519, a secure context or IndexedDB does without.
 */

import { canonical, get, put, toHex } from "./evidence.js";
import { showReachable } from "./server.js";

const NONCE_BYTES = 16;
/** The fields that this script adds to forms. The server takes an empty one as missing. */
const ADDED_FIELDS = ["nonce", "salt", "signature", "signature_key"];

/**
 * @param {HTMLFormElement} form
 * @param {FormData} fields those that are sent
 * @returns {Promise<object>} what is signed
 */
async function payloadOf(form, fields) {
  const { game, head, sign: kind } = form.dataset;
  if (kind !== "action") return (await import("./statements.js")).statement(form, fields);
  return { sign: "cartulary action v1", game, head, action: JSON.parse(String(fields.get("action"))) };
}

/** @param {HTMLElement} element */
export function start(element) {
  const { account, receipt } = element.dataset;
  if (element instanceof HTMLFormElement) startForm(element);
  else if (receipt) void keepReceipt(account, JSON.parse(receipt));
  else void register(element).catch(() => undefined);
}

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
  return account ? get("keys", [account]).catch(() => undefined) : undefined;
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
  // If several pages open at the same time, one of them makes the key.
  return navigator.locks.request("cartulary-key", async () => {
    let key = await deviceKey(account);
    if (key && key.state !== "new" && !again) return false;
    if (key?.state !== "new") key = await generateKey();
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

/** @returns {Promise<DeviceKey>} a new key, which is not registered */
export async function generateKey() {
  const pair = /** @type {CryptoKeyPair} */ (await crypto.subtle.generateKey("Ed25519", false, ["sign"]));
  const bytes = await crypto.subtle.exportKey("raw", pair.publicKey);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return { pair, public: toHex(bytes), id: toHex(digest).slice(0, 16), state: "new" };
}

/** @returns {string} new random bytes */
export function newNonce() {
  return toHex(crypto.getRandomValues(new Uint8Array(NONCE_BYTES)));
}

/** @param {HTMLFormElement} form */
function startForm(form) {
  const { account, keys = "" } = form.dataset;
  const usableKey = deviceKey(account).then((key) => (key && keys.split(" ").includes(key.id) ? key : undefined));
  void usableKey.then((key) => {
    const note = form.querySelector("[data-part=unsigned]");
    if (key && note instanceof HTMLElement) note.hidden = true;
  });
  let isPreparing = false;
  let isPrepared = false;

  /** @param {HTMLElement | null} submitter */
  async function prepare(submitter) {
    const key = form.dataset.sign ? await usableKey : undefined;
    if (key && form.dataset.sign === "action") await sendAhead(form, key);
    const fields = new FormData(form, submitter);
    if (form.dataset.commitment !== undefined) {
      fields.set("nonce", newNonce());
      // Before it is sent: the page may be loaded again before the server has responded.
      await keepNonce(form.dataset, String(fields.get("nonce")));
    }
    if (key) {
      fields.set("signature", await sign(key, await payloadOf(form, fields)));
      fields.set("signature_key", key.id);
    }
    for (const name of ADDED_FIELDS) setField(form, name, String(fields.get(name) ?? ""));
  }

  /** @param {SubmitEvent} event */
  function hold(event) {
    if (isPrepared) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isPreparing) return;
    isPreparing = true;
    form.ariaBusy = "true";
    const end = () => {
      isPreparing = false;
      form.ariaBusy = null;
    };
    const send = () => {
      end();
      isPrepared = true;
      form.requestSubmit(event.submitter);
      isPrepared = false;
    };
    // While the browser dispatches the event, which may last until now, it ignores another submission.
    const sendLater = () => setTimeout(send);
    prepare(event.submitter).then(sendLater, (error) => {
      if (!(error instanceof Unreachable)) sendLater();
      else {
        end();
        showReachable(false);
      }
    });
  }

  form.addEventListener("submit", (event) => hold(/** @type {SubmitEvent} */ (event)), { capture: true });
  form.addEventListener("htmx:afterRequest", (event) => {
    const { successful, pathInfo } = /** @type {CustomEvent} */ (event).detail;
    // A response with another page, such as that for logging in, says that nothing was accepted.
    if (!successful || !pathInfo.responsePath?.startsWith(`/games/${form.dataset.game}`)) return;
    const nonce = String(new FormData(form).get("nonce") ?? "");
    if (nonce) void keepNonce(form.dataset, nonce, true);
    if (form.dataset.sign && form.dataset.sign !== "action")
      void import("./statements.js").then(({ keepReceipts }) => keepReceipts(form.dataset)).catch(() => undefined);
  });
}

/** The server did not respond, so nobody knows yet whether it has accepted an action. */
class Unreachable extends Error {}

/**
 * Sign and send the actions of a form one after the other, until one is left. If the server refuses an action, it is
 * the one that is left: the form sends it again, for the page that explains why. If the server cannot be reached, the
 * actions that it has not confirmed stay in the form; sent again, each takes effect once.
 * @param {HTMLFormElement} form
 * @param {DeviceKey} key
 */
async function sendAhead(form, key) {
  /** @type {(name: string) => HTMLInputElement[]} */
  const inputs = (name) => [...form.querySelectorAll(/** @type {"input"} */ (`input[name=${name}]`))];
  for (let accepted = 1; inputs("action").length > 1; accepted++) {
    const [action, ...later] = inputs("action");
    const [idempotencyKey, ...laterKeys] = inputs("key");
    const fields = new FormData(form);
    fields.set("action", action.value);
    fields.set("key", idempotencyKey.value);
    fields.set("signature", await sign(key, await payloadOf(form, fields)));
    fields.set("signature_key", key.id);
    // The property of this name is the field.
    const receipt = await receiptOf(form.getAttribute("action") ?? "", fields);
    if (!receipt) {
      for (const input of [...later, ...laterKeys]) input.remove();
      return;
    }
    await keepReceipt(form.dataset.account, receipt);
    form.dataset.head = receipt.hash;
    setField(form, "expected_seq", String(receipt.seq));
    setField(form, "accepted", String(accepted));
    action.remove();
    idempotencyKey.remove();
  }
}

/**
 * Send an action.
 * @param {string} address
 * @param {FormData} fields
 * @returns {Promise<{game: string, seq: number, hash: string} | undefined>} its receipt; undefined if it was refused
 */
async function receiptOf(address, fields) {
  let response;
  try {
    response = await fetch(address, { method: "POST", body: fields, headers: { Accept: "application/json" } });
    if (response.status < 500) return response.ok ? (await response.json()).receipt : undefined;
  } catch {
    // The connection was lost, maybe in the middle of the response.
  }
  throw new Unreachable();
}

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
function setField(form, name, value) {
  let field = /** @type {HTMLInputElement | null} */ (form.querySelector(`input[name=${name}]`));
  if (!field) {
    field = Object.assign(document.createElement("input"), { type: "hidden", name });
    form.append(field);
  }
  field.value = value;
}

/**
 * Keep bytes that are sent for a game, in a browser that keeps anything.
 * @param {DOMStringMap} data of the form with which they are sent
 * @param {string} nonce
 * @param {boolean} [isAccepted] whether the server has confirmed that it has them
 */
export async function keepNonce({ account = "", game = "", commitment = "" }, nonce, isAccepted = false) {
  await put("nonces", [account, game, nonce], { game, commitment, nonce, isAccepted }).catch(() => undefined);
}

/**
 * Keep a receipt, in a browser that keeps anything. One that contradicts another does not replace it: the two prove
 * that the server has lied.
 * @param {string | undefined} account
 * @param {{game: string, seq: number, hash: string}} receipt
 */
export async function keepReceipt(account = "", receipt) {
  const { game, seq, hash } = receipt;
  await put("receipts", [account, game, seq, hash], receipt).catch(() => undefined);
}
