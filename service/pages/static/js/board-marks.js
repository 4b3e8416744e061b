// @ts-check
/**
 * The list of moves as one stop of the Tab key, in which arrow keys lead from move to move and Enter shows the board after
 * it; and what the board shows while the reader attends to something: the hexes of a move while its row is pointed at or has
 * the focus (the row has them in `data-hexes`), and the coordinates of a hex.
 */

const LIT = "is-lit";
const MARKED = "is-marked";

/**
 * Show the coordinates of one hex, or else of the hex about which the page explains why it cannot be chosen.
 * @param {Element | Document} board @param {string | null | undefined} at
 */
export function showCoordinates(board, at) {
  const shown = at ?? document.getElementById("attempt")?.dataset.at;
  const texts = shown ? [...board.querySelectorAll(".coordinates text")] : [];
  const next = texts.find((text) => text.textContent?.replaceAll("\u2212", "-") === shown);
  const former = board.querySelector(`.coordinates .${MARKED}`);
  if (next === former) return;
  former?.classList.remove(MARKED);
  next?.classList.add(MARKED);
}

/** @param {HTMLElement} game @returns {() => void} what ends it */
export function lightUpMoves(game) {
  /** @param {Event} event */
  function onAttention(event) {
    const isOver = event.type === "pointerover" || event.type === "focusin";
    const row = isOver ? /** @type {Element} */ (event.target).closest("[data-hexes]") : null;
    light(game, row?.getAttribute("data-hexes")?.trim().split(" ") ?? []);
  }
  const ending = new AbortController();
  for (const type of ["pointerover", "pointerleave", "focusin", "focusout"])
    game.addEventListener(type, onAttention, { signal: ending.signal });
  return () => ending.abort();
}

/** @param {HTMLElement} game @param {string[]} hexes */
function light(game, hexes) {
  for (const lit of game.querySelectorAll(`.${LIT}`)) lit.classList.remove(LIT);
  if (!hexes.length) return;
  for (const hex of game.querySelectorAll(".map [data-at]"))
    if (hexes.includes(hex.getAttribute("data-at") ?? "")) hex.classList.add(LIT);
}

/** @param {HTMLElement} table @returns {() => void} what ends it */
export function startMoveList(table) {
  const list = /** @type {HTMLElement | null} */ (table.querySelector(".moves"));
  /** @type {HTMLElement[]} */
  const moves = [...(list?.querySelectorAll("a.move") ?? [])].filter((move) => move instanceof HTMLElement);
  for (const move of moves) move.tabIndex = -1;
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    const current = moves.findIndex((move) => move === document.activeElement);
    const next = event.key === "ArrowDown" ? current + 1 : current < 0 ? moves.length - 1 : current - 1;
    const move = moves[Math.min(Math.max(next, 0), moves.length - 1)];
    move?.focus({ preventScroll: true });
    move?.scrollIntoView({ block: "nearest" });
    event.preventDefault();
  }
  list?.addEventListener("keydown", onKeyDown);
  return () => list?.removeEventListener("keydown", onKeyDown);
}
