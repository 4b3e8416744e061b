// @ts-check
/**
 * The page on which two people compare what their browsers saw of a game. The last signed head goes from one to the other
 * in the fragment of a link, which no browser sends to the server, or as a short code. All texts are in the page.
 */

import { get } from "./evidence.js";
import { report } from "./witness/check.js";
import { hashesUpTo, isShownBy, readContinuation, save, witnessFile } from "./witness/history.js";

/** @import {Continuation, ShownHead} from "./verify/types" */
/** @typedef {{seq: number, hash: string, head: ShownHead | null}} Claim what the other has seen; a code has no head and
 *     only the beginning of the hash */

const CODE_DIGITS = 32;
const LINK = /^(\d{1,15})\.([0-9a-f]{64})\.([0-9TZ:.-]{1,40})\.([0-9a-f]{16})\.([0-9a-f]{128})$/;
const CODE = new RegExp(`^(\\d{1,15})([0-9a-f]{${CODE_DIGITS}})$`);

/** @param {HTMLElement} root */
export function start(root) {
  const shown = /** @type {ShownHead} */ (JSON.parse(root.dataset.head ?? "null"));
  const { account = "" } = root.dataset;
  const form = /** @type {HTMLFormElement} */ (root.querySelector("form"));
  if (!isSecureContext || !shown) return undefined;

  /** @param {string} name @param {Record<string, number>} [values] */
  function say(name, values = {}) {
    const result = part(root, "result");
    const text = root.querySelector(`[data-result="${name}"]`)?.textContent ?? "";
    result.textContent = text.replace(/\{(\w+)\}/g, (place, value) => String(values[value] ?? place));
    result.classList.toggle("notice-error", name.startsWith("different"));
    result.classList.toggle("notice-good", name === "same");
    result.hidden = false;
  }

  /** @param {string} written a link or a code */
  async function compare(written) {
    const claim = parse(written, shown.game);
    if (!claim) return say("unreadable");
    const own = await remembered();
    const now = await readContinuation(shown.game, Math.min(own.seq, claim.seq)).catch(() => null);
    if (!now) return say("unreachable");
    const hashes = await hashesUpTo(now.events, now.head);
    const seen = hashes?.get(claim.seq);
    const isOwn = hashes?.get(own.seq) === own.hash;
    if (seen?.startsWith(claim.hash) && isOwn) return say("same", { seq: claim.seq });
    if (!claim.head || !(await isShownBy(claim.head, now.keys))) return say(claim.head ? "different-unsigned" : "different-code", { seq: claim.seq });
    await accuse(claim.head, seen === undefined && isOwn ? now.head : own, now);
    return say("different", { seq: Math.min(own.seq, claim.seq) });
  }

  /** @param {ShownHead} theirs @param {ShownHead} own @param {Continuation} now */
  async function accuse(theirs, own, { keys, events, head }) {
    const heads = [theirs, own, ...(own === head ? [] : [head])];
    const { game, seq } = theirs;
    await report(account, { kind: "differs", game, seq, last: own.seq, file: witnessFile(keys, { heads, events }) });
  }

  /** @returns {Promise<ShownHead>} the last head that this browser has seen */
  async function remembered() {
    const entry = await get("heads", [account, shown.game]).catch(() => undefined);
    return entry?.seen ?? entry?.head ?? shown;
  }

  async function showOwn() {
    const own = await remembered();
    const { seq, hash, shown_at, key, signature } = own;
    const link = new URL(`/games/${own.game}/witness`, location.href);
    link.hash = [seq, hash, shown_at, key, signature].join(".");
    const fields = /** @type {NodeListOf<HTMLInputElement>} */ (root.querySelectorAll("[data-part=link], [data-part=code]"));
    for (const field of fields)
      field.value = field.dataset.part === "link" ? link.href : `${seq} ${hash.slice(0, CODE_DIGITS).replace(/.{4}(?=.)/g, "$& ")}`;
    part(root, "save").onclick = async () => {
      const log = (await get("checkpoints", "log").catch(() => undefined)) ?? { keys: [], checkpoint: null };
      const checkpoints = log.checkpoint === null ? [] : [log.checkpoint];
      save(witnessFile(log.keys, { heads: [own], checkpoints }), `${own.game}.witness`);
    };
    root.hidden = false;
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    void compare(/** @type {HTMLInputElement} */ (form.querySelector("input")).value);
  });
  void showOwn();
  const fromLink = () => location.hash.length > CODE_DIGITS && void compare(location.href);
  fromLink();
  window.addEventListener("hashchange", fromLink);
  return () => window.removeEventListener("hashchange", fromLink);
}

/** @param {string} written @param {string} game @returns {Claim | null} */
function parse(written, game) {
  const code = CODE.exec(written.replace(/\s/g, ""));
  if (code) return { seq: Number(code[1]), hash: code[2], head: null };
  const [, id] = /\/games\/([^/?#]+)\/witness/.exec(written) ?? [];
  const link = LINK.exec(written.slice(written.indexOf("#") + 1).trim());
  if (!link || id !== game) return null;
  const [, seq, hash, shown_at, key, signature] = link;
  const head = { sign: "cartulary head v1", game, seq: Number(seq), hash, shown_at, key, signature };
  return { seq: Number(seq), hash, head };
}

/** @param {HTMLElement} element @param {string} name @returns {HTMLElement} */
const part = (element, name) => /** @type {HTMLElement} */ (element.querySelector(`[data-part="${name}"]`));
