// @ts-check
/**
 * What a page does for the evidence of its visitor, without being asked.
 *
 * A form with `data-commitment` sends random bytes, which are drawn after the server has committed itself to its
 * secret. A form with `data-sign` is signed with the key of this browser: what is signed is made here, from the
 * fields that are sent. An element with `data-receipt` has the receipt of an action. Bytes and receipts are kept.
 */

import { toHex } from "./canonical.js";
import { deviceKey, sign } from "./device_key.js";
import { put } from "./evidence.js";

const NONCE_BYTES = 16;

/** What is signed, by the kind of a form. @type {Record<string, ((form: HTMLFormElement) => object) | undefined>} */
const PAYLOADS = {
  action: (form) => ({
    sign: "cartulary action v1",
    game: form.dataset.game,
    head: form.dataset.head,
    action: JSON.parse(String(new FormData(form).get("action"))),
  }),
};

/** @param {HTMLElement} element */
export function start(element) {
  if (element instanceof HTMLFormElement) startForm(element);
  else if (element.dataset.receipt) void keepReceipt(element.dataset.account, JSON.parse(element.dataset.receipt));
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

  async function prepare() {
    if (form.dataset.commitment !== undefined) {
      const nonce = newNonce();
      setField(form, "nonce", nonce);
      // Before it is sent: the page may be loaded again before the server has responded.
      await keepNonce(form.dataset, nonce);
    }
    const payload = PAYLOADS[form.dataset.sign ?? ""];
    const key = await usableKey;
    if (!payload || !key) return;
    setField(form, "signature", await sign(key, payload(form)));
    setField(form, "signature_key", key.id);
  }

  /** @param {SubmitEvent} event */
  function hold(event) {
    if (isPrepared) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isPreparing) return;
    isPreparing = true;
    const send = () => {
      isPreparing = false;
      isPrepared = true;
      form.requestSubmit(event.submitter);
      isPrepared = false;
    };
    // While the browser dispatches the event, which may last until now, it ignores another submission.
    const sendLater = () => setTimeout(send);
    prepare().then(sendLater, sendLater);
  }

  form.addEventListener("submit", (event) => hold(/** @type {SubmitEvent} */ (event)), { capture: true });
  form.addEventListener("htmx:afterRequest", (event) => {
    const { successful, pathInfo } = /** @type {CustomEvent} */ (event).detail;
    const nonce = /** @type {HTMLInputElement | null} */ (form.querySelector("input[name=nonce]"))?.value;
    // A response with another page, such as that for logging in, says that nothing was accepted.
    if (nonce && successful && pathInfo.responsePath?.startsWith(`/games/${form.dataset.game}`))
      void keepNonce(form.dataset, nonce, true);
  });
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
 * Keep bytes that are sent for a game.
 * @param {DOMStringMap} data of the form with which they are sent
 * @param {string} nonce
 * @param {boolean} [isAccepted] whether the server has confirmed that it has them
 */
export async function keepNonce({ account = "", game = "", commitment = "" }, nonce, isAccepted = false) {
  try {
    await put("nonces", [account, game, nonce], { game, commitment, nonce, isAccepted });
  } catch {
    // This browser keeps nothing.
  }
}

/** @param {string | undefined} account @param {{game: string, seq: number}} receipt */
async function keepReceipt(account = "", receipt) {
  try {
    await put("receipts", [account, receipt.game, receipt.seq], receipt);
  } catch {
    // This browser keeps nothing.
  }
}
