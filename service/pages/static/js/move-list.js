// @ts-check
/** The list of moves is one stop of the Tab key: arrow keys lead from move to move, and Enter shows the board after it. */

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
