// @ts-check
/**
 * A game that is shown as it is played: when the event stream reports an event, the part of the page is read again.
 */

const MILLISECONDS_BETWEEN_READS = 400;

/**
 * @param {HTMLElement} figure
 * @returns {() => void} a function that stops it
 */
export function start(figure) {
  const { board, stream } = figure.dataset;
  if (!board || !stream) return () => {};
  const source = new EventSource(stream);
  /** @type {number | undefined} */
  let timer;

  async function read() {
    timer = undefined;
    try {
      const response = await fetch(/** @type {string} */ (board), { headers: { Accept: "text/html" } });
      if (!response.ok || !figure.isConnected) return;
      const page = new DOMParser().parseFromString(await response.text(), "text/html");
      const content = page.querySelector("figure");
      if (content) figure.replaceChildren(...content.childNodes);
    } catch {
      // The server cannot be reached: the event stream connects again by itself, and its next event is read.
    }
  }

  source.onmessage = () => {
    timer ??= window.setTimeout(read, MILLISECONDS_BETWEEN_READS);
  };
  source.addEventListener("end", () => {
    source.close();
    timer ??= window.setTimeout(read, MILLISECONDS_BETWEEN_READS);
  });
  return () => {
    source.close();
    window.clearTimeout(timer);
  };
}
