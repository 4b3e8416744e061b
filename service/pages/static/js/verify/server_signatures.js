// @ts-check
// What the server has signed: the head of the record, receipts for its events, and the log that contains its head.

import { canonical } from "./canonical.js";
import { concat, fromHex, hasEd25519, isSigned, keyId, sha256, toHex, utf8 } from "./crypto.js";
import { INCLUSION, RECEIPT } from "./forms.js";
import { isSignedByServer, readNote, rootOf } from "./transparency_log.js";

/** @import {Context, Inclusion, Json, KnownKey, Receipt, TrustedKey} from "./types" */

/** Later than every time. */
const NEVER = "~";

/**
 * Returns the keys that the reader trusts and those that the header lists, by id, each with the shorter of its periods
 * of validity. Checks that those in the header do not contradict themselves.
 * @param {readonly TrustedKey[]} trusted
 * @param {Context} context
 */
export async function serverKeys(trusted, { header, findings }) {
  /** @type {Map<string, KnownKey>} */
  const keys = new Map();
  for (const { public: bytes, from = "", until } of trusted)
    keys.set(await keyId(bytes), { public: bytes, from, until: until ?? NEVER, isListed: false, isTrusted: true, isRetired: false });
  for (const { key, public: bytes, from, until } of header.keys) {
    const known = keys.get(key);
    if (known?.isListed) findings.broken("head", "key-twice", { line: 1, key });
    if (until !== null && until < from) findings.broken("head", "key-times", { line: 1, key });
    if ((await keyId(bytes)) !== key) findings.broken("head", "key-id", { line: 1, key });
    else
      keys.set(key, {
        public: bytes,
        from: known && known.from > from ? known.from : from,
        until: [known?.until ?? NEVER, until ?? NEVER].sort()[0],
        isListed: true,
        isTrusted: known?.isTrusted ?? false,
        isRetired: until !== null,
      });
  }
  return keys;
}

/** Checks that the header names the last event, and that the server has signed it. @param {Context} context */
export async function checkHead({ header, log: { first, last }, keys, findings }) {
  if (!first || !last) return;
  const { signature, ...head } = header.head;
  const where = { line: 1, seq: head.seq, key: head.key };
  findings.examined.head += 1;
  if (last.seq !== head.seq) findings.broken("head", "seq", { ...where, last: last.seq });
  else if (last.hash !== head.hash) findings.broken("head", "hash", where);
  if (header.game !== first.game || header.rules !== first.data.rules) findings.broken("head", "game", where);

  const key = keys.get(head.key);
  if (!key?.isListed) return findings.broken("head", "key-not-listed", where);
  if (!(await hasEd25519)) return findings.unknown("head", "no-ed25519", where);
  if (!(await isSigned(key.public, canonical({ ...header, head }), signature)))
    return findings.broken("head", "signature", where);
  if (key.isRetired || last.at > key.until) findings.broken("head", "key-retired", where);
  if (!key.isTrusted) findings.unknown("head", "unknown-key", where);
}

/** @param {Json} value @param {number | undefined} line its line, if it is in the record @param {Context} context */
export async function checkReceipt(value, line, { log, keys, findings }) {
  findings.examined.receipts += 1;
  if (RECEIPT(value, "")) return findings.broken("receipts", "form", { line });
  const { signature, ...statement } = /** @type {Receipt} */ (/** @type {unknown} */ (value));
  const { game, seq, hash, at } = statement;
  const where = { line, seq, key: statement.key };
  const key = keys.get(statement.key);
  if (!key) return findings.broken("receipts", "key-not-listed", where);
  if (!(await hasEd25519)) return findings.unknown("receipts", "no-ed25519", where);
  if (!(await isSigned(key.public, canonical(statement), signature)))
    return findings.broken("receipts", "signature", where);
  if (game !== log.first?.game) return findings.broken("receipts", "game", where);
  const event = log.events[seq - 1];
  if (!event)
    return log.ending ? findings.broken("receipts", "omitted", where) : findings.unknown("receipts", "later", where);
  const isSame = game === event.game && seq === event.seq && hash === event.hash && at === event.at;
  if (!isSame) findings.broken("receipts", "event", where);
  else if (at < key.from || at > key.until) findings.broken("receipts", "key-period", where);
}

/**
 * Checks the proof in the header that the transparency log of the server contains a head of the game (docs/witnessing.md).
 * @param {Context} context
 */
export async function checkInclusion({ header: { inclusion, keys, head, log: logName }, keys: known, knownLog, log, findings }) {
  const remembered = known.get(head.key)?.isTrusted ? knownLog : null; // of another server, the reader knows no log
  if (inclusion === undefined) {
    if (logName ?? remembered) findings.unknown("inclusion", "missing", { line: 1 });
    return;
  }
  findings.examined.inclusion += 1;
  if (INCLUSION(inclusion, "")) return findings.broken("inclusion", "form", { line: 1 });
  const { game, seq, hash, index, path, checkpoint } = /** @type {Inclusion} */ (/** @type {unknown} */ (inclusion));
  const where = { line: 1, seq };
  if (game !== log.first?.game || hash !== log.events[seq - 1]?.hash) return findings.broken("inclusion", "event", where);
  const note = readNote(checkpoint);
  if (!note) return findings.broken("inclusion", "checkpoint", where);
  const leaf = await sha256(concat([0], utf8(canonical({ game, hash, seq }))));
  const root = await rootOf(leaf, index, note.size, path.map(fromHex));
  if (!root || toHex(root) !== toHex(note.root)) return findings.broken("inclusion", "path", where);
  if (!(await hasEd25519)) findings.unknown("inclusion", "no-ed25519", where);
  else if (!(await isSignedByServer(note, keys))) return findings.broken("inclusion", "signature", where);
  const names = { ...where, origin: note.origin, log: logName ?? remembered ?? "" };
  if (logName && note.origin !== logName) return findings.broken("inclusion", "other-log", names);
  if (remembered && note.origin !== remembered) findings.unknown("inclusion", "new-log", { ...names, log: remembered });
  if (seq < log.events.length && (logName ?? remembered)) findings.unknown("inclusion", "earlier", where);
}
