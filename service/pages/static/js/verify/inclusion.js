// @ts-check
// The proof in the header that the transparency log of the server contains a head of the game (docs/witnessing.md).

import { concat, fromBase64, fromHex, sha256, toHex, utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";
import { INCLUSION } from "./forms.js";

/** @import {Findings} from "./findings.js" */
/** @import {GameLog} from "./log.js" */
/** @import {Bytes, Header, Inclusion, ListedKey} from "./types" */

/** The characters of a note, the signatures under it and the lines after its root that are accepted. */
const [MAX_NOTE, MAX_SIGNATURES, MAX_EXTENSIONS] = [2 ** 18, 100, 16];

/** @param {Header} header @param {GameLog} log all events @param {Findings} findings */
export async function checkInclusion(header, log, findings) {
    if (header.inclusion === undefined) return;
    const { game, seq, hash, index, path, checkpoint } = /** @type {Inclusion} */ (/** @type {unknown} */ (header.inclusion));
    findings.examined.inclusion += 1;
    if (INCLUSION(header.inclusion, "")) return findings.broken("inclusion", "form", { line: 1 });
    const where = { line: 1, seq };
    if (game !== log.first?.game || hash !== log.hashes[seq - 1]) return findings.broken("inclusion", "event", where);
    const note = readNote(checkpoint);
    if (!note) return findings.broken("inclusion", "checkpoint", where);
    const leaf = await sha256(concat(Uint8Array.of(0), utf8(canonical({ game, hash, seq }))));
    const root = await rootOf(leaf, index, note.size, path.map(fromHex));
    if (!root || toHex(root) !== toHex(note.root)) return findings.broken("inclusion", "path", where);
    if (!(await hasEd25519())) findings.unknown("inclusion", "no-ed25519", where);
    else if (!(await isSignedByServer(note, header.keys))) findings.broken("inclusion", "signature", where);
}

/** @typedef {{name: string, bytes: Bytes}} NoteSignature its bytes are the id of the key, and the signature */
/** @typedef {{text: string, origin: string, size: number, root: Bytes, signatures: NoteSignature[]}} Note */

/** @param {string} checkpoint @returns {Note | null} a signed note of an origin, a number of entries and a root */
function readNote(checkpoint) {
    const end = checkpoint.lastIndexOf("\n\n");
    if (end < 0 || !checkpoint.endsWith("\n") || checkpoint.length > MAX_NOTE) return null;
    const text = checkpoint.slice(0, end + 1);
    const [origin = "", size = "", root = "", ...extensions] = text.slice(0, -1).split("\n");
    const rootBytes = fromBase64(root);
    const signatures = checkpoint.slice(end + 2, -1).split("\n").map(readSignature);
    const isValid =
        isKeyName(origin) &&
        /^(?:0|[1-9]\d{0,15})$/.test(size) &&
        Number.isSafeInteger(Number(size)) &&
        extensions.length <= MAX_EXTENSIONS &&
        !extensions.includes("") &&
        signatures.length <= MAX_SIGNATURES &&
        !/[\0-\t\v-\x1f]/.test(checkpoint);
    if (!isValid || rootBytes?.length !== 32 || signatures.includes(null)) return null;
    const read = /** @type {NoteSignature[]} */ (signatures);
    return { text, origin, size: Number(size), root: rootBytes, signatures: read };
}

/** @param {string} line @returns {NoteSignature | null} */
function readSignature(line) {
    const [dash, name = "", encoded = "", ...rest] = line.split(" ");
    const bytes = fromBase64(encoded);
    return dash === "—" && isKeyName(name) && bytes && bytes.length > 4 && !rest.length ? { name, bytes } : null;
}

/** @param {string} name */
const isKeyName = (name) => /^[^+\s]{1,200}$/u.test(name);

/** @param {Note} note @param {readonly ListedKey[]} keys @returns {Promise<boolean>} */
async function isSignedByServer(note, keys) {
    let isFound = false;
    for (const { public: publicKey } of keys) {
        const id = toHex(await sha256(concat(utf8(`${note.origin}\n`), Uint8Array.of(1), fromHex(publicKey)))).slice(0, 8);
        const line = note.signatures.find(({ name, bytes }) => name === note.origin && toHex(bytes.slice(0, 4)) === id);
        if (!line) continue;
        isFound = true;
        if (!(await isSigned(publicKey, utf8(note.text), toHex(line.bytes.slice(4))))) return false;
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
async function rootOf(leaf, index, size, path) {
    if (index >= size) return null;
    let [node, last, hash] = [index, size - 1, leaf];
    for (const sibling of path) {
        if (last === 0) return null;
        const isRight = node % 2 === 1 || node === last;
        hash = await sha256(concat(Uint8Array.of(1), ...(isRight ? [sibling, hash] : [hash, sibling])));
        while (isRight && node % 2 === 0 && node > 0) [node, last] = [node / 2, Math.floor(last / 2)];
        [node, last] = [Math.floor(node / 2), Math.floor(last / 2)];
    }
    return last === 0 ? hash : null;
}
