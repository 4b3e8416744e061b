// @ts-check
/**
 * What concerns a player, above the board. A page that follows its game (game.js) is replaced as a whole. On any other
 * page of a game, the event stream has the page read again: the concerns, the counts in the tabs and in the title are
 * replaced, and other modules get the page as it is now with the event `page-read`.
 */

const MILLISECONDS_BETWEEN_READS = 100;
const COUNT_IN_TITLE = /^\(\d+\) /;

/**
 * @param {HTMLElement} concerns
 * @returns {(() => void) | undefined} a function that stops it
 */
export function start(concerns) {
  const { stream, board = "/" } = concerns.dataset;
  if (!stream || document.querySelector("[data-module=game]")) return undefined;
  /** @type {number | undefined} */
  let timer;

  async function read() {
    timer = undefined;
    // The response to a form that was refused has an address that only takes forms.
    const page = (await pageAt(location.pathname + location.search)) ?? (await pageAt(board));
    if (!page || !concerns.isConnected) return;
    replace(concerns, page);
    document.dispatchEvent(new CustomEvent("page-read", { detail: page }));
  }

  function readSoon() {
    timer ??= window.setTimeout(read, MILLISECONDS_BETWEEN_READS);
  }

  const stop = followWhileShown(stream, readSoon);
  return () => {
    stop();
    window.clearTimeout(timer);
  };
}

/**
 * Follow an event stream while the page is in front. Browsers have few connections to a server for all their tabs.
 * @param {string} address
 * @param {() => void} report called when something has happened, and when the page comes to the front again
 * @returns {() => void} a function that stops it
 */
export function followWhileShown(address, report) {
  /** @type {EventSource | undefined} */
  let source;

  function close() {
    source?.close();
    source = undefined;
  }

  function open() {
    source = new EventSource(address);
    source.onmessage = report;
    source.addEventListener("message-posted", report);
    source.addEventListener("end", () => {
      close();
      report();
    });
  }

  function changeVisibility() {
    close();
    if (document.hidden) return;
    open();
    report();
  }

  if (!document.hidden) open();
  document.addEventListener("visibilitychange", changeVisibility);
  return () => {
    close();
    document.removeEventListener("visibilitychange", changeVisibility);
  };
}

/**
 * @param {string} address
 * @returns {Promise<Document | undefined>} the page; undefined if there is none, or the server cannot be reached
 */
async function pageAt(address) {
  try {
    const response = await fetch(address, { headers: { Accept: "text/html" } });
    return response.ok ? new DOMParser().parseFromString(await response.text(), "text/html") : undefined;
  } catch {
    return undefined;
  }
}

/** @param {HTMLElement} concerns @param {Document} page */
function replace(concerns, page) {
  const isOpen = concerns.querySelector("details[open]") !== null;
  const current = page.getElementById("concerns");
  // Buttons that have the focus are replaced only if they are out of date.
  if (current && (current.textContent !== concerns.textContent || !concerns.contains(document.activeElement))) {
    concerns.replaceChildren(...current.childNodes);
    if (isOpen) concerns.querySelector("details")?.setAttribute("open", "");
    /** @type {any} */ (window).htmx?.process(concerns);
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
