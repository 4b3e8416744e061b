// @ts-check
/**
 * The page of an event: arrow keys lead to other events, the graph of the scores is a slider over all of them, autoplay
 * shows one after the other, and a button copies the link to the event.
 *
 * Each event replaces a part of the page, so what must outlive it is kept in this module: whether autoplay is on, and
 * its speed. Autoplay goes on only on the page to which it has led itself.
 */

import { movePieces } from "./motion.js";
import { lightUpMoves } from "./board-marks.js";
import { putOnBoard } from "./board-parts.js";
import { announce, follow, followKeys } from "./event-navigation.js";

/** Milliseconds that autoplay shows an event for at least, where the visitor prefers less motion. */
const MIN_REDUCED_MOTION = 4000;

/** @type {{ game: string, isExpected: boolean } | undefined} */
let autoplay;
let speed = "";
/** The game and the event that were shown last. */
let shown = { game: "", seq: 0 };
/** The event to which the slider was moved, until it is shown. @type {string | undefined} */
let wanted;
/** What was open, and whether autoplay had the focus, when another event was about to be shown. */
let left = { sheet: "", isFocused: false };

/** @type {Record<string, string>} By key, the id of the link or button that it presses. */
const KEYS = {
  ArrowLeft: "replay-previous",
  ArrowRight: "replay-next",
  Home: "replay-first",
  End: "replay-last",
  " ": "autoplay",
};

/** @param {HTMLElement} step */
export function start(step) {
  const replay = /** @type {HTMLElement | null} */ (step.closest("#replay"));
  const game = replay?.dataset.game ?? "";
  const isContinued = autoplay?.isExpected === true && autoplay.game === game;
  autoplay = isContinued ? { game, isExpected: false } : undefined;
  showBoard(step, game);
  const ending = new AbortController();
  markMove(step, ending.signal);
  startSlider(step, ending.signal);
  startCopying(step);
  keepSheet(ending.signal);
  announce(step.dataset.announcement ?? "");
  const stopKeys = followKeys(KEYS, (key) => {
    if (key !== " ") autoplay = undefined;
  });
  const stopPlaying = startAutoplay(step, game);
  const stopLighting = replay ? lightUpMoves(replay) : () => {};
  return () => {
    ending.abort();
    stopKeys();
    stopPlaying();
    stopLighting();
  };
}

/**
 * Show the board that has come with the event. Pieces move along its arrows if the one before it was shown.
 * @param {HTMLElement} step @param {string} game
 */
function showBoard(step, game) {
  const seq = Number(step.dataset.seq);
  const isNext = step.querySelector("template") !== null && shown.game === game && shown.seq < seq;
  putOnBoard(step);
  if (isNext) movePieces(document.getElementById("board"));
  shown = { game, seq };
  // What is written beside the board is about this event, and leads back to it.
  for (const field of document.querySelectorAll("#side [data-next]")) field.setAttribute("value", `${game}?seq=${seq}`);
  document.querySelector("#side .about-move input")?.setAttribute("value", String(seq));
}

/**
 * Mark the row of the event and keep it in view. It is the only one that the Tab key reaches; the keys up and down lead to
 * the others.
 * @param {HTMLElement} step @param {AbortSignal} signal
 */
function markMove(step, signal) {
  const list = /** @type {HTMLElement | null} */ (document.querySelector("#replay .moves"));
  /** @type {HTMLElement[]} */
  const rows = [...(list?.querySelectorAll(".move") ?? [])].map((row) => /** @type {HTMLElement} */ (row));
  if (!list || !rows.length) return;
  const current = rows.find((row) => row.dataset.seq === step.dataset.move);
  for (const row of rows) {
    row.tabIndex = row === (current ?? rows[0]) ? 0 : -1;
    if (row !== current) row.removeAttribute("aria-current");
  }
  current?.setAttribute("aria-current", "step");
  keepInView(list, current);
  list.addEventListener(
    "keydown",
    (event) => {
      const distance = { ArrowUp: -1, ArrowDown: 1 }[event.key];
      const index = rows.findIndex((row) => row === document.activeElement);
      const next = distance === undefined || index < 0 ? undefined : rows[index + distance];
      if (!next) return;
      event.preventDefault();
      autoplay = undefined;
      next.focus({ preventScroll: true });
      next.click();
    },
    { signal },
  );
  // What opens the list on a low window.
  document.getElementById("side")?.addEventListener("toggle", () => keepInView(list, current), { signal });
}

