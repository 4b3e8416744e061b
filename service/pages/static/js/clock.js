// @ts-check
/** The time left until a deadline, which ticks: in days and hours, hours and minutes, seconds in the last minute. */

import { play } from "./sound.js";

const SECOND = 1000;
/** How long before the end of the viewer's time a sound says so. */
const WARNING = 10 * SECOND;

/** @param {HTMLElement} element with the milliseconds that were left when the page was made, and the texts */
export function start(element) {
  const { left = "0", templates = "{}" } = element.dataset;
  /** @type {Record<string, string>} */
  const texts = JSON.parse(templates);
  // Only the time since then is measured here, because the clock of the device may be wrong.
  const end = Date.now() + Number(left);
  /** @type {number | undefined} */
  let timer;
  let isWarned = Number(left) <= WARNING || !element.closest(".strip.me");

  /** @param {string} name @param {...(string | number)} values */
  function fill(name, ...values) {
    return values.reduce((text, value, place) => String(text).replace(`{${place}}`, String(value)), texts[name] ?? "");
  }

  function show() {
    const milliseconds = end - Date.now();
    const text = fill(milliseconds > 0 ? "left" : "late", duration(Math.abs(milliseconds)));
    if (element.textContent !== text) element.textContent = String(text);
    if (!isWarned && milliseconds <= WARNING) play("seconds");
    isWarned ||= milliseconds <= WARNING;
    timer = window.setTimeout(show, ((milliseconds % SECOND) + SECOND) % SECOND || SECOND);
  }

  /** @param {number} milliseconds */
  function duration(milliseconds) {
    const seconds = Math.floor(milliseconds / SECOND);
    const minutes = Math.floor(seconds / 60);
    const hours = Math.floor(minutes / 60);
    const days = Math.floor(hours / 24);
    if (days) return fill("days", days, hours % 24);
    if (hours) return fill("hours", hours, minutes % 60);
    return minutes ? fill("minutes", minutes) : fill("seconds", seconds);
  }

  show();
  return () => window.clearTimeout(timer);
}
