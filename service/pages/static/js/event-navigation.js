// @ts-check
/**
 * What pages share that lead from event to event: keys that press links, and what screen readers announce. A recap starts
 * this module itself: arrow keys lead from event to event on the board. Each event replaces the page, and the focus stays
 * in the recap, so that the next key leads on.
 */

/**
 * Have keys press links and buttons, except where these keys have another meaning.
 * @param {Record<string, string>} keys by key, the id of the link or button that it presses
 * @param {(key: string) => void} [onFollow] called before
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
    if (event.key === " " && target?.closest("button")) return;
    event.preventDefault();
    onFollow(event.key);
    follow(id);
  }
  document.addEventListener("keydown", onKeyDown);
  return () => document.removeEventListener("keydown", onKeyDown);
}

/** @param {string} id of a link or a button, which is pressed if it is on the page */
export function follow(id) {
  document.getElementById(id)?.click();
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

let isStepping = false;

/** @param {HTMLElement} recap */
export function start(recap) {
  announce(recap.dataset.announcement ?? "");
  const next = /** @type {HTMLElement | null} */ (recap.querySelector("#recap-next"));
  if (isStepping && !recap.contains(document.activeElement)) next?.focus({ preventScroll: true });
  isStepping = false;
  return followKeys({ ArrowLeft: "recap-previous", ArrowRight: "recap-next" }, () => (isStepping = true));
}
