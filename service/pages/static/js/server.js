// @ts-check
/** What the scripts of pages ask of the server: a page as it is now, when something happens, and whether it can be reached. */

import { waitForEndOfPress } from "./pointer-press.js";
import { waitForResponses } from "./pending-forms.js";

/** @param {boolean} isReachable whether the notice that the server cannot be reached is hidden */
export function showReachable(isReachable) {
  const notice = document.getElementById("network-error");
  if (notice) notice.hidden = isReachable;
}

/**
 * Read a page of which a part will replace what is shown. A press that goes on then ends before, and forms that have
 * been sent are answered.
 * @param {string} address
 * @returns {Promise<Document | undefined>} the page; undefined if there is none, or the server cannot be reached
 */
export async function pageAt(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    if (!response.ok) return undefined;
    const html = await response.text();
    await waitForEndOfPress();
    await waitForResponses();
    return new DOMParser().parseFromString(html, "text/html");
  } catch {
    return undefined;
  }
}

/**
 * Give a part of the page the content that it has now, with links and forms that htmx follows.
 * @param {HTMLElement} part @param {HTMLElement} current
 */
export function renew(part, current) {
  part.replaceChildren(...current.childNodes);
  /** @type {any} */ (window).htmx?.process(part);
}

/**
 * Follow an event stream while the page is in front. Browsers have few connections to a server for all their tabs.
 * @param {string} address
 * @param {() => Promise<void>} read called after something has happened, and when the page comes to the front again
 * @param {number} delay milliseconds from an event to the reading
 * @param {number} [pause] milliseconds between two readings
 * @returns {() => void} a function that stops it
 */
export function followWhileShown(address, read, delay, pause = 0) {
  /** @type {EventSource | undefined} */
  let source;
  /** @type {number | undefined} */
  let timer;
  let lastRead = 0;
  const ending = new AbortController();

  function readSoon() {
    timer ??= window.setTimeout(() => {
      timer = undefined;
      lastRead = Date.now();
      void read();
    }, Math.max(delay, lastRead + pause - Date.now()));
  }

  function close() {
    source?.close();
    source = undefined;
  }

  function open() {
    source = new EventSource(address);
    source.onmessage = readSoon;
    source.addEventListener("message-posted", readSoon);
    source.addEventListener("end", () => {
      close();
      readSoon();
    });
  }

  function changeVisibility() {
    close();
    if (document.hidden) return;
    open();
    readSoon();
  }

  if (!document.hidden) open();
  document.addEventListener("visibilitychange", changeVisibility, { signal: ending.signal });
  return () => {
    close();
    ending.abort();
    window.clearTimeout(timer);
  };
}
