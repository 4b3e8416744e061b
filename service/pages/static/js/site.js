// @ts-check
/**
 * What every page needs: the modules for its parts, a notice while the server cannot be reached, links in
 * pictures that are followed without loading the whole page, the way back to a page after logging in, and the
 * visitor's time zone.
 *
 * An element with `data-module="NAME"` is given to `start(element)` of `./NAME.js` when it appears on the page.
 * `start` may return a function, which is called when the element has left the page. `data-started` marks an element
 * whose module has started.
 */

import { isSending } from "./pending-forms.js";
import { showReachable } from "./server.js";

/** @typedef {{ start: (element: HTMLElement) => (() => void) | void }} PageModule */

/** @type {Map<HTMLElement, (() => void) | void>} */
const started = new Map();

/** The modules that have been loaded, by their names. @type {Map<string | undefined, PageModule>} */
const modules = new Map();

/** The elements whose modules are being loaded. @type {Map<EventTarget | null, Promise<void>>} */
const loading = new Map();

function startModules() {
  for (const [element, stop] of started) {
    if (!element.isConnected) {
      started.delete(element);
      if (stop) stop();
    }
  }
  /** @type {NodeListOf<HTMLElement>} */
  const elements = document.querySelectorAll("[data-module]");
  for (const element of elements) {
    if (started.has(element)) continue;
    const module = modules.get(element.dataset.module);
    // Immediately, so that no event after the replacement of a part of the page is missed.
    if (module) startModule(element, module);
    else
      loading.set(
        element,
        loadModule(element).finally(() => loading.delete(element)),
      );
  }
}

