// @ts-check
/**
 * The red bar that says on every page how the server has contradicted itself, until the visitor dismisses it. Its texts
 * are in the page; a name in braces in them is replaced by a value.
 */

import { all, put } from "./evidence.js";
import { save } from "./witness/history.js";

/** @import {Contradiction} from "./verify/types" */
/** @typedef {Contradiction & {key: IDBValidKey, isDismissed: boolean}} Stored */

/** Show the first contradiction that concerns this account and was not dismissed, or nothing. */
export async function show() {
  const bar = document.getElementById("contradiction");
  if (!bar) return;
  const account = bar.dataset.account ?? "";
  const stored = /** @type {Stored[]} */ (await all("contradictions"));
  const open = stored.filter(({ isDismissed }) => !isDismissed);
  if (!open.length) localStorage.removeItem("cartulary-contradiction");
  const first = open.find(({ game, key }) => game === null || /** @type {string[]} */ (key)[0] === account);
  bar.hidden = !first;
  if (first) fill(bar, first);
}

/** @param {HTMLElement} bar @param {Stored} contradiction */
function fill(bar, contradiction) {
  const { kind, game, seq, last, file } = contradiction;
  const name = kind === "unproven" && game === null ? "unproven-log" : kind;
  const template = bar.querySelector(`[data-kind="${name}"]`)?.textContent ?? "";
  const values = /** @type {Record<string, unknown>} */ ({ seq, last });
  part(bar, "sentence").textContent = template.replace(/\{(\w+)\}/g, (place, value) => String(values[value] ?? place));
  const link = /** @type {HTMLAnchorElement} */ (part(bar, "game"));
  link.hidden = game === null;
  link.href = `/games/${game}`;
  part(bar, "save").onclick = () => save(file, `${game ?? "log"}.${kind}.witness`);
  part(bar, "dismiss").onclick = async () => {
    await put("contradictions", /** @type {IDBValidKey} */ (contradiction.key), { ...contradiction, isDismissed: true });
    /** @type {HTMLDetailsElement | null} */ (bar.querySelector("details"))?.removeAttribute("open");
    await show();
  };
}

/** @param {HTMLElement} element @param {string} name @returns {HTMLElement} */
const part = (element, name) => /** @type {HTMLElement} */ (element.querySelector(`[data-part="${name}"]`));
