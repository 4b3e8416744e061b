// @ts-check
/**
 * What a player can do now: the parts of the board that change with each choice, and the keys with which an action is
 * chosen: the number of a choice, Enter to confirm, Escape or Backspace to go back, arrows to go to the board, and ?
 * for the list of keys. The numbers are on the board once a key is used.
 */

import { showCoordinates } from "./board-marks.js";
import { putOnBoard } from "./board-parts.js";

const FIELDS = "input:not([type=checkbox]), textarea, select, [contenteditable], dialog";
const ACTIVATED_BY_ENTER = "a, button, summary, input";

/** The figures of a number so far. */
let typed = "";
/** The hex that was followed last. @type {string | null} */
let lastHex = null;
/** Whether the player has made a choice, and the page with its answer has not come yet. */
let hasChosen = false;
/** How the names begin under which the browser remembers that a type of action needs no confirmation. */
const AT_ONCE = "cartulary-at-once-";

/** @param {HTMLElement} acting */
export function start(acting) {
  typed = "";
  putOnBoard(acting);
  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    const target = /** @type {Element} */ (event.target);
    if (event.defaultPrevented || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest(FIELDS)) return;
    document.documentElement.classList.add("has-keyboard");
    if (press(acting, event.key, target)) event.preventDefault();
  }
  const ending = new AbortController();
  document.addEventListener("keydown", onKeyDown, { signal: ending.signal });
  document.addEventListener("pointerdown", hideNumbers, { signal: ending.signal });
  document.addEventListener("click", keepHex, { capture: true, signal: ending.signal });
  document.addEventListener("click", (event) => dropChoice(acting, event), { signal: ending.signal });
  showCoordinates(document, null);
  sendAtOnce(acting);
  document.addEventListener("click", keepChoice, { capture: true, signal: ending.signal });
  return () => ending.abort();
}

function hideNumbers() {
  document.documentElement.classList.remove("has-keyboard");
}

/** @param {Event} event */
function keepChoice(event) {
  const target = /** @type {Element} */ (event.target);
  if (target.closest("#acting a.choice, #board a.option")) hasChosen = true;
}

/**
 * Send what the player has just chosen, if it is an action for which they want no confirmation.
 * @param {HTMLElement} acting
 */
function sendAtOnce(acting) {
  /** @type {NodeListOf<HTMLElement>} */
  const labels = acting.querySelectorAll("label[data-at-once]");
  for (const label of labels) {
    const box = /** @type {HTMLInputElement} */ (label.querySelector("input"));
    const name = AT_ONCE + label.dataset.atOnce;
    label.hidden = false;
    box.checked = isKept(name);
    box.addEventListener("change", () => keep(name, box.checked));
  }
  const form = /** @type {HTMLFormElement | null} */ (acting.querySelector("form#confirm[data-at-once]"));
  if (form && hasChosen && isKept(AT_ONCE + form.dataset.atOnce))
    // The module of the form, which may sign it, starts first.
    setTimeout(() => form.isConnected && form.requestSubmit());
  hasChosen = false;
}

/** @param {string} name */
function isKept(name) {
  try {
    return localStorage.getItem(name) !== null;
  } catch {
    return false;
  }
}

/** @param {string} name @param {boolean} isOn */
function keep(name, isOn) {
  try {
    if (isOn) localStorage.setItem(name, "1");
    else localStorage.removeItem(name);
  } catch {
    // This browser keeps nothing.
  }
}

/** @param {Event} event */
function keepHex(event) {
  const target = /** @type {Element} */ (event.target);
  lastHex = target.closest("#board a[data-at]")?.getAttribute("data-at") ?? lastHex;
}

/**
 * A click on the board where nothing can be chosen takes back what the player has in hand.
 * @param {HTMLElement} acting @param {MouseEvent} event
 */
function dropChoice(acting, event) {
  const target = /** @type {Element} */ (event.target);
  if (!event.defaultPrevented && target.closest("#board .board-window") && !target.closest("a"))
    follow(acting.querySelector("#drop"));
}

/**
 * @param {HTMLElement} acting
 * @param {string} key
 * @param {Element} target the element that has the focus
 * @returns {boolean} whether the key means something here
 */
function press(acting, key, target) {
  if (/^\d$/.test(key)) return type(key);
  typed = "";
  if (key === "Enter") return !target.closest(ACTIVATED_BY_ENTER) && follow(acting.querySelector("#confirm button"));
  if (key === "Escape" || key === "Backspace") return follow(acting.querySelector("#back"));
  if (key === "?") return showKeys(acting);
  if (key.startsWith("Arrow") && target.closest("#acting")) return goToBoard();
  return false;
}

/** @param {string} figure */
function type(figure) {
  typed += figure;
  const found = document.querySelector(`[data-number="${typed}"]`);
  if (!found && !document.querySelector(`[data-number^="${typed}"]`)) typed = "";
  if (!found) return typed !== "";
  typed = "";
  return follow(found);
}

/**
 * Click on a link or a button, which may be in a picture.
 * @param {Element | null} element
 */
function follow(element) {
  element?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true }));
  return element !== null;
}

function goToBoard() {
  const links = [...document.querySelectorAll("#board a.option")];
  const last = lastHex && document.querySelector(`#board a[data-at="${CSS.escape(lastHex)}"]`);
  const hex = /** @type {SVGElement | undefined} */ (last || links[0]);
  hex?.focus({ preventScroll: true });
  return hex !== undefined;
}

/** @param {HTMLElement} acting */
function showKeys(acting) {
  const keys = acting.querySelector("details.keys");
  /** @type {HTMLElement | null} */ (acting.querySelector("#ways:not(:popover-open)"))?.showPopover();
  keys?.setAttribute("open", "");
  /** @type {HTMLElement | null | undefined} */ (keys?.querySelector("summary"))?.focus();
  return true;
}
