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
  const source = new EventSource(stream);
  /** @type {number | undefined} */
  let timer;

  async function read() {
    timer = undefined;
    // Nobody reads the messages of a page that is not in front: then the page of the board says what is new.
    const here = location.pathname + location.search;
    const page = (document.hidden ? undefined : await pageAt(here)) ?? (await pageAt(board));
    if (!page || !concerns.isConnected) return;
    replace(concerns, page);
    document.dispatchEvent(new CustomEvent("page-read", { detail: page }));
  }

  function readSoon() {
    timer ??= window.setTimeout(read, MILLISECONDS_BETWEEN_READS);
  }

  function readWhenShown() {
    if (!document.hidden) readSoon();
  }

  source.onmessage = readSoon;
  source.addEventListener("message-posted", readSoon);
  source.addEventListener("end", () => {
    source.close();
    readSoon();
  });
  document.addEventListener("visibilitychange", readWhenShown);
  return () => {
    source.close();
    window.clearTimeout(timer);
    document.removeEventListener("visibilitychange", readWhenShown);
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
