// @ts-check
/**
 * The board of a game: arrow keys move the focus from hex to hex, the map can be made larger and moved with
 * buttons, keys, the mouse and two fingers, and hexes show their coordinates: the one under the pointer or with the
 * focus, and all of them if the visitor has switched them on.
 *
 * A page that replaces this one shows the same part of the board.
 */

import { lightUpMoves, showCoordinates, startMoveList } from "./board-marks.js";

const MAX_ZOOM = 6;
const STEP = 1.3;
/** Milliseconds without an event of the wheel after which the next one begins a new gesture. */
const GESTURE_PAUSE = 300;
/** The radius of a hex in the units of the map, and the width in pixels that its coordinates need. */
const RADIUS = 100;
const COORDINATES_WIDTH = 27;
const COORDINATES = "cartulary-coordinates";
const DIRECTIONS = new Map([
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
]);

/** What was shown of the board of a page. */
let shown = { page: "", zoom: 1, left: 0, top: 0 };

/** @param {HTMLElement} board */
export function start(board) {
  const area = /** @type {HTMLElement} */ (board.querySelector(".board-window"));
  const layers = /** @type {HTMLElement} */ (board.querySelector(".board-layers"));
  if (!area || !layers) return undefined;
  const page = location.pathname;
  // The table has a region for its board, whose size is that of the window.
  const isTable = board.closest(".table") !== null;
  let zoom = 1;

  /** The board is as high as the rest of the window, below what is above it while the page is not scrolled. */
  function measure() {
    // The next page has the same height above its board, before this script has started there.
    const above = area.getBoundingClientRect().top - displacement(area);
    if (!isTable) document.documentElement.style.setProperty("--above", `${Math.round(above)}px`);
    fitCoordinates();
  }

  /** Coordinates are as high on the screen at every size, and in every second hex where hexes are narrow. */
  function fitCoordinates() {
    const drawing = /** @type {SVGSVGElement | null} */ (layers.querySelector(".coordinates"));
    const scale = drawing?.getScreenCTM()?.a;
    if (!drawing || !scale) return;
    layers.style.setProperty("--unit", String(1 / scale));
    layers.classList.add("is-measured");
    drawing.classList.toggle("dense", Math.sqrt(3) * RADIUS * scale < COORDINATES_WIDTH);
  }

  /**
   * Set the zoom, and keep the point of the map at (x, y) of the window where it is.
   * @param {number} value @param {number} [x] @param {number} [y]
   */
  function setZoom(value, x = area.clientWidth / 2, y = area.clientHeight / 2) {
    const former = layers.clientWidth || 1;
    zoom = Math.min(MAX_ZOOM, Math.max(1, value));
    layers.style.width = `${zoom * 100}%`;
    layers.style.setProperty("--zoom", String(zoom));
    const factor = layers.clientWidth / former;
    area.scrollLeft = (area.scrollLeft + x) * factor - x;
    area.scrollTop = (area.scrollTop + y) * factor - y;
    area.classList.toggle("is-zoomed", zoom > 1);
    fitCoordinates();
    keep();
  }

  function keep() {
    shown = { page, zoom, left: area.scrollLeft, top: area.scrollTop };
  }

  measure();
  if (shown.page === page && shown.zoom > 1) {
    const { left, top } = shown;
    setZoom(shown.zoom);
    area.scrollTo(left, top);
  }
  // The board is fitted first; this module is loaded after it.
  void import("./board-changes.js").then(({ drawChanges }) => drawChanges(board));
  // What is above changes with the width of the window, and when a script adds a notice.
  const observer = new ResizeObserver(measure);
  observer.observe(document.body);

  /** @param {Event} event */
  function onToolClick(event) {
    const button = /** @type {HTMLElement} */ (event.target).closest("[data-zoom]");
    if (!button) return;
    const kind = button.getAttribute("data-zoom");
    setZoom(kind === "fit" ? 1 : kind === "in" ? zoom * STEP : zoom / STEP);
  }

  /** @param {KeyboardEvent} event */
  function onKeyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") setZoom(zoom * STEP);
    else if (event.key === "-") setZoom(zoom / STEP);
    else if (event.key === "0") setZoom(1);
    else {
      const direction = DIRECTIONS.get(event.key);
      const next = direction && neighbour(direction);
      if (!next) return;
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: "nearest", inline: "nearest" });
    }
    event.preventDefault();
  }

  /**
   * The hex that is nearest in a direction; the one in the middle while no hex has the focus.
   * @param {{ x: number, y: number }} direction
   * @returns {SVGElement | undefined}
   */
  function neighbour(direction) {
    const hexes = hexesOf(layers);
    const focused = hexes.find((hex) => hex === document.activeElement);
    const from = focused ?? area;
    const origin = middle(from);
    /** @type {[number, SVGElement | undefined]} */
    let best = [Infinity, undefined];
    for (const hex of hexes) {
      if (hex === focused) continue;
      const at = middle(hex);
      const x = at.x - origin.x;
      const y = at.y - origin.y;
      const ahead = x * direction.x + y * direction.y;
      const aside = Math.abs(x * direction.y) + Math.abs(y * direction.x);
      const distance = focused ? ahead + 2 * aside : Math.hypot(x, y);
      if ((!focused || ahead > 1) && distance < best[0]) best = [distance, hex];
    }
    return best[1];
  }

  /** Whether the gesture of the wheel that is going on changes the size of the board. */
  let isZooming = false;
  let lastWheel = -Infinity;

  /**
   * The wheel scrolls the page wherever that is possible, so that the board does not hold the reader up. It changes
   * the size of the board with Ctrl or Cmd, and for a board that is larger than its window, or a page that cannot be
   * scrolled in this direction. What a gesture has begun it goes on with.
   * @param {WheelEvent} event
   */
  function onWheel(event) {
    if (event.timeStamp - lastWheel > GESTURE_PAUSE) isZooming = zoom > 1 || !canScrollPage(event.deltaY);
    lastWheel = event.timeStamp;
    if (!isZooming && !event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = area.getBoundingClientRect();
    setZoom(zoom * STEP ** (-event.deltaY / 100), event.clientX - box.left, event.clientY - box.top);
  }

  /** @param {TouchEvent} event */
  function onTouchMove(event) {
    // Two fingers change the size of the board, and not that of the page.
    if (event.touches.length === 2) event.preventDefault();
  }

  /** @type {Map<number, PointerEvent>} */
  const pointers = new Map();
  let isDragging = false;

  /** @param {PointerEvent} event */
  function onPointerDown(event) {
    pointers.set(event.pointerId, event);
    isDragging = false;
  }

  /** @param {PointerEvent} event */
  function onPointerMove(event) {
    const before = pointers.get(event.pointerId);
    if (!before) return;
    if (pointers.size === 2) {
      const [other] = [...pointers.values()].filter((pointer) => pointer.pointerId !== event.pointerId);
      const former = Math.hypot(before.clientX - other.clientX, before.clientY - other.clientY);
      const now = Math.hypot(event.clientX - other.clientX, event.clientY - other.clientY);
      const box = area.getBoundingClientRect();
      const x = (event.clientX + other.clientX) / 2 - box.left;
      const y = (event.clientY + other.clientY) / 2 - box.top;
      if (former > 0) setZoom((zoom * now) / former, x, y);
      isDragging = true;
    } else if (event.pointerType === "mouse" && event.buttons === 1) {
      const x = event.clientX - before.clientX;
      const y = event.clientY - before.clientY;
      if (!isDragging && Math.hypot(x, y) < 5) return;
      isDragging = true;
      area.scrollLeft -= x;
      area.scrollTop -= y;
    }
    pointers.set(event.pointerId, event);
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    if (!isDragging) return;
    isDragging = false;
    event.preventDefault();
    event.stopPropagation();
  }

  /**
   * Show the coordinates of the hex with the focus, or else of that under the pointer.
   * @param {Event} event
   */
  function onAttention(event) {
    const target = event.type === "pointerleave" ? null : /** @type {Element} */ (event.target);
    const hasFocus = document.activeElement?.matches(":focus-visible");
    showCoordinates(layers, (hasFocus && hexOf(document.activeElement)) || hexOf(target));
  }

  /** @param {Element | null} element @returns {string | null | undefined} */
  function hexOf(element) {
    return element && layers.contains(element) ? element.closest("[data-at]")?.getAttribute("data-at") : null;
  }

  /** @type {NodeListOf<HTMLElement>} */
  const buttons = board.querySelectorAll("[data-zoom]");
  for (const button of buttons) button.hidden = false;
  board.querySelector(".board-tools")?.addEventListener("click", onToolClick);
  const coordinates = /** @type {HTMLInputElement | null} */ (board.querySelector(".show-coordinates"));
  if (coordinates) startSwitch(coordinates);
  for (const type of ["pointerover", "pointerleave", "focusin", "focusout"]) layers.addEventListener(type, onAttention);
  area.addEventListener("keydown", onKeyDown);
  area.addEventListener("scroll", keep);
  area.addEventListener("wheel", onWheel, { passive: false });
  area.addEventListener("touchmove", onTouchMove, { passive: false });
  area.addEventListener("pointerdown", onPointerDown);
  area.addEventListener("pointermove", onPointerMove);
  area.addEventListener("dragstart", (event) => event.preventDefault());
  area.addEventListener("click", onClick, true);
  const table = /** @type {HTMLElement | null} */ (board.closest(".table"));
  const stops = table ? [lightUpMoves(table), startMoveList(table)] : [];
  const ending = new AbortController();
  for (const type of ["pointerup", "pointercancel"])
    window.addEventListener(type, (event) => pointers.delete(/** @type {PointerEvent} */ (event).pointerId), { signal: ending.signal });
  return () => {
    observer.disconnect();
    ending.abort();
    for (const stop of stops) stop();
  };
}

