// @ts-check
/** What moves when something has happened: pieces along their arrows, tokens to their strip, scores to their new value. */

import { prefersLessMotion } from "./board-changes.js";

const MOVE_MILLISECONDS = 260;
const FADE_MILLISECONDS = 180;
const SCORE_MILLISECONDS = 400;
const TOKEN_MILLISECONDS = 320;
const EASE = "cubic-bezier(.2, .8, .3, 1)";

/** Draw an arrow or a hex that is new. @param {SVGElement} element */
export function draw(element) {
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

/** Count to a new value. @param {Element | null} element @param {number} from @param {number} to */
export function count(element, from, to) {
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
export function fly(icon, source) {
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
