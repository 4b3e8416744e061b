// @ts-check
/**
 * Who of the people of a game is there: the dots and the words of the page are renewed when somebody comes (game.js), when
 * the time ends for which somebody counts as there, and when the page comes to the front.
 */

import { pageAt } from "./server.js";

const MILLISECONDS = 1000;

let timer = 0;

/** @param {HTMLElement} element of a page on which somebody else is there */
export function start(element) {
  const { address = "", seconds } = element.dataset;
  const ending = new AbortController();
  document.addEventListener("visibilitychange", () => void readPeople(address), { signal: ending.signal });
  readAfter(address, seconds);
  return () => ending.abort();
}

/** @param {string} address of the page of the people */
export async function readPeople(address) {
  const page = document.hidden ? undefined : await pageAt(address);
  if (!page || !document.querySelector("[data-presence]")) return;
  show(page);
  /** @type {HTMLElement | null} */
  const list = page.querySelector("[data-seconds]");
  readAfter(address, list?.dataset.seconds);
}

/** @param {string} address @param {string | undefined} seconds "" if nobody else is there */
function readAfter(address, seconds) {
  window.clearTimeout(timer);
  if (seconds) timer = window.setTimeout(() => void readPeople(address), (Number(seconds) + 1) * MILLISECONDS);
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
