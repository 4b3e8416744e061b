// @ts-check
/**
 * What has happened since the player's last turn: arrow keys lead from event to event on the board.
 *
 * Each event replaces the page, and the focus stays here, so that the next key leads on.
 */

import { announce, followKeys } from "./event-navigation.js";

let isStepping = false;

/** @param {HTMLElement} recap */
export function start(recap) {
  announce(recap.dataset.announcement ?? "");
  const next = /** @type {HTMLElement | null} */ (recap.querySelector("#recap-next"));
  if (isStepping && !recap.contains(document.activeElement)) next?.focus({ preventScroll: true });
  isStepping = false;
  return followKeys({ ArrowLeft: "recap-previous", ArrowRight: "recap-next" }, () => (isStepping = true));
}
