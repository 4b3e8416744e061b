// @ts-check
/**
 * Who of the people of a game is there: the dots and the words of the page are renewed when somebody comes (game.js), when
 * the time ends for which somebody counts as there, and when the page comes to the front.
 */

import { pageAt } from "./server.js";

const MILLISECONDS = 1000;

/** @param {HTMLElement} element */
export function start(element) {
  const { address = "", seconds } = element.dataset;
  const ending = new AbortController();
  let timer = 0;

  async function read() {
    const page = document.hidden ? undefined : await pageAt(address);
    if (!page || !element.isConnected) return;
    show(page);
    /** @type {HTMLElement | null} */
    const list = page.querySelector("[data-seconds]");
    readAfter(list?.dataset.seconds);
  }

  /** @param {string | undefined} time in seconds; "" if nobody else is there */
  function readAfter(time) {
    window.clearTimeout(timer);
    if (time) timer = window.setTimeout(() => void read(), (Number(time) + 1) * MILLISECONDS);
  }

  for (const name of ["people-changed", "visibilitychange"])
    document.addEventListener(name, () => void read(), { signal: ending.signal });
  readAfter(seconds);
  return () => {
    window.clearTimeout(timer);
    ending.abort();
  };
}

/** @param {Document} page the page of the people */
function show(page) {
  /** @type {NodeListOf<HTMLElement>} */
  const dots = document.querySelectorAll("[data-presence]");
  for (const dot of dots) {
    const current = page.querySelector(`[data-presence="${CSS.escape(dot.dataset.presence ?? "")}"]`);
    dot.classList.toggle("is-here", current?.classList.contains("is-here") ?? false);
    dot.title = current?.getAttribute("title") ?? "";
  }
  /** @type {NodeListOf<HTMLElement>} */
  const words = document.querySelectorAll("[data-presence-words]");
  for (const part of words) {
    const name = CSS.escape(part.dataset.presenceWords ?? "");
    part.textContent = page.querySelector(`[data-presence-words="${name}"]`)?.textContent ?? "";
  }
}
