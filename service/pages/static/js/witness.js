// @ts-check
/**
 * Remembers the signed head of each game that this browser shows, and checks in the background that the
 * server never contradicts an earlier head. The checks are loaded when one is due.
 */

import { get, put } from "./evidence.js";

/** @import {ShownHead} from "./verify/types" */

const MILLISECONDS_BETWEEN_CHECKS = 60_000;

/** @param {HTMLElement} element */
export function start(element) {
  // Without a secure connection, browsers have no cryptography.
  if (!isSecureContext || !element.dataset.head) return undefined;
  const head = /** @type {ShownHead} */ (JSON.parse(element.dataset.head));
  const account = element.dataset.account ?? "";
  let timer = 0;

  async function checkWhenDue() {
    const wait = /** @type {number} */ ((await get("checkpoints", "checked")) ?? 0) + MILLISECONDS_BETWEEN_CHECKS - Date.now();
    if (!element.isConnected) return;
    // A clock that was set back must not delay the next check for long.
    if (wait > 0 && wait <= MILLISECONDS_BETWEEN_CHECKS) timer = window.setTimeout(() => quietly(checkWhenDue), wait);
    else {
      const { check } = await import("./witness/check.js");
      await check(account, head.game);
    }
  }

  quietly(async () => {
    await remember(account, head);
    await new Promise((resolve) => (window.requestIdleCallback ?? setTimeout)(resolve));
    await checkWhenDue();
  });
  return () => window.clearTimeout(timer);
}

/** @param {string} account @param {ShownHead} head */
async function remember(account, head) {
  const key = [account, head.game];
  const entry = (await get("heads", key)) ?? {};
  // Of two heads with one number, the first stays: the check has to compare the second with it.
  if (!(entry.seen?.seq >= head.seq) && !(entry.head?.seq >= head.seq)) await put("heads", key, { ...entry, seen: head });
}

/**
 * Run something that cannot succeed everywhere: a browser may refuse to store anything, and the server be unreachable.
 * @param {() => Promise<void>} action
 */
function quietly(action) {
  action().catch(() => {});
}
