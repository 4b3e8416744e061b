// @ts-check
/**
 * Finds what has changed since a table was last shown: pieces move along their arrows, which grow, pieces that were taken
 * fade, changed hexes light up, scores count to their new value, what a player has gained moves from the board to the
 * strip, the strip of the viewer pulses once when the turn comes, and the sounds of it are made. A page that is loaded
 * moves nothing; visitors who prefer less motion see the end of it at once.
 */

import { play } from "./sound.js";

const SCORE_MILLISECONDS = 400;

/**
 * The address of the game, the last event of play that its boards have shown on this page, and everything else on them.
 * Other events, such as the registration of a key, replace the page too, and nothing lights up.
 */
let shown = { path: "", play: 0, marks: new Set() };

/** @param {HTMLElement} board */
export function drawChanges(board) {
  const game = /** @type {HTMLElement | null} */ (board.closest("#game"));
  const last = Number(game?.getAttribute("data-play"));
  if (!game || !last) return;
  if (shown.path !== location.pathname) shown = { path: location.pathname, play: last, marks: new Set() };
  const hasMoved = last > shown.play;
  shown.play = last;
  /** @type {NodeListOf<SVGElement>} */
  const elements = board.querySelectorAll(".map .arrows > g, .map [data-at]");
  /** @type {Element | null} */
  let changed = null;
  /** @type {SVGElement[]} */
  const changes = [];
  for (const element of elements) {
    const mark = markOf(element);
    if (hasMoved && !shown.marks.has(mark)) {
      changes.push(element);
      if (element.hasAttribute("data-at")) changed = element;
    }
    shown.marks.add(mark);
  }
  // Nothing moves on the first page that is shown, which does not load what moves things.
  if (changes.length) void import("./motion.js").then(({ draw }) => changes.forEach(draw));
  drawTable(game, hasMoved, changed);
}

/** @param {SVGElement} element @returns {string} what tells an arrow, or a hex in one state, from all others */
function markOf(element) {
  const at = element.getAttribute("data-at");
  return at ? `${at} ${element.getAttribute("aria-label")}` : element.innerHTML;
}

/** What the strips have shown last, by the address of the page. */
let table = { path: "", scores: new Map(), counts: new Map(), isTurn: false, isEnded: false };

/** @returns {boolean} */
export function prefersLessMotion() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/**
 * @param {HTMLElement} game
 * @param {boolean} hasMoved whether something has happened in the game since it was shown last
 * @param {Element | null} source where on the board that was
 */
function drawTable(game, hasMoved, source) {
  const before = table;
  const isKnown = before.path === location.pathname;
  table = read(game);
  const isTurnNew = table.isTurn && !(isKnown && before.isTurn);
  if (isTurnNew) game.querySelector(".strip.now.me")?.classList.add("is-new-turn");
  if (!isKnown) return;
  if (hasMoved) play(game.dataset.sound ?? "");
  if (table.isEnded && !before.isEnded) play("end");
  else if (isTurnNew) setTimeout(() => play("turn"), hasMoved ? SCORE_MILLISECONDS : 0);
  if (!hasMoved || prefersLessMotion()) return;
  const now = table;
  void import("./motion.js").then(({ count, fly }) => {
    for (const [strip, score] of now.scores)
      if (before.scores.has(strip)) count(partOf(game, strip, ".score"), before.scores.get(strip), score);
    for (const [name, number] of now.counts) {
      const [strip, kind] = name.split(" ");
      const icon = partOf(game, strip, `.counts-1 use[href="${kind}"]`)?.closest("svg");
      if (number > (before.counts.get(name) ?? 0) && before.scores.has(strip) && icon && source) fly(icon, source);
    }
  });
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
