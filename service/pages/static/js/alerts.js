// @ts-check
/**
 * The alerts of a player, above the board. A page that follows its game (game.js) is replaced as a whole. On
 * any other page of a game, the event stream has the page read again: the alerts, the counts in the tabs and
 * in the title are replaced, and other modules get the page as it is now with the event `page-read`.
 */

import { followWhileShown, pageAt, renew } from "./server.js";

const MILLISECONDS_BETWEEN_READS = 100;
const COUNT_IN_TITLE = /^\(\d+\) /;

/** @param {HTMLElement} alerts */
export function start(alerts) {
  const { stream, board = "/" } = alerts.dataset;
  if (!stream || document.querySelector("[data-module=game]")) return undefined;

  let reading = 0;

  async function read() {
    const number = ++reading;
    // The response to a form that was refused has an address that only takes forms.
    const page = (await pageAt(location.pathname + location.search)) ?? (await pageAt(board));
    // A later reading is newer, whichever is answered first.
    if (!page || !alerts.isConnected || number < reading) return;
    replace(alerts, page);
    document.dispatchEvent(new CustomEvent("page-read", { detail: page }));
  }

  const stop = followWhileShown(stream, read, MILLISECONDS_BETWEEN_READS);
  document.addEventListener("messages-read", read);
  return () => {
    document.removeEventListener("messages-read", read);
    stop();
  };
}

/** @param {HTMLElement} alerts @param {Document} page */
function replace(alerts, page) {
  const isOpen = alerts.querySelector("details[open]") !== null;
  const current = page.getElementById("alerts");
  // Buttons that have the focus are replaced only if they are out of date.
  if (current && (current.textContent !== alerts.textContent || !alerts.contains(document.activeElement))) {
    renew(alerts, current);
    if (isOpen) alerts.querySelector("details")?.setAttribute("open", "");
    // The modules of its forms start.
    document.dispatchEvent(new CustomEvent("htmx:afterSwap"));
  }
  for (const count of document.querySelectorAll("[data-count]")) {
    const name = CSS.escape(count.getAttribute("data-count") ?? "");
    count.replaceChildren(...(page.querySelector(`[data-count="${name}"]`)?.childNodes ?? []));
  }
  const [count = ""] = COUNT_IN_TITLE.exec(page.title) ?? [];
  document.title = count + document.title.replace(COUNT_IN_TITLE, "");
}
