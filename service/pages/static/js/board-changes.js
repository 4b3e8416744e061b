// @ts-check
/**
 * Animates what has changed since the board was last shown: new arrows grow, and changed hexes light up. A
 * page that is loaded draws nothing; style sheets leave the motion out for visitors who prefer less of it.
 */

/**
 * The address of the game, the last event of play that its boards have shown on this page, and everything else on them.
 * Other events, such as the registration of a key, replace the page too, and nothing lights up.
 */
let shown = { path: "", play: 0, marks: new Set() };

/** @param {HTMLElement} board */
export function drawChanges(board) {
  const play = Number(board.closest("#game")?.getAttribute("data-play"));
  if (!play) return;
  if (shown.path !== location.pathname) shown = { path: location.pathname, play, marks: new Set() };
  const hasMoved = play > shown.play;
  shown.play = play;
  /** @type {NodeListOf<SVGElement>} */
  const elements = board.querySelectorAll(".map .arrows > g, .map [data-at]");
  for (const element of elements) {
    const mark = markOf(element);
    if (hasMoved && !shown.marks.has(mark)) draw(element);
    shown.marks.add(mark);
  }
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
}
