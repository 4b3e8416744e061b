// @ts-check
/** The messages of a game: new ones are shown when the page was read again (concerns.js), and from time to time. */

const MILLISECONDS_BETWEEN_READS = 8000;

/**
 * @param {HTMLElement} list
 * @returns {() => void} a function that stops it
 */
export function start(list) {
  const { address } = list.dataset;
  if (!address) return () => {};

  async function read() {
    if (document.hidden) return;
    try {
      const response = await fetch(/** @type {string} */ (address), { headers: { Accept: "text/html" } });
      if (response.ok) show(new DOMParser().parseFromString(await response.text(), "text/html"));
    } catch {
      // The server cannot be reached: the next reading may succeed.
    }
  }

  /** @param {Document} page */
  function show(page) {
    const current = page.getElementById("messages");
    // A form that the reader has opened stays as it is.
    if (!current || !list.isConnected || list.querySelector("details[open]")) return;
    if (current.dataset.last === list.dataset.last) return;
    list.replaceChildren(...current.childNodes);
    list.dataset.last = current.dataset.last;
    const htmx = /** @type {any} */ (window).htmx;
    htmx?.process(list);
  }

  /** @param {Event} event */
  function showRead(event) {
    show(/** @type {CustomEvent} */ (event).detail);
  }

  document.addEventListener("page-read", showRead);
  const timer = window.setInterval(read, MILLISECONDS_BETWEEN_READS);
  return () => {
    window.clearInterval(timer);
    document.removeEventListener("page-read", showRead);
  };
}
