// @ts-check
/**
 * What happens beside the board when something has happened: scores count to their new value, what a player has gained
 * moves from the board to the strip, the strip of the viewer pulses once when the turn comes, and the sounds of it.
 * Visitors who prefer less motion see the end of it at once.
 */

import { play } from "./sound.js";

const SCORE_MILLISECONDS = 400;
const TOKEN_MILLISECONDS = 320;
const EASE = "cubic-bezier(.2, .8, .3, 1)";

/** What the strips have shown last, by the address of the page. */
let shown = { path: "", scores: new Map(), counts: new Map(), isTurn: false, isEnded: false };

/** @returns {boolean} */
export function prefersLessMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * @param {HTMLElement} game
 * @param {boolean} hasMoved whether something has happened in the game since it was shown last
 * @param {Element | null} source where on the board that was
 */
export function drawTable(game, hasMoved, source) {
  const before = shown;
  const isKnown = before.path === location.pathname;
  shown = read(game);
  const isTurnNew = shown.isTurn && !(isKnown && before.isTurn);
  if (isTurnNew) game.querySelector(".strip.now.me")?.classList.add("is-new-turn");
  if (!isKnown) return;
  if (hasMoved) play(game.dataset.sound ?? "");
  if (shown.isEnded && !before.isEnded) play("end");
  else if (isTurnNew) setTimeout(() => play("turn"), hasMoved ? SCORE_MILLISECONDS : 0);
  if (!hasMoved || prefersLessMotion()) return;
  for (const [strip, score] of shown.scores)
    if (before.scores.has(strip)) count(partOf(game, strip, ".score"), before.scores.get(strip), score);
  for (const [name, number] of shown.counts) {
    const [strip, kind] = name.split(" ");
    const icon = partOf(game, strip, `.counts-1 use[href="${kind}"]`)?.closest("svg");
    if (number > (before.counts.get(name) ?? 0) && before.scores.has(strip) && icon && source) fly(icon, source);
  }
}

/** @param {HTMLElement} game */
function read(game) {
  const scores = new Map();
  const counts = new Map();
  for (const strip of game.querySelectorAll(".strip")) {
    const name = /seat-\d+/.exec(strip.className)?.[0] ?? "";
    scores.set(name, Number(strip.querySelector(".score")?.textContent));
    for (const each of strip.querySelectorAll(".counts-1 .count-of"))
      counts.set(`${name} ${each.querySelector("use")?.getAttribute("href")}`, Number(each.textContent));
  }
  const isTurn = game.querySelector(".strip.now.me") !== null;
  return { path: location.pathname, scores, counts, isTurn, isEnded: game.dataset.ended !== undefined };
}

/** @param {HTMLElement} game @param {string} strip @param {string} selector */
function partOf(game, strip, selector) {
  return game.querySelector(`.strip.${strip} ${selector}`);
}

/** @param {Element | null} element @param {number} from @param {number} to */
function count(element, from, to) {
  if (!element || from === to) return;
  const begin = performance.now();
  /** @param {number} now */
  function step(now) {
    const share = Math.min(1, (now - begin) / SCORE_MILLISECONDS);
    if (element) element.textContent = String(Math.round(from + (to - from) * share));
    if (share < 1) requestAnimationFrame(step);
  }
  requestAnimationFrame(step);
}

/** Move a copy of an icon from the board to its place. @param {Element} icon @param {Element} source */
function fly(icon, source) {
  const [from, to] = [source.getBoundingClientRect(), icon.getBoundingClientRect()];
  const copy = /** @type {SVGElement} */ (icon.cloneNode(true));
  copy.classList.add("is-flying");
  copy.style.left = `${to.left}px`;
  copy.style.top = `${to.top}px`;
  document.body.append(copy);
  const x = from.left + from.width / 2 - to.left - to.width / 2;
  const y = from.top + from.height / 2 - to.top - to.height / 2;
  const motion = copy.animate({ translate: [`${x}px ${y}px`, "0 0"] }, { duration: TOKEN_MILLISECONDS, easing: EASE });
  motion.onfinish = () => copy.remove();
}
