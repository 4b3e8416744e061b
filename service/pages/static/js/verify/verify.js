// @ts-check
// Verifies a game record, as far as that needs no rules: a second implementation of docs/formats.md, which shares no code
// with the audit of the server. It runs in a worker of a browser, and in Node.

import { NotCanonical, parse } from "./canonical.js";
import { checkChain } from "./chain.js";
import { checkChance } from "./chance.js";
import { CHECKS, Findings } from "./findings.js";
import { EVENT, HEADER, isObject, OPENING, RECEIPT_LINE } from "./forms.js";
import { checkHead } from "./head.js";
import { checkInclusion } from "./inclusion.js";
import { readLines, Unreadable } from "./lines.js";
import { GameLog } from "./log.js";
import { checkReceipt } from "./receipts.js";
import { checkOpening, checkSecrets } from "./secrets.js";
import { serverKeys } from "./server_keys.js";
import { checkSignature } from "./signatures.js";

/** @import {CheckName, Details, Form, GameEvent, Header, Json, JsonObject, Opening, Report, Source, TrustedKey, Verdict} from "./types" */

/** The values that a record may contain, which bounds the memory for them. */
const MAX_VALUES = 2 ** 22;
/** The number of lines after which progress is reported. */
const PROGRESS_LINES = 100;

/** The kinds of lines, in the order in which they come. @type {readonly Form[]} */
const FORMS = [HEADER, EVENT, OPENING, RECEIPT_LINE];
const [HEADER_LINE, EVENT_LINE, OPENING_LINE, LAST_KIND] = [0, 1, 2, 3];

/** A line that ends the reading of a record, because what follows could not be interpreted. */
class BrokenLine extends Error {
    /** @param {string} code @param {Details} details */
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
        /** @type {Map<number, Opening>} */
        this.openings = new Map();
        /** @type {{receipt: JsonObject, line?: number}[]} */
        this.receipts = [];
        this.kind = HEADER_LINE;
        this.values = 0;
    }

    /** @param {Source} source */
    async readRecord(source) {
        let read = 0;
        for await (const { number, bytes } of readLines(source)) {
            read += bytes.length + 1;
            await this.readLine(number, this.parseLine(number, bytes));
            this.findings.examined.form = number;
            if (number % PROGRESS_LINES === 0) this.onReport({ kind: "progress", bytes: read, lines: number });
        }
    }

    /** @param {number} line @param {Uint8Array} bytes @returns {JsonObject} */
    parseLine(line, bytes) {
        /** @type {Json} */
        let value;
        try {
            const parsed = parse(bytes);
            value = parsed.value;
            this.values += parsed.values;
        } catch (fault) {
            if (!(fault instanceof NotCanonical)) throw fault;
            throw new BrokenLine(`json-${fault.reason}`, { line, column: fault.column });
        }
        if (this.values > MAX_VALUES) throw new BrokenLine("too-many-values", { line });
        if (!isObject(value)) throw new BrokenLine("json-syntax", { line, column: 1 });
        if (line === 1 && value["format"] !== "cartulary/1") throw new BrokenLine("no-record", { line });
        return value;
    }

    /** @param {number} line @param {JsonObject} value */
    async readLine(line, value) {
        const kind = line === 1 ? HEADER_LINE : "receipt" in value ? LAST_KIND : "open" in value ? OPENING_LINE : EVENT_LINE;
        if (kind < this.kind) throw new BrokenLine("line-order", { line });
        this.kind = kind;
        const problem = /** @type {Form} */ (FORMS[kind])(value, "");
        const details = { line, ...(kind === EVENT_LINE && { seq: line - 1 }), field: problem?.field };
        if (problem?.kind === "unknown") this.findings.unknown("form", "field-unknown", details);
        else if (problem) throw new BrokenLine(`field-${problem.kind}`, details);
        const formed = /** @type {any} */ (value);
        if (kind === HEADER_LINE) this.readHeader(formed);
        else if (kind === EVENT_LINE) await this.readEvent(line, formed);
        else if (kind === OPENING_LINE) await this.readOpening(line, formed);
        else this.receipts.push({ receipt: formed.receipt, line });
    }

    /** @param {Header} header */
    readHeader(header) {
        this.header = header;
        const { game, rules, keys, origin = null } = header;
        this.onReport({ kind: "header", game, rules, keys, origin });
    }

    /** @param {number} line @param {GameEvent} event */
    async readEvent(line, event) {
        if ((event.type === "GameCreated") !== (line === 2)) throw new BrokenLine("creation", { line, seq: line - 1 });
        await checkChain(event, this.log, this.findings);
        await checkSignature(event, this.log, this.findings);
        this.log.add(event);
    }

    /** @param {number} line @param {Opening} opening */
    async readOpening(line, opening) {
        if (opening.seq <= Math.max(0, ...this.openings.keys())) throw new BrokenLine("line-order", { line });
        this.openings.set(opening.seq, opening);
        await checkOpening(opening, line, this.log, this.findings);
    }

    /** Makes the checks that need all lines. */
    async conclude() {
        const { header, log, findings } = this;
        if (!header || !log.first) throw new BrokenLine("no-events", { line: 2 });
        const keys = await serverKeys(this.trusted, header.keys, findings);
        await checkHead(header, log, keys, findings);
        await checkSecrets(this.openings, log, findings);
        await checkChance(log, findings);
        for (const { receipt, line } of this.receipts) await checkReceipt(receipt, line, log, keys, findings);
        await checkInclusion(header, log, findings);
    }
}

/**
 * Verifies a record, and reports what it finds as it finds it.
 * @param {Source} source the file
 * @param {{trusted: readonly TrustedKey[], receipts?: readonly JsonObject[]}} evidence the keys of servers that the
 *     reader trusts, and receipts that are not in the record
 * @param {(report: Report) => void} onReport
 * @returns {Promise<Record<CheckName, Verdict>>}
 */
export async function verify(source, { trusted, receipts = [] }, onReport) {
    const verification = new Verification(trusted, onReport);
    const { findings } = verification;
    try {
        await verification.readRecord(source);
        const game = verification.header?.game;
        verification.receipts.push(...receipts.filter((receipt) => receipt["game"] === game).map((receipt) => ({ receipt })));
        await verification.conclude();
    } catch (fault) {
        if (!(fault instanceof BrokenLine || fault instanceof Unreadable)) throw fault;
        findings.broken("form", fault.code, fault.details);
        for (const check of CHECKS) if (check !== "form") findings.unknown(check, "unreadable");
    }
    const verdicts = /** @type {Record<CheckName, Verdict>} */ ({});
    for (const check of CHECKS) {
        const verdict = findings.verdict(check);
        verdicts[check] = verdict;
        onReport({ kind: "verdict", check, verdict, examined: findings.examined[check] });
    }
    return verdicts;
}
