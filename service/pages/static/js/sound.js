// @ts-check
/** Whether a table makes sounds: they are off until the visitor switches them on, and the browser remembers that. */

const SWITCH = "cartulary-sound";

/** @returns {boolean} whether the visitor has switched sounds on */
function isOn() {
  try {
    return localStorage.getItem(SWITCH) === "on";
  } catch {
    return false;
  }
}

/** Make a sound, if sounds are on. @param {string} name */
export function play(name) {
  if (name && isOn() && !document.hidden) void import("./tones.js").then(({ make }) => make(name));
}

/**
 * The switch: its buttons have `data-sound`, "on" or "off".
 * @param {HTMLElement} element
 */
export function start(element) {
  /** @type {NodeListOf<HTMLElement>} */
  const buttons = element.querySelectorAll("[data-sound]");
  function show() {
    for (const button of buttons)
      if (button.dataset.sound === (isOn() ? "on" : "off")) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
  }
  /** @param {MouseEvent} event */
  function choose(event) {
    const button = /** @type {HTMLElement | null} */ (/** @type {Element} */ (event.target).closest("[data-sound]"));
    if (!button) return;
    try {
      localStorage.setItem(SWITCH, button.dataset.sound ?? "off");
    } catch {
      // This browser keeps nothing.
    }
    show();
    play("token");
  }
  element.hidden = false;
  element.addEventListener("click", choose);
  show();
  return () => element.removeEventListener("click", choose);
}
