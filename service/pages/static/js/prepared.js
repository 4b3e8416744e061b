// @ts-check
/**
 * Signs conditional actions that the page shows and that are not signed yet. What is signed is the root of a tree of
 * commitments (docs/formats.md), so that the record shows those that are played, and nothing of the others.
 */

import { canonical, toHex } from "./evidence.js";
import { deviceKey, sign } from "./proofs.js";
import { concat, fromHex, sha256, utf8 } from "./verify/crypto.js";

/** @typedef {{seat: number, action: object, outcome?: object, then?: Branch[]}} Branch */
/** @typedef {Omit<Branch, "then">} Step */

const SALT_BYTES = 32;
/** The commitments in the smallest tree. */
const LEAST_LEAVES = 256;

/** @param {HTMLElement} element */
export function start(element) {
  const form = /** @type {HTMLFormElement} */ (element);
  // Without a signature, everything works as well.
  send(form).catch(() => undefined);
}

/** @param {HTMLFormElement} form */
async function send(form) {
  const { account, game, head, keys = "", seat, branches = "[]" } = form.dataset;
  const key = await deviceKey(account);
  if (!key || !keys.split(" ").includes(key.id)) return;
  const salt = toHex(crypto.getRandomValues(new Uint8Array(SALT_BYTES)));
  const root = await rootOf([...ownSteps(JSON.parse(branches), Number(seat))], salt);
  const fields = new FormData(form);
  fields.set("salt", salt);
  fields.set("signature_key", key.id);
  fields.set("signature", await sign(key, { sign: "cartulary conditional actions v1", game, head, root }));
  const response = await fetch(form.action, { method: "POST", body: fields });
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const note = page.querySelector("[data-part=signed]");
  if (note && form.isConnected) form.replaceWith(note);
}

/**
 * @param {readonly Branch[]} branches
 * @param {number} seat
 * @param {readonly Step[]} [before]
 * @returns {Generator<Step[]>} the steps up to each action of the seat, in the order of the tree
 */
function* ownSteps(branches, seat, before = []) {
  for (const { then = [], ...step } of branches) {
    if (step.seat === seat) yield [...before, { seat, action: step.action }];
    yield* ownSteps(then, seat, [...before, step]);
  }
}

/**
 * @param {readonly Step[][]} lines
 * @param {string} salt in hexadecimal, as all hashes
 * @returns {Promise<string>} the root of the Merkle tree of the commitments
 */
async function rootOf(lines, salt) {
  const texts = [...new Set(lines.map(canonical))];
  let size = LEAST_LEAVES;
  while (size < texts.length) size *= 2;
  const numbers = [...Array(size).keys()];
  const salts = await Promise.all(numbers.map((leaf) => sha256(utf8(canonical({ leaf, salt })))));
  const commitments = await Promise.all(texts.map((text, leaf) => sha256(concat(salts[leaf], utf8(text)))));
  const leaves = [...commitments, ...salts.slice(texts.length)].map(toHex).sort();
  let level = await Promise.all(leaves.map((leaf) => sha256(concat([0], fromHex(leaf)))));
  while (level.length > 1) {
    const pairs = level.flatMap((left, at) => (at % 2 ? [] : [[left, level[at + 1]]]));
    level = await Promise.all(pairs.map(([left, right]) => sha256(concat([1], left, right))));
  }
  return toHex(level[0]);
}
