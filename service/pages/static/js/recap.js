// @ts-check
/** What has happened since the player's last turn: arrow keys lead from event to event on the board. */

import { announce, followKeys } from "./stepping.js";

/** @param {HTMLElement} recap */
export function start(recap) {
  announce(recap.dataset.announcement ?? "");
  return followKeys({ ArrowLeft: "recap-previous", ArrowRight: "recap-next" });
}
