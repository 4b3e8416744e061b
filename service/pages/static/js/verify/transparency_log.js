// @ts-check
// Checkpoints of a transparency log, and the trees of its entries (docs/formats.md, docs/witnessing.md).

import { concat, fromBase64, fromHex, isSigned, sha256, toHex, utf8 } from "./crypto.js";

/** @import {Bytes, ListedKey} from "./types" */
/** @typedef {{name: string, bytes: Bytes}} NoteSignature its bytes are the id of the key, and the signature */
/** @typedef {{text: string, origin: string, size: number, root: Bytes, signatures: NoteSignature[]}} Note */

/** How long a note may be, and how many signatures under it and lines after its root are accepted. */
const [MAX_NOTE, MAX_SIGNATURES, MAX_EXTENSIONS] = [2 ** 18, 100, 16];

/** @param {string} checkpoint @returns {Note | null} a signed note of an origin, a number of entries and a root */
export function readNote(checkpoint) {
  const end = checkpoint.lastIndexOf("\n\n");
  if (end < 0 || !checkpoint.endsWith("\n") || checkpoint.length > MAX_NOTE) return null;
  const text = checkpoint.slice(0, end + 1);
  const [origin, size, root, ...extensions] = text.slice(0, -1).split("\n");
  const lines = checkpoint.slice(end + 2, -1).split("\n");
  const signatures = lines.map(readSignature).filter((signature) => signature !== null);
  const isValid =
    isKeyName(origin) &&
    /^(?:0|[1-9]\d{0,15})$/.test(size) &&
    Number.isSafeInteger(Number(size)) &&
    fromBase64(root).length === 32 &&
    extensions.length <= MAX_EXTENSIONS &&
    !extensions.includes("") &&
    signatures.length === lines.length &&
    lines.length <= MAX_SIGNATURES &&
    ![...checkpoint].some((character) => character < " " && character !== "\n");
  return isValid ? { text, origin, size: Number(size), root: fromBase64(root), signatures } : null;
}

/** @param {string} line @returns {NoteSignature | null} */
function readSignature(line) {
  const [dash, name, encoded, ...others] = line.split(" ");
  const bytes = fromBase64(encoded ?? "");
  return dash === "—" && isKeyName(name) && bytes.length > 4 && !others.length ? { name, bytes } : null;
}

/** @param {string} name */
const isKeyName = (name) => /^[^+\s]{1,200}$/u.test(name);

/** @param {Note} note @param {readonly ListedKey[]} keys @returns {Promise<boolean>} */
export async function isSignedByServer({ text, origin, signatures }, keys) {
  let isFound = false;
  for (const { public: key } of keys) {
    const id = toHex(await sha256(concat(utf8(`${origin}\n`), [1], fromHex(key)))).slice(0, 8);
    const signature = signatures.find(({ name, bytes }) => name === origin && toHex(bytes.slice(0, 4)) === id);
    if (!signature) continue;
    if (!(await isSigned(key, text, toHex(signature.bytes.slice(4))))) return false;
    isFound = true;
  }
  return isFound;
}

/**
 * Computes the root of a tree from an inclusion path (RFC 9162, section 2.1.3.2).
 * @param {Bytes} leaf the hash of the entry
 * @param {number} index
 * @param {number} size the number of entries
 * @param {readonly Bytes[]} path
 * @returns {Promise<Bytes | null>} null if the path does not have the length that belongs to the entry
 */
export async function rootOf(leaf, index, size, path) {
  if (index >= size) return null;
  let [node, last, hash] = [index, size - 1, leaf];
  for (const sibling of path) {
    if (last === 0) return null;
    const isRight = node % 2 === 1 || node === last;
    hash = await sha256(concat([1], ...(isRight ? [sibling, hash] : [hash, sibling])));
    while (isRight && node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 ? hash : null;
}

/**
 * Checks a consistency path (RFC 9162, section 2.1.4.2).
 * @param {number} first the number of entries of the smaller tree, at least 1
 * @param {number} second that of the larger one
 * @param {Bytes} firstRoot
 * @param {Bytes} secondRoot
 * @param {readonly Bytes[]} path
 * @returns {Promise<boolean>} whether the tree with the second root begins with the one with the first root
 */
export async function isConsistent(first, second, firstRoot, secondRoot, path) {
  let [node, last] = [first - 1, second - 1];
  while (node % 2 === 1) [node, last] = [(node - 1) / 2, Math.floor(last / 2)];
  // Where the smaller tree is complete, its own root begins the path.
  const [start, ...rest] = node === 0 ? [firstRoot, ...path] : path;
  if (start === undefined) return false;
  let [before, after] = [start, start];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      before = await sha256(concat([1], sibling, before));
      after = await sha256(concat([1], sibling, after));
      while (node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
    } else after = await sha256(concat([1], after, sibling));
    [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
  }
  return last === 0 && toHex(before) === toHex(firstRoot) && toHex(after) === toHex(secondRoot);
}
