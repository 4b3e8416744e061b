// @ts-check
// The proof in the header that the transparency log of the server contains a head of the game (docs/witnessing.md).

import { canonical } from "./canonical.js";
import { concat, fromHex, hasEd25519, sha256, toHex, utf8 } from "./crypto.js";
import { INCLUSION } from "./forms.js";
import { isSignedByServer, readNote, rootOf } from "./transparency_log.js";

/** @import {Context, Inclusion} from "./types" */

/** @param {Context} context */
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
