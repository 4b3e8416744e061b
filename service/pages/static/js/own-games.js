// @ts-check
/** The lists of a player's own games on the first page: they are read again when the event stream reports something. */

import { followWhileShown, pageAt, renew } from "./server.js";

/** Milliseconds from an event to the first reading, and between two readings. */
const FIRST_DELAY = 200;
const DELAY = 1500;

/** @param {HTMLElement} lists */
export function start(lists) {
  async function read() {
    const page = await pageAt(location.pathname);
    const current = page?.getElementById(lists.id);
    if (!page || !current || !lists.isConnected) return;
    document.title = page.title;
    if (current.textContent === lists.textContent) return;
    const focused = document.activeElement?.getAttribute("href");
    const hadFocus = lists.contains(document.activeElement);
    renew(lists, current);
    document.dispatchEvent(new CustomEvent("htmx:afterSwap"));
    /** @type {HTMLElement | null} */
    const link = hadFocus && focused ? lists.querySelector(`a[href="${CSS.escape(focused)}"]:not([tabindex])`) : null;
    link?.focus({ preventScroll: true });
  }

  return followWhileShown(lists.dataset.stream ?? "", read, FIRST_DELAY, DELAY);
}
