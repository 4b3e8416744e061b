// @ts-check
/** A game that is shown as it is played: when the event stream reports an event, the part of the page is read again. */

import { followWhileShown, pageAt } from "./server.js";

const MILLISECONDS_BETWEEN_READS = 400;

/** @param {HTMLElement} figure */
export function start(figure) {
  const { board = "", stream } = figure.dataset;

  async function read() {
    const content = (await pageAt(board))?.querySelector("figure");
    if (content) figure.replaceChildren(...content.childNodes);
  }

  return stream ? followWhileShown(stream, read, MILLISECONDS_BETWEEN_READS) : undefined;
}