/** @param {HTMLElement} list @param {HTMLElement | undefined} row */
function keepInView(list, row) {
  if (!row) return;
  const [frame, box] = [list.getBoundingClientRect(), row.getBoundingClientRect()];
  list.scrollTop += box.top - frame.top - (list.clientHeight - box.height) / 2;
}

/**
 * The slider leads to its event as it moves. While it is moved on, it stays where it is.
 * @param {HTMLElement} step @param {AbortSignal} signal
 */
function startSlider(step, signal) {
  const slider = /** @type {HTMLInputElement | null} */ (document.getElementById("replay-seq"));
  if (!slider) return;
  const { seq = "", announcement = "" } = step.dataset;
  if (wanted === undefined || wanted === seq) {
    wanted = undefined;
    slider.value = seq;
  }
  slider.setAttribute("value", seq);
  slider.setAttribute("aria-valuetext", announcement);
  slider.addEventListener(
    "input",
    () => {
      autoplay = undefined;
      wanted = slider.value;
      slider.form?.requestSubmit();
    },
    { signal },
  );
  slider.addEventListener("change", () => (wanted = undefined), { signal });
}

/**
 * A sheet that is open stays open with the next event.
 * @param {AbortSignal} signal
 */
function keepSheet(signal) {
  if (left.sheet) document.getElementById(left.sheet)?.showPopover();
  /** @param {Event} event */
  const keep = (event) => {
    // A sheet leads to another page too, which does not show it.
    if (/** @type {CustomEvent} */ (event).detail.target?.id !== "step") return;
    const sheet = document.querySelector("#step .sheet:popover-open")?.id ?? "";
    left = { sheet, isFocused: document.activeElement?.id === "autoplay" };
  };
  document.addEventListener("htmx:beforeSwap", keep, { signal });
}

/**
 * @param {HTMLElement} step
 * @param {string} game
 * @returns {() => void}
 */
function startAutoplay(step, game) {
  const button = /** @type {HTMLButtonElement | null} */ (step.querySelector("#autoplay"));
  const select = /** @type {HTMLSelectElement | null} */ (step.querySelector("#autoplay-speed"));
  if (!button || !select) return () => {};
  const next = document.getElementById("replay-next");
  const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  // htmx sets classes again after this.
  button.dataset.ready = "";
  select.closest("p")?.removeAttribute("hidden");
  if (speed) select.value = speed;

  function schedule() {
    window.clearTimeout(timer);
    if (!next) autoplay = undefined;
    const milliseconds = Math.max(Number(select?.value), reducedMotion.matches ? MIN_REDUCED_MOTION : 0);
    if (autoplay) timer = window.setTimeout(goOn, milliseconds);
    const label = (autoplay ? button?.dataset.pause : button?.dataset.play) ?? "";
    button?.setAttribute("aria-label", label);
    button?.setAttribute("title", label);
    button?.toggleAttribute("data-playing", autoplay !== undefined);
  }

  function goOn() {
    if (!autoplay) return;
    autoplay.isExpected = true;
    follow("replay-next");
  }

  button.addEventListener("click", () => {
    autoplay = autoplay ? undefined : { game, isExpected: false };
    schedule();
  });
  button.disabled = !next;
  select.addEventListener("change", () => {
    speed = select.value;
    schedule();
  });
  schedule();
  // The button was still hidden when the step was replaced.
  if (left.isFocused) button.focus({ preventScroll: true });
  left = { sheet: "", isFocused: false };
  return () => window.clearTimeout(timer);
}

/** @param {HTMLElement} step */
function startCopying(step) {
  const button = /** @type {HTMLButtonElement | null} */ (step.querySelector("#copy-permalink"));
  const field = /** @type {HTMLInputElement | null} */ (step.querySelector("#permalink"));
  // Browsers have a clipboard only on pages that came over TLS, or from this machine.
  if (!button || !field || !navigator.clipboard) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.clipboard.writeText(field.value).then(
      () => {
        button.textContent = button.dataset.copied ?? "";
      },
      () => field.select(),
    );
  });
}
