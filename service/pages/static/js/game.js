// @ts-check
/**
 * The page of a game before its start and while it is played: the event stream replaces the page whenever something has
 * happened.
 * Another page that follows a game gives its address in `data-page`.
 *
 * A player who is choosing an action keeps the choices, which are in the address of the page, unless they have
 * become impossible.
 */

import { waitForEndOfPress } from "./pointer-press.js";
import { isSending } from "./pending-forms.js";
import { showReachable } from "./server.js";

/** Milliseconds before the event stream is opened again, at first and at most. */
const MIN_RETRY = 500;
const MAX_RETRY = 15000;
/** Milliseconds between looks at whether the responses of htmx have come. */
const WAIT_FOR_RESPONSE = 50;
/** The fields in which a reader may be typing. */
const TEXTS = ["action-text", "message-text", "comment-text", "field-handle"];

/** @param {HTMLElement} game */
export function start(game) {
  const address = game.dataset.stream;
  if (address === undefined) return undefined;
  // The stream of a game that has ended reports messages and a rematch; the page does not depend on it.
  const isEnded = game.dataset.ended !== undefined;
  const stream = new URL(address, location.href);
  let seq = Number(game.dataset.seq);
  let retry = MIN_RETRY;
  let timer = 0;
  let isStopped = false;
  /** @type {EventSource | undefined} */
  let source;

  function open() {
    stream.searchParams.set("after", String(seq));
    source = new EventSource(stream);
    source.onopen = () => {
      retry = MIN_RETRY;
      showReachable(true);
    };
    source.onmessage = (event) => receive(Number(event.lastEventId));
    for (const name of ["end", "reset"]) source.addEventListener(name, () => void refresh());
    source.addEventListener("message-posted", () => refreshLater(10));
    source.addEventListener("people-changed", () => {
      // A waiting room also shows who is ready.
      if (game.dataset.room !== undefined) refreshLater(10);
      else void import("./presence.js").then(({ readPeople }) => readPeople(stream.pathname.replace(/stream$/, "people")));
    });
    source.onerror = () => {
      // The browser gives up when the server responds with an error, such as while it starts.
      if (source?.readyState !== EventSource.CLOSED || isEnded) return;
      showReachable(false);
      timer = window.setTimeout(open, retry);
      retry = Math.min(2 * retry, MAX_RETRY);
    };
  }

  /** @param {number} latest */
  function receive(latest) {
    if (latest <= seq) return;
    seq = latest;
    // Events that belong together, such as the end of a round and its scoring, arrive together.
    refreshLater(10);
  }

  async function refresh() {
    if (isSending()) {
      // The response to what the player has just done or chosen shows the event as well.
      refreshLater(WAIT_FOR_RESPONSE);
      return;
    }
    const choices = location.search;
    // A form that was refused is shown at the address to which it was sent.
    const page = game.dataset.page ?? location.pathname;
    const html = (await read(page + choices)) ?? (await read(page));
    await waitForEndOfPress();
    if (isStopped) return;
    if (html === undefined) refreshLater(retry);
    else if (isSending() || location.search !== choices) refreshLater(WAIT_FOR_RESPONSE);
    else replace(html);
  }

  /** @param {number} milliseconds */
  function refreshLater(milliseconds) {
    window.clearTimeout(timer);
    timer = window.setTimeout(() => void refresh(), milliseconds);
  }

  open();
  document.addEventListener("messages-read", refresh);
  return () => {
    document.removeEventListener("messages-read", refresh);
    isStopped = true;
    window.clearTimeout(timer);
    source?.close();
  };
}

/**
 * @param {string} address
 * @returns {Promise<string | undefined>} the page; undefined if the server responds with an error
 */
async function read(address) {
  try {
    const response = await fetch(address, { headers: { "HX-Request": "true" } });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Replace the content of the page; the focus stays where it was, and what the reader has unfolded stays open.
 * @param {string} html
 */
function replace(html) {
  const focusSelector = selectorOf(document.activeElement);
  const texts = TEXTS.map((id) => /** @type {HTMLInputElement | null} */ (document.getElementById(id))?.value);
  const scrolled = document.querySelector(".moves")?.scrollTop ?? 0;
  const shown = document.querySelector("#page :popover-open")?.id;
  const unfolded = [...document.querySelectorAll("#page details[open]")].map(({ className }) => className);
  const htmx = /** @type {any} */ (window).htmx;
  htmx.swap("#page", html, { swapStyle: "outerHTML", swapDelay: 0, settleDelay: 0 }, { select: "#page" });
  const title = new DOMParser().parseFromString(html, "text/html").title;
  if (title) document.title = title;
  for (const [index, id] of TEXTS.entries()) {
    const field = /** @type {HTMLInputElement | null} */ (document.getElementById(id));
    if (field && texts[index]) field.value = texts[index];
  }
  for (const details of document.querySelectorAll("#page details"))
    if (details.className && unfolded.includes(details.className)) details.setAttribute("open", "");
  document.querySelector(".moves")?.scrollTo(0, scrolled);
  if (shown) document.getElementById(shown)?.showPopover();
  const target = /** @type {HTMLElement | null} */ (focusSelector ? document.querySelector(focusSelector) : null);
  if (target) target.focus({ preventScroll: true });
  // Without a focus before, none is set: keys mean what they meant before the event.
  else if (!focusSelector) /** @type {HTMLElement | null} */ (document.activeElement)?.blur();
}

/**
 * @param {Element | null} element
 * @returns {string} a selector that finds the same element in the page that replaces this one; "" without one
 */
function selectorOf(element) {
  if (!element || element === document.body) return "";
  if (element.id) return `#${CSS.escape(element.id)}`;
  const at = element.getAttribute("data-at");
  if (at) return `[data-at="${CSS.escape(at)}"]`;
  const href = element.getAttribute("href");
  return href ? `#page a[href="${CSS.escape(href)}"]` : "";
}
