// @ts-check
// The proof in the header that the transparency log of the server contains a head of the game (docs/witnessing.md).

import { concat, fromBase64, fromHex, sha256, toHex, utf8 } from "./bytes.js";
import { canonical } from "./canonical.js";
import { hasEd25519, isSigned } from "./ed25519.js";

/** @typedef {import("./forms.js").Inclusion} Inclusion */
/** @typedef {import("./findings.js").Findings} Findings */
/** @typedef {import("./log.js").GameLog} GameLog */
/** @typedef {import("./server_keys.js").ServerKeys} ServerKeys */
/** @typedef {import("./bytes.js").Bytes} Bytes */

/** @param {Inclusion} inclusion @param {string} game @param {GameLog} log @param {ServerKeys} keys @param {Findings} findings */
export async function checkInclusion(inclusion, game, log, keys, findings) {
    const where = { line: 1, seq: inclusion.seq };
    findings.examined.inclusion += 1;
    if (inclusion.game !== game || inclusion.hash !== log.hashes[inclusion.seq - 1])
        return findings.broken("inclusion", "other-event", where);
    const note = readNote(inclusion.checkpoint);
    if (!note) return findings.broken("inclusion", "checkpoint-form", where);
    const entry = canonical({ game, hash: inclusion.hash, seq: inclusion.seq });
    const leaf = await sha256(concat(Uint8Array.of(0), utf8(entry)));
    const root = await rootOf(leaf, inclusion.index, note.size, inclusion.path.map(fromHex));
    if (!root || toHex(root) !== toHex(note.root)) return findings.broken("inclusion", "path", where);

    if (!(await hasEd25519())) return findings.unknown("inclusion", "no-ed25519", where);
    for (const key of keys.keys) {
        const id = await sha256(concat(utf8(`${note.origin}\n`), Uint8Array.of(1), fromHex(key.public)));
        const line = note.signatures.find(({ name, keyId }) => name === note.origin && keyId === toHex(id.slice(0, 4)));
        if (!line) continue;
        if (!(await isSigned(key.public, utf8(note.text), toHex(line.signature))))
            return findings.broken("inclusion", "signature", where);
        if (!key.isTrusted) findings.unknown("inclusion", "unknown-key", where);
        return;
    }
    findings.unknown("inclusion", "unknown-key", where);
}

/**
 * Reads a checkpoint: a signed note of an origin, a number of entries and a root.
 * @param {string} checkpoint
 */
function readNote(checkpoint) {
    const end = checkpoint.lastIndexOf("\n\n");
    if (end < 0 || !checkpoint.endsWith("\n")) return null;
    const text = checkpoint.slice(0, end + 1);
    const [origin = "", size = "", root = ""] = text.split("\n");
    const rootBytes = fromBase64(root);
    const signatures = checkpoint
        .slice(end + 2, -1)
        .split("\n")
        .map((line) => /^\u2014 ([^ +]+) (\S+)$/.exec(line))
        .map((match) => ({ name: match?.[1], bytes: fromBase64(match?.[2] ?? "") }));
    if (!origin || !/^(?:0|[1-9]\d{0,15})$/.test(size) || rootBytes?.length !== 32) return null;
    if (signatures.some(({ name, bytes }) => !name || !bytes || bytes.length <= 4)) return null;
    return {
        text,
        origin,
        size: Number(size),
        root: rootBytes,
        signatures: signatures.map(({ name, bytes = null }) => ({
            name,
            keyId: toHex((bytes ?? new Uint8Array()).slice(0, 4)),
            signature: (bytes ?? new Uint8Array()).slice(4),
        })),
    };
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
