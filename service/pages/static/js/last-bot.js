// @ts-check
/**
 * A form that creates a game. If bots fill the game, the server leaves out the last of them, and this script adds it
 * with random bytes that it draws when it has seen the commitment of the game. Otherwise the server could choose a
 * secret that suits it to bytes that it knows already.
 */

import { keepNonce, newNonce, register } from "./proofs.js";
import { showReachable } from "./server.js";

/** @param {HTMLElement} element */
export function start(element) {
  const form = /** @type {HTMLFormElement} */ (element);
  let isSending = false;

  /** @param {Event} event */
  function send(event) {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (isSending) return;
    isSending = true;
    const fields = new FormData(form);
    fields.set("last_bot", "later");
    post(form, fields)
      .then(proceed, () => showReachable(false))
      .finally(() => (isSending = false));
  }

  form.addEventListener("submit", send, { capture: true });
}

/**
 * @param {HTMLFormElement} form
 * @param {FormData} fields
 */
async function post(form, fields) {
  const address = form.getAttribute("action") ?? "";
  const response = await fetch(address, { method: "POST", body: fields, headers: { "HX-Request": "true" } });
  return { response, html: await response.text() };
}

/** @param {{response: Response, html: string}} created what the server has responded to the form */
async function proceed({ response, html }) {
  if (!response.ok) {
    const htmx = /** @type {any} */ (window).htmx;
    htmx.swap("#page", html, { swapStyle: "outerHTML", show: "window:top" }, { select: "#page" });
    return;
  }
  const address = new URL(response.url);
  if (address.searchParams.has("bot")) {
    // The bot can be added by hand on the page of the game, if this fails.
    await addBot(new DOMParser().parseFromString(html, "text/html")).catch(() => undefined);
    address.search = "";
  }
  location.assign(address);
}

/** @param {Document} page that of the open game */
async function addBot(page) {
  const key = page.getElementById("device-key");
  // So that the player can sign from the first action on.
  if (key) await register(key).catch(() => undefined);
  const form = page.querySelector("#add-bot");
  if (!(form instanceof HTMLFormElement)) return;
  const nonce = newNonce();
  const fields = new FormData(form);
  fields.set("nonce", nonce);
  await keepNonce(form.dataset, nonce);
  const { response } = await post(form, fields);
  if (response.ok) await keepNonce(form.dataset, nonce, true);
}
