// @ts-check
/**
 * Animates what has changed since the board was last shown: pieces move along their arrows, which grow, pieces that were
 * taken fade, and changed hexes light up. A page that is loaded draws nothing; visitors who prefer less motion see the
 * end of it at once.
 */

import { drawTable, prefersLessMotion } from "./table-changes.js";

const MOVE_MILLISECONDS = 260;
const FADE_MILLISECONDS = 180;
const EASE = "cubic-bezier(.2, .8, .3, 1)";

/**
 * The address of the game, the last event of play that its boards have shown on this page, and everything else on them.
 * Other events, such as the registration of a key, replace the page too, and nothing lights up.
 */
let shown = { path: "", play: 0, marks: new Set() };

/** @param {HTMLElement} board */
export function drawChanges(board) {
  const game = /** @type {HTMLElement | null} */ (board.closest("#game"));
  const play = Number(game?.getAttribute("data-play"));
  if (!game || !play) return;
  if (shown.path !== location.pathname) shown = { path: location.pathname, play, marks: new Set() };
  const hasMoved = play > shown.play;
  shown.play = play;
  /** @type {NodeListOf<SVGElement>} */
  const elements = board.querySelectorAll(".map .arrows > g, .map [data-at]");
  /** @type {Element | null} */
  let changed = null;
  for (const element of elements) {
    const mark = markOf(element);
    if (hasMoved && !shown.marks.has(mark)) {
      draw(element);
      if (element.hasAttribute("data-at")) changed = element;
    }
    shown.marks.add(mark);
  }
  drawTable(game, hasMoved, changed);
}

/** @param {SVGElement} element @returns {string} what tells an arrow, or a hex in one state, from all others */
function markOf(element) {
  const at = element.getAttribute("data-at");
  return at ? `${at} ${element.getAttribute("aria-label")}` : element.innerHTML;
}

/** @param {SVGElement} element */
function draw(element) {
  for (const path of element.querySelectorAll("path"))
    path.style.setProperty("--length", String(Math.ceil(path.getTotalLength())));
  element.classList.add("is-new");
  if (prefersLessMotion()) return;
  movePiece(element);
  for (const taken of element.querySelectorAll(".removed"))
    taken.animate({ opacity: [0, 1] }, { duration: FADE_MILLISECONDS, delay: MOVE_MILLISECONDS, fill: "backwards" });
}

/** Move the pieces of a board along its arrows. @param {Element | null} board */
export function movePieces(board) {
  /** @type {NodeListOf<SVGElement>} */
  const arrows = (board ?? document).querySelectorAll(".map .arrows > g");
  if (!prefersLessMotion()) for (const arrow of arrows) movePiece(arrow);
}

/** Move the piece of an arrow from the beginning of the arrow to its place. @param {SVGElement} arrow */
function movePiece(arrow) {
  const { from, to, seat } = arrow.dataset;
  const map = arrow.closest(".map");
  const [start, end] = [from, to].map((at) => map?.querySelector(`[data-at="${CSS.escape(at ?? "")}"]`));
  if (!(start instanceof SVGGraphicsElement) || !(end instanceof SVGGraphicsElement)) return;
  const pieces = [...end.children].filter((part) => {
    const drawing = part.matches("use") ? part : part.querySelector("use");
    return !part.classList.contains("removed") && drawing?.getAttribute("href")?.endsWith(`-${seat}`);
  });
  const [before, after] = [start, end].map((hex) => hex.transform.baseVal.consolidate()?.matrix);
  if (!before || !after) return;
  const way = `${before.e - after.e}px ${before.f - after.f}px`;
  pieces.at(-1)?.animate({ translate: [way, "0 0"] }, { duration: MOVE_MILLISECONDS, easing: EASE });
}
