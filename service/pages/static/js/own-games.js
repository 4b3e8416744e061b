// @ts-check
/** The lists of a player's own games on the first page: they are read again when the event stream reports something. */

import { followWhileShown } from "./concerns.js";

/** Milliseconds from an event to the first reading, and between two readings. */
const FIRST_DELAY = 200;
const DELAY = 1500;

/**
 * @param {HTMLElement} lists
 * @returns {() => void} a function that stops it
 */
export function start(lists) {
  let lastRead = 0;
  /** @type {number | undefined} */
  let timer;

  async function read() {
    timer = undefined;
    lastRead = Date.now();
    try {
      const response = await fetch(location.pathname, { headers: { Accept: "text/html" } });
      if (!response.ok || !lists.isConnected) return;
      show(new DOMParser().parseFromString(await response.text(), "text/html"));
    } catch {
      // The server cannot be reached: the event stream connects again by itself.
    }
  }

  /** @param {Document} page */
  function show(page) {
    const current = page.getElementById(lists.id);
    if (!current) return;
    document.title = page.title;
    if (current.textContent === lists.textContent) return;
    const focused = document.activeElement?.getAttribute("href");
    const hadFocus = lists.contains(document.activeElement);
    lists.replaceChildren(...current.childNodes);
    /** @type {any} */ (window).htmx?.process(lists);
    document.dispatchEvent(new CustomEvent("htmx:afterSwap"));
    /** @type {HTMLElement | null} */
    const link = hadFocus && focused ? lists.querySelector(`a[href="${CSS.escape(focused)}"]:not([tabindex])`) : null;
    link?.focus({ preventScroll: true });
  }

  function readSoon() {
    timer ??= window.setTimeout(read, Math.max(FIRST_DELAY, lastRead + DELAY - Date.now()));
  }

  const stop = followWhileShown(lists.dataset.stream ?? "", readSoon);
  return () => {
    stop();
    window.clearTimeout(timer);
  };
}
