// @ts-check
/** A page that is loaded again when the event stream of its game reports an event. */

import { waitForEndOfPress } from "./pointer-press.js";
import { waitForResponses } from "./pending-forms.js";

/** @param {HTMLElement} element */
export function start(element) {
  const { stream } = element.dataset;
  if (!stream) return undefined;
  const source = new EventSource(stream);
  const reload = async () => {
    source.close();
    do {
      await waitForEndOfPress();
      await waitForResponses();
      // The response to a form leads to another page, which shows the event.
      if (!element.isConnected) return;
      window.location.reload();
    } while (await isUsed());
  };
  source.onmessage = () => void reload();
  source.addEventListener("end", () => void reload());
  return () => source.close();
}

/**
 * Wait until the visitor presses something, or sends a form, on a page that is being loaded again, and keep the page: the
 * new one would swallow the click of the press, or a form that a script holds back.
 * @returns {Promise<boolean>} true; never, if the new page comes first
 */
function isUsed() {
  return new Promise((resolve) => {
    const used = new AbortController();
    for (const name of ["pointerdown", "submit"])
      window.addEventListener(
        name,
        () => {
          used.abort();
          window.stop();
          // All other listeners have heard of it by then.
          setTimeout(resolve, 0, true);
        },
        { capture: true, signal: used.signal },
      );
  });
}
