// @ts-check
// Verifies a game record, as far as that needs no rules: a second implementation of docs/formats.md, which shares no code
// with the audit of the server. It runs in a browser's worker and in Node.

import { NotCanonical, parse } from "./canonical.js";
import { checkEvent } from "./chain.js";
import { checkChance } from "./chance.js";
import { CHECKS, Findings } from "./findings.js";
import { EVENT, HEADER, isObject, OPENING, RECEIPT_LINE } from "./forms.js";
import { checkHead } from "./head.js";
import { checkInclusion } from "./inclusion.js";
import { readLines, Unreadable } from "./lines.js";
import { GameLog } from "./log.js";
import { checkReceipt } from "./receipts.js";
import { checkClosedSecrets, checkOpening } from "./secrets.js";
import { ServerKeys } from "./server_keys.js";
import { checkSignature } from "./signatures.js";

/** @typedef {import("./canonical.js").Json} Json */
/** @typedef {import("./findings.js").CheckName} CheckName */
/** @typedef {import("./findings.js").Finding} Finding */
/** @typedef {import("./findings.js").Verdict} Verdict */
/** @typedef {import("./forms.js").Form} Form */
/** @typedef {import("./forms.js").GameEvent} GameEvent */
/** @typedef {import("./forms.js").Header} Header */
/** @typedef {import("./forms.js").Opening} Opening */
/** @typedef {import("./forms.js").Receipt} Receipt */
/** @typedef {import("./lines.js").Source} Source */
/** @typedef {import("./server_keys.js").TrustedKey} TrustedKey */
/**
 * What a verification reports while it runs: how far it has read, what it finds, and the verdict of each check.
 * @typedef {{kind: "header", game: string, rules: string, keys: Header["keys"], origin: string | null}
 *     | {kind: "progress", bytes: number, lines: number}
 *     | {kind: "finding", finding: Finding}
 *     | {kind: "verdict", check: CheckName, verdict: Verdict, examined: number}} Report
 */
/** @typedef {{name: string, order: number, form: Form}} LineKind */

/** The values that a record may contain, which bounds the memory for them. */
const MAX_VALUES = 4_000_000;
/** The number of lines after which progress is reported. */
const PROGRESS_LINES = 250;

/** @type {readonly LineKind[]} */
const LINE_KINDS = [
    { name: "format", order: 0, form: HEADER },
    { name: "open", order: 2, form: OPENING },
    { name: "receipt", order: 3, form: RECEIPT_LINE },
];
const EVENT_KIND = { name: "event", order: 1, form: EVENT };

/** A line that ends the reading of a record, because what follows could not be interpreted. */
class BrokenLine extends Error {
    /** @param {string} code @param {import("./findings.js").Details} details */
    constructor(code, details) {
        super(code);
        this.code = code;
        this.details = details;
    }
}

/** One verification of one record. */
class Verification {
    /** @param {readonly TrustedKey[]} trusted @param {(report: Report) => void} onReport */
    constructor(trusted, onReport) {
        this.trusted = trusted;
        this.onReport = onReport;
        this.findings = new Findings((finding) => onReport({ kind: "finding", finding }));
        this.log = new GameLog();
        /** @type {Header | null} */
        this.header = null;
        /** @type {GameEvent | null} */
        this.created = null;
        /** @type {GameEvent | null} */
        this.ending = null;
        /** @type {Map<number, Opening>} */
        this.openings = new Map();
        /** @type {Receipt[]} */
        this.receipts = [];
        this.order = 0;
        this.values = 0;
        this.bytes = 0;
    }

    /** @param {Source} source */
    async readRecord(source) {
        for await (const { number, bytes } of readLines(source)) {
            this.bytes += bytes.length + 1;
            const { value, kind } = this.parseLine(number, bytes);
            await this.readLine(number, kind, value);
            this.findings.examined.form = number;
            if (number % PROGRESS_LINES === 0) this.onReport({ kind: "progress", bytes: this.bytes, lines: number });
        }
    }

