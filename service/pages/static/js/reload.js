// @ts-check
/** A page that is loaded again when the event stream of its game reports an event. */

import { waitForEndOfPress } from "./pointer.js";
import { waitForResponses } from "./sending.js";

/** @param {HTMLElement} element */
export function start(element) {
  const { stream } = element.dataset;
  if (!stream) return undefined;
  const source = new EventSource(stream);
  const reload = async () => {
    source.close();
    await waitForEndOfPress();
    await waitForResponses();
    // The response to a form leads to a page of its own, which shows the event.
    if (element.isConnected) window.location.reload();
  };
  source.onmessage = () => void reload();
  source.addEventListener("end", () => void reload());
  return () => source.close();
}
