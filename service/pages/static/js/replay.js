// @ts-check
/**
 * The page of an event: arrow keys lead to other events, autoplay shows one after the other, and a button copies
 * the link to the event.
 *
 * Each event replaces the page, so what must outlive it is kept in this module: whether autoplay is on, and its
 * speed. Autoplay goes on only on the page to which it has led itself.
 */

import { announce, follow, followKeys } from "./event-navigation.js";

/** Milliseconds that autoplay shows an event for at least, where the visitor prefers less motion. */
const MIN_REDUCED_MOTION = 4000;

/** @type {{ game: string, isExpected: boolean } | undefined} */
let autoplay;
let speed = "";

/** @type {Record<string, string>} By key, the id of the link that it follows. */
const KEYS = {
  ArrowLeft: "replay-previous",
  ArrowRight: "replay-next",
  Home: "replay-first",
  End: "replay-last",
};

/** @param {HTMLElement} replay */
export function start(replay) {
  const game = replay.dataset.game ?? "";
  const isContinued = autoplay?.isExpected === true && autoplay.game === game;
  autoplay = isContinued ? { game, isExpected: false } : undefined;
  const stopKeys = followKeys(KEYS, () => (autoplay = undefined));
  const stopPlaying = startAutoplay(replay, game);
  startSlider(replay);
  startCopying(replay);
  announce(replay.dataset.announcement ?? "");
  return () => {
    stopKeys();
    stopPlaying();
  };
}

/**
 * @param {HTMLElement} replay
 * @param {string} game
 * @returns {() => void}
 */
function startAutoplay(replay, game) {
  const controls = /** @type {HTMLElement | null} */ (replay.querySelector(".autoplay"));
  const button = /** @type {HTMLButtonElement | null} */ (replay.querySelector("#autoplay"));
  const select = /** @type {HTMLSelectElement | null} */ (replay.querySelector("#autoplay-speed"));
  if (!controls || !button || !select) return () => {};
  const next = document.getElementById("replay-next");
  const reducedMotion = window.matchMedia("(prefers-reduced-motion: reduce)");
  let timer = 0;
  controls.hidden = false;
  if (speed) select.value = speed;

  function schedule() {
    window.clearTimeout(timer);
    if (!next) autoplay = undefined;
    if (autoplay) timer = window.setTimeout(step, Math.max(Number(select?.value), reducedMotion.matches ? MIN_REDUCED_MOTION : 0));
    if (button) button.textContent = (autoplay ? button.dataset.pause : button.dataset.play) ?? "";
    button?.setAttribute("aria-pressed", String(autoplay !== undefined));
  }

  function step() {
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
  // The focus was on the button, which was still hidden when the page was replaced.
  if (autoplay && !document.activeElement?.closest("input, select, textarea, a")) button.focus({ preventScroll: true });
  return () => window.clearTimeout(timer);
}

/**
 * The slider leads to its event when it is let go; before that, the number beside it changes with it.
 * @param {HTMLElement} replay
 */
function startSlider(replay) {
  const slider = /** @type {HTMLInputElement | null} */ (replay.querySelector("#replay-seq"));
  const output = replay.querySelector("output");
  slider?.addEventListener("input", () => {
    if (output) output.textContent = slider.value;
  });
  slider?.addEventListener("change", () => {
    autoplay = undefined;
    slider.form?.requestSubmit();
  });
}

/** @param {HTMLElement} replay */
function startCopying(replay) {
  const button = /** @type {HTMLButtonElement | null} */ (replay.querySelector("#copy-permalink"));
  const field = /** @type {HTMLInputElement | null} */ (replay.querySelector("#permalink"));
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
