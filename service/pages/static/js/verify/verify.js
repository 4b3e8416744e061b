// @ts-check
// Verifies the parts of a game record that need no rules: a second implementation of docs/formats.md, which shares no
// code with the audit of the server. It runs in a worker of a browser, and in Node.

import { NotCanonical, parse } from "./canonical.js";
import { EVENT, HEADER, isObject, OPENING, RECEIPT_LINE } from "./forms.js";
import { BrokenLine, readLines } from "./lines.js";
import { checkChain, GameLog } from "./log.js";
import { changeKeys, checkSignatures } from "./player_signatures.js";
import { checkChance, checkOpening, checkSecrets, checkSentNonces } from "./secrets.js";
import { checkHead, checkInclusion, checkReceipt, serverKeys } from "./server_signatures.js";
import { summaryOf } from "./summary.js";

/** @import {CheckName, Context, Details, Finding, JsonObject, Report, SentNonce, Source, TrustedKey, Verdict} from "./types" */

/** The checks, in the order in which they are shown. @type {readonly CheckName[]} */
const CHECKS = ["form", "chain", "head", "secrets", "chance", "signatures", "receipts", "inclusion"];
/** The values that a record may contain, which bounds the memory for them. */
const MAX_VALUES = 2 ** 22;
/** The number of lines after which progress is reported. */
const PROGRESS_LINES = 100;

/** The kinds of lines, in the order in which they come. */
const FORMS = [HEADER, EVENT, OPENING, RECEIPT_LINE];
const [HEADER_LINE, EVENT_LINE, OPENING_LINE, RECEIPT] = FORMS.keys();

/** What the checks find: faults, which break a check, and questions that they cannot decide. */
class Findings {
  /** @param {(report: Report) => void} onReport gets the first finding of each code of a check */
  constructor(onReport) {
    this.onReport = onReport;
    /** @type {Map<string, Finding>} */
    this.byCode = new Map();
    /** How many things each check has examined. */
    this.examined = /** @type {Record<CheckName, number>} */ (Object.fromEntries(CHECKS.map((check) => [check, 0])));
  }

  /** @param {CheckName} check @param {string} code @param {Details} [details] */
  broken(check, code, details = {}) {
    this.add({ check, verdict: "broken", code, details });
  }

  /** @param {CheckName} check @param {string} code @param {Details} [details] */
  unknown(check, code, details = {}) {
    this.add({ check, verdict: "unknown", code, details });
  }

  /** @param {Finding} finding */
  add(finding) {
    const key = `${finding.check} ${finding.code}`;
    if (this.byCode.has(key)) return;
    this.byCode.set(key, finding);
    this.onReport({ kind: "finding", finding });
  }

  /** @param {CheckName} check @returns {Verdict} */
  verdict(check) {
    const verdicts = [...this.byCode.values()].filter((finding) => finding.check === check).map(({ verdict }) => verdict);
    return verdicts.includes("broken") ? "broken" : (verdicts[0] ?? "holds");
  }
}

/** Reads a record line by line, and makes the checks that need no later lines. @implements {Context} */
class RecordReader {
  /** @param {(report: Report) => void} onReport */
  constructor(onReport) {
    this.onReport = onReport;
    this.findings = new Findings(onReport);
    this.log = new GameLog();
    /** @type {Context["header"]} */
    this.header = { format: "", game: "", rules: "", engine: "", keys: [], head: { seq: 0, hash: "", key: "", signature: "" } };
    /** @type {Context["openings"]} */
    this.openings = new Map();
    /** @type {Context["keys"]} */
    this.keys = new Map();
    /** @type {Context["knownLog"]} */
    this.knownLog = null;
    /** @type {Context["setUps"]} */
    this.setUps = {};
    /** @type {{receipt: JsonObject, line?: number}[]} */
    this.receipts = [];
    this.kind = HEADER_LINE;
    this.openedSeq = 0;
    this.values = 0;
  }

  /** @param {Source} source */
  async read(source) {
    let [read, lines] = [0, 0];
    for await (const { line, bytes } of readLines(source)) {
      await this.readLine(line, this.parse(line, bytes));
      this.findings.examined.form = line;
      read += bytes.length + 1;
      lines = line;
      if (line % PROGRESS_LINES === 0) this.onReport({ kind: "progress", bytes: read, lines });
    }
    this.onReport({ kind: "progress", bytes: read, lines });
    if (!this.log.first) throw new BrokenLine("no-events", { line: 2 });
  }

