// @ts-check
/** The messages of a game: new ones are read when the event stream reports them, and from time to time. */

const MILLISECONDS_BETWEEN_READS = 8000;

/**
 * @param {HTMLElement} list
 * @returns {() => void} a function that stops it
 */
export function start(list) {
  const { address, stream } = list.dataset;
  if (!address) return () => {};
  const source = stream ? new EventSource(stream) : undefined;

  async function read() {
    // A form that the reader has opened stays as it is.
    if (document.hidden || list.querySelector("details[open]")) return;
    try {
      const response = await fetch(/** @type {string} */ (address), { headers: { Accept: "text/html" } });
      if (!response.ok || !list.isConnected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const current = page.getElementById("messages");
      if (!current || current.dataset.last === list.dataset.last) return;
      list.replaceChildren(...current.childNodes);
      list.dataset.last = current.dataset.last;
      const htmx = /** @type {any} */ (window).htmx;
      htmx?.process(list);
    } catch {
      // The server cannot be reached: the next reading may succeed.
    }
  }

  source?.addEventListener("message-posted", () => void read());
  source?.addEventListener("end", () => source.close());
  const timer = window.setInterval(read, MILLISECONDS_BETWEEN_READS);
  return () => {
    window.clearInterval(timer);
    source?.close();
  };
}
