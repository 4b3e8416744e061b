// @ts-check
/** The page of keys: marks the key of this browser, and lets the browser make one where it has none that is valid. */

import { deviceKey, register } from "./proofs.js";

/** @param {HTMLElement} root */
export function start(root) {
  const element = document.getElementById("device-key");
  if (!element) return;

  async function show() {
    const isNew = await register(/** @type {HTMLElement} */ (element)).catch(() => false);
    const key = await deviceKey(root.dataset.account);
    if (!key) return reveal(root, "impossible");
    const row = /** @type {HTMLElement | null} */ (root.querySelector(`[data-key="${key.id}"]`));
    if (row) reveal(row, "current");
    else if (isNew) return location.reload();
    if (row && row.dataset.revoked === undefined) return;
    reveal(root, key.state === "refused" ? "refused" : "revoked");
    reveal(root, "again");
  }

  root.querySelector("[data-part=again] button")?.addEventListener("click", () => {
    void register(element, true).finally(() => location.reload());
  });
  void show();
}

/** @param {HTMLElement} root @param {string} name */
function reveal(root, name) {
  const part = root.querySelector(`[data-part=${name}]`);
  if (part instanceof HTMLElement) part.hidden = false;
}
