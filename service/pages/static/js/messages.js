// @ts-check
/**
 * The messages of a game: new ones are shown when the page was read again (alerts.js), and from time to time if the page
 * has an address for this.
 */

import { pageAt, renew } from "./server.js";

const MILLISECONDS_BETWEEN_READS = 8000;

/** @param {HTMLElement} list */
export function start(list) {
  const { address } = list.dataset;
  const ending = new AbortController();

  /** @param {Document | undefined} page */
  function show(page) {
    const current = page?.getElementById("messages");
    // A form that the reader has opened stays as it is.
    if (!current || !list.isConnected || list.querySelector("details[open]")) return;
    if (current.dataset.last === list.dataset.last) return;
    list.dataset.last = current.dataset.last;
    renew(list, current);
  }

  document.addEventListener("page-read", (event) => show(/** @type {CustomEvent} */ (event).detail), { signal: ending.signal });
  const timer = window.setInterval(async () => {
    if (address && !document.hidden) show(await pageAt(address));
  }, MILLISECONDS_BETWEEN_READS);
  return () => {
    window.clearInterval(timer);
    ending.abort();
  };
}
