// @ts-check
/** What pages share that lead from event to event: keys that follow links, and what screen readers announce. */

/**
 * Have keys follow links, except where these keys have another meaning.
 * @param {Record<string, string>} keys by key, the id of the link that it follows
 * @param {() => void} [onFollow] called before a link is followed
 * @returns {() => void} a function that ends it
 */
export function followKeys(keys, onFollow = () => {}) {
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const id = keys[event.key];
    if (!id || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // These keys have another meaning in fields, on the board, while one chooses, and in what scrolls.
    const target = /** @type {Element | null} */ (event.target);
    if (target?.closest("input, select, textarea, summary, [role='group'], [role='region'], svg, #acting")) return;
    event.preventDefault();
    onFollow();
    follow(id);
  }
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

/** @param {string} id of a link, which is followed if it is on the page */
export function follow(id) {
  const link = document.getElementById(id);
  if (link instanceof HTMLAnchorElement) link.click();
}

/**
 * Screen readers announce changes of an element that stays, so it stands outside of what is replaced.
 * @param {string} text
 */
export function announce(text) {
  let status = document.getElementById("step-status");
  if (!status) {
    status = document.createElement("div");
    status.id = "step-status";
    status.className = "visually-hidden";
    status.setAttribute("role", "status");
    document.body.append(status);
  }
  status.textContent = text;
}
