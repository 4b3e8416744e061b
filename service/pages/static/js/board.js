// @ts-check
/**
 * The board of a game: arrow keys move the focus from hex to hex, and the map can be made larger and moved with
 * buttons, keys, the mouse and two fingers.
 */

const MAX_ZOOM = 6;
const STEP = 1.3;
const DIRECTIONS = new Map([
  ["ArrowLeft", { x: -1, y: 0 }],
  ["ArrowRight", { x: 1, y: 0 }],
  ["ArrowUp", { x: 0, y: -1 }],
  ["ArrowDown", { x: 0, y: 1 }],
]);

/** @param {HTMLElement} board */
export function start(board) {
  const area = /** @type {HTMLElement} */ (board.querySelector(".board-window"));
  const layers = /** @type {HTMLElement} */ (board.querySelector(".board-layers"));
  if (!area || !layers) return undefined;
  let zoom = 1;

  /** The board is as high as the rest of the window, below what is above it on the page. */
  function measure() {
    const above = Math.round(area.getBoundingClientRect().top + window.scrollY);
    area.style.setProperty("--above", `${above}px`);
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
  }

  measure();
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

  /** @param {WheelEvent} event */
  function onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const box = area.getBoundingClientRect();
    setZoom(zoom * STEP ** (-event.deltaY / 100), event.clientX - box.left, event.clientY - box.top);
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

  /** @param {PointerEvent} event */
  function onPointerUp(event) {
    pointers.delete(event.pointerId);
  }

  /** @param {MouseEvent} event */
  function onClick(event) {
    if (!isDragging) return;
    isDragging = false;
    event.preventDefault();
    event.stopPropagation();
  }

  const tools = /** @type {HTMLElement | null} */ (board.querySelector(".board-tools"));
  if (tools) {
    tools.hidden = false;
    tools.addEventListener("click", onToolClick);
  }
  area.addEventListener("keydown", onKeyDown);
  area.addEventListener("wheel", onWheel, { passive: false });
  area.addEventListener("pointerdown", onPointerDown);
  area.addEventListener("pointermove", onPointerMove);
  area.addEventListener("dragstart", (event) => event.preventDefault());
  area.addEventListener("click", onClick, true);
  window.addEventListener("pointerup", onPointerUp);
  window.addEventListener("pointercancel", onPointerUp);
  return () => {
    observer.disconnect();
    window.removeEventListener("pointerup", onPointerUp);
    window.removeEventListener("pointercancel", onPointerUp);
  };
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
