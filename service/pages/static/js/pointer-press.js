// @ts-check
/** Presses of the mouse, a finger or a pen. What is pressed must stay on the page until it has been clicked. */

/** Milliseconds after which a press counts as ended, even if its end was not reported. */
const MAX_PRESS = 5000;
/** Milliseconds from the end of a press to its click, at most: a browser may dispatch that of a finger later. */
const MAX_CLICK_DELAY = 50;

/** The expected time at which the last press and its click have ended. */
let endOfPress = 0;

/** @param {number} milliseconds */
function expectEnd(milliseconds) {
  endOfPress = Date.now() + milliseconds;
}

document.addEventListener("pointerdown", () => expectEnd(MAX_PRESS), { capture: true });
document.addEventListener("pointerup", () => expectEnd(MAX_CLICK_DELAY), { capture: true });
document.addEventListener("pointercancel", () => expectEnd(0), { capture: true });

/** Wait until the visitor presses nothing, and the click at the end of the last press has been dispatched. */
export async function waitForEndOfPress() {
  while (Date.now() < endOfPress) await new Promise((resolve) => setTimeout(resolve, MAX_CLICK_DELAY));
}