/** @param {HTMLElement} element */
async function loadModule(element) {
  started.set(element, undefined);
  /** @type {PageModule} */
  let module;
  try {
    module = await import(`./${element.dataset.module}.js`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The server cannot be reached. The module is loaded when the page changes next.
    started.delete(element);
    showReachable(false);
    return;
  }
  modules.set(element.dataset.module, module);
  if (element.isConnected) startModule(element, module);
}

/**
 * @param {HTMLElement} element
 * @param {PageModule} module
 */
function startModule(element, module) {
  started.set(element, module.start(element));
  element.dataset.started = "";
}

/**
 * Hold a form back until its module has started, which may add something to what is sent.
 * @param {SubmitEvent} event
 */
function holdForm(event) {
  const form = /** @type {HTMLFormElement} */ (event.target);
  const module = loading.get(form);
  if (!module) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  form.setAttribute("aria-busy", "true");
  const send = () => {
    form.removeAttribute("aria-busy");
    if (form.isConnected) form.requestSubmit(event.submitter);
  };
  void module.finally(() => setTimeout(send));
}

/** Put the focus where the reader goes on, if the element that had it has been replaced. */
function restoreFocus() {
  if (document.activeElement && document.activeElement !== document.body) return;
  /** @type {HTMLElement | null} */
  const next =
    document.querySelector("#confirm button") ?? document.querySelector("#question") ?? document.getElementById("page");
  next?.focus({ preventScroll: true });
}

/**
 * Show the place on the new page that the address of the link names, such as a clause of the rules.
 * @param {Event} event
 */
function showPlace(event) {
  const anchor = /** @type {CustomEvent} */ (event).detail.pathInfo?.anchor;
  const place = anchor ? document.getElementById(decodeURIComponent(anchor)) : null;
  if (!place) return;
  if (!place.hasAttribute("tabindex")) place.setAttribute("tabindex", "-1");
  // htmx scrolls to the top of the page after this event.
  setTimeout(() => {
    place.scrollIntoView();
    place.focus({ preventScroll: true });
  });
}

/**
 * Follow a link in a picture as htmx follows the other links of the page.
 * @param {MouseEvent} event
 */
function followPictureLink(event) {
  const target = /** @type {Element | null} */ (event.target);
  const link = target?.closest("svg a[href]");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const container = document.querySelector("[data-picture-links]") ?? link.closest("[hx-boost]");
  const htmx = /** @type {any} */ (window).htmx;
  if (!container || !htmx) return;
  event.preventDefault();
  const anchor = document.createElement("a");
  anchor.href = link.getAttribute("href") ?? "";
  anchor.hidden = true;
  container.append(anchor);
  htmx.process(anchor);
  anchor.click();
}

/** The page that was loaded, to which what stands outside of #page belongs. */
const loadedPage = location.pathname + location.search;

/**
 * Return the address to which a link or a field with the attribute `data-return` leads back. The server knows
 * neither the fragment nor, outside of #page, which page htmx has shown since.
 * @param {Element} element
 * @param {string} given
 */
function returnAddress(element, given) {
  const page = location.pathname + location.search;
  const address = page === loadedPage || element.closest("#page") ? given : page;
  return address.includes("#") ? address : address + location.hash;
}

/**
 * Complete the address to which a link or a form leads back, before it is used.
 * @param {Event} event
 */
function setReturnAddress(event) {
  const target = /** @type {Element | null} */ (event.target);
  const link = target?.closest("a[data-return]");
  if (link instanceof HTMLAnchorElement) {
    const address = new URL(link.href);
    address.searchParams.set("next", returnAddress(link, address.searchParams.get("next") ?? "/"));
    link.href = address.href;
  }
  const field = event.type === "submit" ? target?.querySelector("input[data-return]") : null;
  if (field instanceof HTMLInputElement) field.value = returnAddress(field, field.value);
}

for (const name of ["click", "auxclick", "submit"]) {
  document.addEventListener(name, setReturnAddress, { capture: true });
}

/** Keep the time zone of the browser in a cookie, so that the server can show times in it. */
function keepTimeZone() {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const secure = location.protocol === "https:" ? "; Secure" : "";
  if (!zone) return;
  document.cookie = `cartulary-time-zone=${zone}; Path=/; Max-Age=31536000; SameSite=Lax${secure}`;
  if ("zoneUnknown" in document.body.dataset) showTimesIn(zone);
}

/**
 * Show the times of the page in a time zone, as the server shows them on the next page.
 * @param {string} zone
 */
function showTimesIn(zone) {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = document.querySelectorAll("time[datetime*=T]:not([data-relative])");
  const language = document.documentElement.lang;
  const hour = hourFormat(language);
  for (const time of times) {
    /** @type {Intl.DateTimeFormatOptions} */
    const options = {
      timeZone: zone,
      ...{ weekday: "short", year: "numeric", month: "short", day: "numeric" },
      ...{ hour, minute: "2-digit" },
      ...("exact" in time.dataset ? { second: "2-digit", fractionalSecondDigits: 3 } : {}),
    };
    const format = new Intl.DateTimeFormat(language, options);
    time.textContent = `${format.format(new Date(time.dateTime))} (${zone})`;
  }
}

/**
 * Return how a language writes the hours before ten: French "09:15", Spanish "9:15". Given a weekday and the like,
 * Intl writes an hour exactly as asked for, and does not follow the language.
 * @param {string} language
 * @returns {"2-digit" | "numeric"}
 */
function hourFormat(language) {
  const format = new Intl.DateTimeFormat(language, { timeStyle: "short", timeZone: "UTC" });
  const hour = format.formatToParts(new Date(9 * 3_600_000)).find(({ type }) => type === "hour");
  return hour?.value.length === 2 ? "2-digit" : "numeric";
}

/** Say how the server has contradicted itself, if this browser has found out (witness.js). */
async function showContradiction() {
  try {
    if (localStorage.getItem("cartulary-contradiction")) await (await import("./contradiction.js")).show();
  } catch {
    // This browser stores nothing, or the server cannot be reached.
  }
}

/** Let the site be installed, once the page has been shown. */
async function install() {
  try {
    const { register, showTurns } = await import("./install.js");
    await register();
    for (const name of ["htmx:afterSwap", "visibilitychange"])
      document.addEventListener(name, () => void showTurns().catch(() => {}));
    await showTurns();
  } catch {
    // The browser keeps nothing, as in a private window, or the server cannot be reached.
  }
}

const MILLISECONDS_BETWEEN_TRIALS = 5000;

/** Load a page that the service worker has kept again, as soon as the server can be reached. */
async function replaceKeptPage() {
  if (!document.querySelector("#kept-page:not([hidden])")) return;
  try {
    if ((await fetch("/turns")).ok && !isSending()) location.reload();
  } catch {
    // It is tried again.
  }
}

// For browsers without the media feature `scripting`.
document.documentElement.classList.add("has-scripts");
keepTimeZone();
document.addEventListener("submit", holdForm, { capture: true });
void showContradiction();
document.addEventListener("click", followPictureLink);
document.addEventListener("htmx:afterSwap", startModules);
document.addEventListener("htmx:afterSettle", restoreFocus);
document.addEventListener("htmx:afterSettle", showPlace);
document.addEventListener("htmx:historyRestore", startModules);
document.addEventListener("htmx:sendError", () => showReachable(false));
document.addEventListener("htmx:timeout", () => showReachable(false));
document.addEventListener("htmx:afterOnLoad", () => showReachable(true));
window.addEventListener("online", () => showReachable(true));
window.addEventListener("online", replaceKeptPage);
setInterval(replaceKeptPage, MILLISECONDS_BETWEEN_TRIALS);
window.addEventListener("load", () => void install());
startModules();