  /** @param {number} line @param {Uint8Array} bytes */
  parse(line, bytes) {
    try {
      const { value, values } = parse(bytes);
      this.values += values;
      if (this.values > MAX_VALUES) throw new BrokenLine("too-many-values", { line });
      if (!isObject(value)) throw new NotCanonical("syntax", 1);
      if (line === 1 && value.format !== "cartulary/1") throw new BrokenLine("no-record", { line });
      return value;
    } catch (fault) {
      if (!(fault instanceof NotCanonical)) throw fault;
      throw new BrokenLine(`json-${fault.reason}`, { line, column: fault.column });
    }
  }

  /** @param {number} line @param {JsonObject} value */
  async readLine(line, value) {
    const kind = line === 1 ? HEADER_LINE : "receipt" in value ? RECEIPT : "open" in value ? OPENING_LINE : EVENT_LINE;
    if (kind < this.kind) throw new BrokenLine("line-order", { line });
    this.kind = kind;
    const problem = FORMS[kind](value, "");
    const details = { line, field: problem?.field };
    if (problem?.kind === "unknown") this.findings.unknown("form", "field-unknown", details);
    else if (problem) throw new BrokenLine(`field-${problem.kind}`, details);
    const formed = /** @type {any} */ (value);
    if (kind === HEADER_LINE) this.readHeader(formed);
    else if (kind === EVENT_LINE) await this.readEvent(formed, line);
    else if (kind === OPENING_LINE) await this.readOpening(formed, line);
    else this.receipts.push({ receipt: formed.receipt, line });
  }

  /** @param {Context["header"]} header */
  readHeader(header) {
    this.header = header;
    const { game, rules, keys, origin = null, players = [] } = header;
    const names = new Map(players.flatMap(({ id, handle }) => (handle === null ? [] : [[id, handle]])));
    this.onReport({ kind: "header", game, rules, keys, origin, names });
  }

  /** @param {import("./types").GameEvent} event @param {number} line */
  async readEvent(event, line) {
    const isCreation = event.type === "GameCreated" && event.by.player !== undefined;
    if (line === 2 ? !isCreation : event.type === "GameCreated") throw new BrokenLine("creation", { line });
    await checkChain(event, line, this);
    await changeKeys(event, line, this);
    await checkSignatures(event, line, this);
    this.log.add(event);
  }

  /** @param {import("./types").Opening} opening @param {number} line */
  async readOpening(opening, line) {
    if (opening.seq <= this.openedSeq) throw new BrokenLine("line-order", { line });
    this.openedSeq = opening.seq;
    this.openings.set(opening.seq, opening);
    await checkOpening(opening, line, this);
  }
}

/**
 * Verify a record, and report each finding when it occurs.
 * @param {Source} source the file
 * @param {object} evidence of the reader
 * @param {readonly TrustedKey[]} evidence.trusted the keys of servers that the reader trusts
 * @param {readonly JsonObject[]} [evidence.receipts] receipts that are not in the record
 * @param {readonly SentNonce[]} [evidence.nonces] nonces that the program of the reader sent
 * @param {string | null} [evidence.log] the name of the log of the server
 * @param {Record<string, string>} [evidence.setUps] the addresses of the scripts that draw set-ups, by game
 * @param {(report: Report) => void} onReport
 * @returns {Promise<Record<CheckName, Verdict>>}
 */
export async function verify(source, { trusted, receipts = [], nonces = [], log = null, setUps = {} }, onReport) {
  const record = new RecordReader(onReport);
  record.knownLog = log;
  record.setUps = setUps;
  const { findings } = record;
  try {
    await record.read(source);
    const ofGame = receipts.filter((receipt) => receipt.game === record.header.game);
    record.receipts.push(...ofGame.map((receipt) => ({ receipt })));
    record.keys = await serverKeys(trusted, record);
    await checkHead(record);
    await checkSecrets(record);
    await checkChance(record);
    onReport({ kind: "sent-nonces", count: checkSentNonces(nonces, record) });
    for (const { receipt, line } of record.receipts) await checkReceipt(receipt, line, record);
    await checkInclusion(record);
  } catch (fault) {
    if (!(fault instanceof BrokenLine)) throw fault;
    findings.broken("form", fault.code, fault.details);
    for (const check of CHECKS.slice(1)) findings.unknown(check, "unreadable");
  }
  onReport({ kind: "summary", summary: summaryOf([...findings.byCode.values()], record.log) });
  const verdicts = /** @type {Record<CheckName, Verdict>} */ ({});
  for (const check of CHECKS) {
    verdicts[check] = findings.verdict(check);
    onReport({ kind: "verdict", check, verdict: verdicts[check], examined: findings.examined[check] });
  }
  return verdicts;
}
