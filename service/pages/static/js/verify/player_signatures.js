// @ts-check
// The signatures of players: an action or a statement was signed with a key that its author had then, for this game and
// moment; and a conditional action is one of those that its player had signed.

import { canonical } from "./canonical.js";
import { concat, fromHex, hasEd25519, isPublicKey, isSigned, keyId, sha256, toHex, utf8 } from "./crypto.js";
import { rootOf } from "./transparency_log.js";
import { seatOf } from "./log.js";

/** @import {Context, Details, GameEvent, JsonObject, LoggedEvent, PlayerSignature, PreparedSignature} from "./types" */
/** @import {GameLog} from "./log.js" */

/** By the type of a statement, the fields of its data that are signed. @type {Record<string, string[]>} */
const STATED_FIELDS = {
  TakebackRequested: ["nonce"],
  TakebackAnswered: ["request", "agree", "nonce"],
  DisputeOpened: ["about", "nonce"],
  DisputeAnswered: ["dispute", "nonce"],
  DisputeWithdrawn: ["dispute"],
  RulingProposed: ["dispute", "ruling", "nonce"],
  DisputeRuled: ["dispute", "ruling", "nonce"],
  PauseAgreed: ["agree"],
  TimeGiven: ["to", "seconds"],
  SeatVacated: [],
  SubstituteSeated: ["seat"],
};

/** Events after which conditional actions stay as they are, although they have no action. */
const KEEPING_EVENTS = [
  "RoundScored",
  "PlayerKeyAdded",
  "PlayerKeyRevoked",
  "HolidayAnnounced",
  "HolidayCancelled",
  "PauseAgreed",
  "TimeGiven",
  "DeadlineExcused",
  "AdministratorDecided",
  "EventsLost",
  "HintGiven",
];
/** The most events between the one after which actions are prepared and one that plays one of them. */
const MAX_EVENTS_BETWEEN = 1000;

/** @param {GameEvent} event @param {number} line @param {Context} context with the events before */
export async function checkSignatures(event, line, { log, findings }) {
  const { signature, prepared } = event;
  const author = authorOf(event, log.players);
  if (signature ?? prepared) {
    findings.examined.signatures += 1;
    for (const signed of [signature, prepared]) {
      const problem = signed && (await problemOf(event, signed, author, log));
      if (problem) {
        const [code, details, verdict = "broken"] = problem;
        findings[verdict]("signatures", code, { line, seq: event.seq, key: signed.key, ...details });
      }
    }
  }
  if (author && !event.action) log.statements.set(author, event.seq);
}

/**
 * @param {GameEvent} event
 * @param {PlayerSignature | PreparedSignature} signed
 * @param {string | undefined} author
 * @param {GameLog} log
 * @returns {Promise<[code: string, details?: Details, verdict?: "unknown"] | null>} what is wrong with a signature
 */
async function problemOf(event, signed, author, log) {
  const { key: id, head, signature } = signed;
  if (!author) return ["no-action"];
  const key = log.keys.get(author)?.get(id);
  if (!key) return [key === null ? "key-revoked" : "key-not-added"];
  const seen = log.seqByHash.get(head);
  if (!seen) return ["history"];
  let signedPayload;
  if ("root" in signed) {
    if (!event.action || !event.conditional) return ["no-mark"];
    const steps = stepsTo(event, signed, log.events.slice(seen, seen + MAX_EVENTS_BETWEEN + 1));
    if (typeof steps === "number") return ["void", { seen, void: steps }];
    if (!(await isPrepared(signed, steps))) return ["not-prepared"];
    signedPayload = { sign: "cartulary conditional actions v1", game: event.game, head, root: signed.root };
  } else {
    const stated = log.statements.get(author) ?? 0;
    if (seen < log.playSeq) return ["moment", { seen, changed: log.playSeq }];
    if (seen < stated && !event.action) return ["statement", { seen, stated }];
    signedPayload = payload(event, head);
  }
  if (!(await hasEd25519)) return ["no-ed25519", {}, "unknown"];
  return (await isSigned(key, canonical(signedPayload), signature)) ? null : ["signature"];
}

/**
 * @param {GameEvent} event
 * @param {PreparedSignature} prepared
 * @param {readonly LoggedEvent[]} between the events since the one after which actions were prepared
 * @returns {JsonObject[] | number} the steps of conditional actions that lead to the event, or the seq of the first
 *   event that makes them void
 */
function stepsTo(event, { outcomes = [] }, between) {
  if (between.length > MAX_EVENTS_BETWEEN) return between[MAX_EVENTS_BETWEEN].seq;
  /** @type {JsonObject[]} */
  const steps = [];
  for (const other of between) {
    if (!other.action && KEEPING_EVENTS.includes(other.type)) continue;
    const outcome = outcomes[steps.length] ?? {};
    const isMet = Object.entries(outcome).every(([name, value]) => other.data?.[name] === value);
    if (!other.action || other.seat === undefined || !isMet) return other.seq;
    const step = { seat: other.seat, action: other.action };
    steps.push(Object.keys(outcome).length ? { ...step, outcome } : step);
  }
  const isInOneForm = outcomes.length === steps.length && outcomes.some((outcome) => Object.keys(outcome).length);
  if (outcomes.length && !isInOneForm) return event.seq;
  return [...steps, { seat: seatOf(event) ?? null, action: event.action }];
}

/** @param {PreparedSignature} prepared @param {JsonObject[]} steps */
async function isPrepared({ salt, index, path, root }, steps) {
  const commitment = await sha256(concat(fromHex(salt), utf8(canonical(steps))));
  const computed = await rootOf(await sha256(concat([0], commitment)), index, 2 ** path.length, path.map(fromHex));
  return computed !== null && toHex(computed) === root;
}

/**
 * @param {GameEvent} event
 * @param {readonly string[]} players by seat
 * @returns {string | undefined} the id of the person whose action or statement an event is
 */
function authorOf({ type, by, action, data }, players) {
  if (!action && !Object.hasOwn(STATED_FIELDS, type)) return undefined;
  if (by.seat !== undefined) return players[by.seat];
  if (by.player !== undefined) return type === "SubstituteSeated" ? by.player : undefined;
  return type === "DisputeRuled" && typeof data.arbiter === "string" ? data.arbiter : undefined;
}

/** @param {GameEvent} event @param {string} head */
function payload({ game, type, action, data, secrets }, head) {
  if (action) return { sign: "cartulary action v1", game, head, action };
  const stated = Object.fromEntries(STATED_FIELDS[type].filter((name) => name in data).map((name) => [name, data[name]]));
  const statement = { sign: "cartulary statement v1", game, head, type, data: stated };
  return secrets ? { ...statement, secrets } : statement;
}

/** Adds or revokes a key of a player, if an event does. @param {GameEvent} event @param {number} line @param {Context} context */
export async function changeKeys({ type, seq, data }, line, { log, findings }) {
  const isAdded = type === "PlayerKeyAdded";
  if (!isAdded && type !== "PlayerKeyRevoked") return;
  const keys = log.keys.get(data.player) ?? new Map();
  log.keys.set(data.player, keys.set(data.key, isAdded ? data.public : null));
  if (isAdded && (!isPublicKey(data.public) || (await keyId(data.public)) !== data.key))
    findings.broken("signatures", "key-id", { line, seq, key: data.key });
}
