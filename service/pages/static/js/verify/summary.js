// @ts-check
// What was found as a person would say it: the topics of the open questions, and who may have evidence. It follows from the
// findings and from nothing else, so that it cannot contradict them. The sentences are in the page
// (service/pages/view_models/verifier_texts.py), which has them from the audit (replay/audit/summary.py).

/** @import {Basis, CheckName, Finding, Responsible, Summary, Topic} from "./types" */

/** The topics, in the order in which they are named. @type {readonly Topic[]} */
const TOPICS = ["copy", "key", "history", "draws", "redraws", "later", "signatures", "progress", "program", "browser"];
/** The topics of open questions that have the same code in several checks. @type {Record<string, Topic | undefined>} */
const TOPIC_OF_CODE = {
  "unreadable": "copy",
  "no-ed25519": "browser",
  "in-progress": "progress",
  "new-draws": "redraws",
  "new-draws-nonce": "redraws",
};
/** The topics of the other open questions, by check. @type {Record<CheckName, Topic>} */
const TOPIC_OF_CHECK = {
  form: "program",
  chain: "copy",
  head: "key",
  secrets: "progress",
  chance: "draws",
  signatures: "signatures",
  receipts: "later",
  inclusion: "history",
};
/**
 * What shows a fault, by its check and code; the header and the events show those that are not here. From this follows
 * who answers for it (replay/audit/responsibility.py).
 * @type {Record<string, Basis | undefined>}
 */
const BASES = {
  "chain prev": "links",
  "chain hash": "links",
  "secrets no-commitment": "unsigned",
  "secrets value": "unsigned",
  "secrets not-opened": "unsigned",
  "receipts form": "unsigned",
  "receipts key-not-listed": "unsigned",
  "receipts signature": "unsigned",
  "receipts game": "unsigned",
  "receipts key-period": "unsigned",
  "receipts event": "receipt",
  "receipts omitted": "receipt",
  "chance sent-commitment": "own",
  "chance sent-nonce": "own",
  "chance sent-nonce-unconfirmed": "own",
};
/** The topics of questions that a receipt can decide. */
const BY_RECEIPT = ["history", "later"];
/** How many people are named. */
const MAX_NAMED = 8;

/**
 * @param {readonly Finding[]} findings
 * @param {import("./log.js").GameLog} log
 * @returns {Summary}
 */
export function summaryOf(findings, { actions, signed, lastActions }) {
  const faults = findings.filter(({ verdict }) => verdict === "broken");
  const open = findings.filter(({ verdict }) => verdict === "unknown");
  const topics = new Set(open.map(({ check, code }) => TOPIC_OF_CODE[code] ?? TOPIC_OF_CHECK[check]));
  const after = Math.min(...open.filter(({ code }) => code === "earlier").map(({ details }) => details.seq ?? 0));
  const receipts = [...lastActions].map(([player, seq]) => ({ player, seq })).sort((one, other) => other.seq - one.seq);
  const isDecidedByReceipt = BY_RECEIPT.some((topic) => topics.has(/** @type {Topic} */ (topic)));
  const fault = faults.sort((one, other) => lineOf(one) - lineOf(other))[0] ?? null;
  const isSound = !faults.length && !open.length;
  return {
    fault,
    seq: (fault?.details.line !== 1 && fault?.details.seq) || null, // a fault of the header is at no event
    responsible: fault && responsible(fault, faults, !findings.some(({ check }) => check === "head")),
    topics: TOPICS.filter((topic) => topics.has(topic)),
    actions,
    signed,
    holders: (isSound ? signed < actions : isDecidedByReceipt)
      ? receipts.filter(({ seq }) => after === Infinity || seq > after).slice(0, MAX_NAMED)
      : [],
    copies: topics.has("copy") ? receipts.slice(0, MAX_NAMED).map(({ player }) => player) : [],
  };
}

/** @param {Finding} finding @returns {Basis} what shows it */
export const basisOf = ({ check, code }) => (check === "form" ? "unsigned" : (BASES[`${check} ${code}`] ?? "record"));

/**
 * @param {Finding} fault the first one
 * @param {readonly Finding[]} faults all of them
 * @param {boolean} hasHead whether a key that the reader trusts has signed the header and its last event
 * @returns {Responsible} who answers for the first one
 */
function responsible(fault, faults, hasHead) {
  const basis = basisOf(fault);
  if (!hasHead || faults.some((one) => basisOf(one) === "links")) return "anybody";
  if (basis === "record" || basis === "receipt") return "server";
  return basis === "own" ? "reader" : "anybody";
}

/** @param {Finding} finding */
const lineOf = ({ details: { line, seq } }) => line ?? (seq === undefined ? Infinity : seq + 1); // a kept receipt has no line
