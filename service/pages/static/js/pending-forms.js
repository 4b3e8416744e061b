// @ts-check
/** Forms that have been sent and not been answered yet. Until then, nothing may replace or reload their page. */

/** Milliseconds between two looks at whether the responses have come. */
const DELAY = 50;
/** Milliseconds after which a form that the browser sends by itself counts as answered, if the page is still there. */
const MAX_NAVIGATION = 15000;

/** The requests of htmx that have no response yet. */
let requests = 0;
/**
 * Until when the browser may be loading the response to a form. A visitor who has just pressed something before this script
 * ran may have sent one.
 */
let endOfNavigation = navigator.userActivation?.isActive ? Date.now() + MAX_NAVIGATION : 0;

document.addEventListener("htmx:beforeSend", () => (requests += 1));
document.addEventListener("htmx:afterRequest", () => (requests -= 1));
// The last listener knows whether a script sends the form instead.
window.addEventListener("submit", (event) => {
  if (!event.defaultPrevented) expectNavigation();
});
// Scripts and extensions can have the browser send a form without that event.
const navigation = /** @type {EventTarget | undefined} */ (/** @type {any} */ (window).navigation);
navigation?.addEventListener("navigate", (event) => {
  if (/** @type {any} */ (event).formData) expectNavigation();
});
// Otherwise, the page has just loaded completely, perhaps after a form was sent.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) endOfNavigation = 0;
});

function expectNavigation() {
  endOfNavigation = Date.now() + MAX_NAVIGATION;
}

/** @returns {boolean} whether a response is to come, or a script sends a form in parts or later (aria-busy) */
export function isSending() {
  return requests > 0 || Date.now() < endOfNavigation || document.querySelector("form[aria-busy=true]") !== null;
}

/** Wait until every form has been answered. The page may have been replaced then. */
export async function waitForResponses() {
  while (isSending()) await new Promise((resolve) => setTimeout(resolve, DELAY));
}