    /** @param {number} line @param {Uint8Array} bytes @returns {{value: Json, kind: LineKind}} */
    parseLine(line, bytes) {
        let value;
        try {
            const parsed = parse(bytes);
            value = parsed.value;
            this.values += parsed.values;
        } catch (fault) {
            if (!(fault instanceof NotCanonical)) throw fault;
            throw new BrokenLine(line === 1 ? "no-record" : `json-${fault.reason}`, { line, column: fault.column });
        }
        if (this.values > MAX_VALUES) throw new BrokenLine("too-many-values", { line });
        if (!isObject(value)) throw new BrokenLine(line === 1 ? "no-record" : "field-invalid", { line, field: "" });
        const members = value;
        const kind = LINE_KINDS.find(({ name }) => name in members) ?? EVENT_KIND;
        if ((line === 1) !== (kind.order === 0)) throw new BrokenLine(line === 1 ? "no-record" : "line-order", { line });
        if (kind.order < this.order) throw new BrokenLine("line-order", { line });
        this.order = kind.order;
        const problem = kind.form(value, "");
        const details = { line, ...(kind.order === 1 && { seq: line - 1 }), field: problem?.field };
        if (problem?.problem === "unknown") this.findings.unknown("form", "field-unknown", details);
        else if (problem) throw new BrokenLine(`field-${problem.problem}`, details);
        return { value, kind };
    }

    /** @param {number} line @param {LineKind} kind @param {any} value of the form of the kind */
    async readLine(line, kind, value) {
        switch (kind.order) {
            case 0:
                return this.readHeader(value);
            case 1:
                return this.readEvent(value);
            case 2:
                if (this.openings.has(value.seq)) throw new BrokenLine("opened-twice", { line, seq: value.seq });
                this.openings.set(value.seq, value);
                return checkOpening(value, line, this.log, this.findings);
            default:
                this.receipts.push(value.receipt);
        }
    }

    /** @param {Header} header */
    readHeader(header) {
        this.header = header;
        const { game, rules, keys, origin = null } = header;
        this.onReport({ kind: "header", game, rules, keys, origin });
    }

    /** @param {GameEvent} event */
    async readEvent(event) {
        const { log, findings } = this;
        const hash = await checkEvent(event, log, this.header?.game ?? "", findings);
        await checkSignature(event, log, findings);
        log.add(event, hash);
        if (log.length === 1) this.created = event;
        if (log.isOver) this.ending ??= event;
    }

    /** Makes the checks that need all lines. @param {readonly Receipt[]} receipts that are not in the record */
    async conclude(receipts) {
        const { header, log, findings, created } = this;
        if (!header || !created) throw new BrokenLine("no-events", { line: 1 });
        if (created.data["rules"] !== header.rules) findings.broken("form", "other-rules", { line: 1 });
        const keys = await ServerKeys.from(this.trusted, header.keys, findings);
        await checkHead(header, log, keys, findings);
        checkClosedSecrets(this.openings, log, findings);
        await checkChance(created, this.ending, log, findings);
        for (const receipt of [...this.receipts, ...receipts])
            if (receipt.game === header.game) await checkReceipt(receipt, log, keys, findings);
        if (header.inclusion) await checkInclusion(header.inclusion, header.game, log, keys, findings);
    }
}

/**
 * Verifies a record, and reports what it finds as it finds it.
 * @param {Source} source the file
 * @param {{trusted: readonly TrustedKey[], receipts?: readonly Receipt[]}} evidence the keys of servers that the reader
 *     trusts, and receipts that are not in the record
 * @param {(report: Report) => void} onReport
 * @returns {Promise<Record<CheckName, Verdict>>}
 */
export async function verify(source, { trusted, receipts = [] }, onReport) {
    const verification = new Verification(trusted, onReport);
    const { findings } = verification;
    try {
        await verification.readRecord(source);
        await verification.conclude(receipts);
    } catch (fault) {
        if (fault instanceof BrokenLine) findings.broken("form", fault.code, fault.details);
        else if (fault instanceof Unreadable) findings.broken("form", fault.code, { line: fault.line });
        else throw fault;
        for (const check of CHECKS) if (check !== "form") findings.unknown(check, "unreadable");
    }
    const verdicts = CHECKS.map((check) => /** @type {const} */ ([check, findings.verdict(check)]));
    for (const [check, verdict] of verdicts)
        onReport({ kind: "verdict", check, verdict, examined: findings.examined[check] });
    return /** @type {Record<CheckName, Verdict>} */ (Object.fromEntries(verdicts));
}