/**
 * Return by how many pixels scrolling has moved an element down in the window, from its place on a page at its top.
 * An element within one that sticks to the window has moved less than the page has been scrolled.
 * @param {Element} element
 * @returns {number} 0 or less
 */
function displacement(element) {
  /** @type {Element | null} */
  let sticky = element;
  while (sticky && getComputedStyle(sticky).position !== "sticky") sticky = sticky.parentElement;
  const parent = sticky?.parentElement;
  // An element that sticks is at the top of its parent until the page is scrolled.
  const held = sticky && parent ? sticky.getBoundingClientRect().top - parent.getBoundingClientRect().top : 0;
  return held - window.scrollY;
}

/** @param {number} distance @returns {boolean} whether the page can be scrolled down, or up if it is negative */
function canScrollPage(distance) {
  const { scrollTop, scrollHeight, clientHeight } = document.documentElement;
  return distance < 0 ? scrollTop > 0 : scrollTop + clientHeight < scrollHeight - 1;
}

/**
 * The browser remembers whether coordinates are switched on.
 * @param {HTMLInputElement} coordinates
 */
function startSwitch(coordinates) {
  try {
    coordinates.checked = localStorage.getItem(COORDINATES) !== null;
  } catch {
    // This browser keeps nothing.
  }
  coordinates.addEventListener("change", () => {
    try {
      if (coordinates.checked) localStorage.setItem(COORDINATES, "1");
      else localStorage.removeItem(COORDINATES);
    } catch {
      // This browser keeps nothing.
    }
  });
}

/**
 * Every hex once: its link if it has one, and its drawing otherwise.
 * @param {HTMLElement} layers
 */
function hexesOf(layers) {
  /** @type {Map<string | null, SVGElement>} */
  const hexes = new Map();
  /** @type {NodeListOf<SVGElement>} */
  const elements = layers.querySelectorAll("[data-at]");
  for (const hex of elements) hexes.set(hex.getAttribute("data-at"), hex);
  return [...hexes.values()];
}

/** @param {Element} element */
function middle(element) {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2 };
}
