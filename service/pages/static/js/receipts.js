// @ts-check
/** A link that saves the receipts that this browser keeps, in the form of docs/formats.md. */

import { all, canonical } from "./evidence.js";

/**
 * @param {string} [account]
 * @param {string} [game] all games without one
 * @returns {Promise<File | undefined>} a file with a receipt in each line; undefined if this browser keeps none
 */
export async function receiptFile(account = "", game) {
  const receipts = await all("receipts", game === undefined ? [account] : [account, game]).catch(() => []);
  const lines = receipts.map((receipt) => `${canonical({ receipt })}\n`);
  return lines.length ? new File(lines, "cartulary.receipts", { type: "application/x-ndjson" }) : undefined;
}

/** @param {HTMLElement} section */
export function start(section) {
  const { account } = section.dataset;
  /** @type {string | undefined} */
  let address;
  void receiptFile(account).then(async (file) => {
    const link = section.querySelector("a[download]");
    if (!file || !(link instanceof HTMLAnchorElement)) return;
    address = link.href = URL.createObjectURL(file);
    const count = section.querySelector("[data-part=count]");
    if (count) count.textContent = String((await all("receipts", [account ?? ""])).length);
    section.hidden = false;
  });
  return () => {
    if (address) URL.revokeObjectURL(address);
  };
}
