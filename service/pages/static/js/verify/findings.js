// @ts-check
// What the checks find: faults, which break a check, and questions that they cannot decide.

/** @typedef {"form" | "chain" | "head" | "secrets" | "chance" | "signatures" | "receipts" | "inclusion"} CheckName */
/** @typedef {"broken" | "unknown"} Severity */
/** @typedef {Severity | "holds"} Verdict */
/** @typedef {{line?: number, seq?: number, [name: string]: string | number | undefined}} Details */
/** @typedef {{check: CheckName, verdict: Severity, code: string, details: Details, count: number}} Finding */

/** The checks, in the order in which they are shown. @type {readonly CheckName[]} */
export const CHECKS = ["form", "chain", "head", "secrets", "chance", "signatures", "receipts", "inclusion"];

/** The findings of one verification. Of findings with the same code, the first is kept and the others are counted. */
export class Findings {
    /** @param {(finding: Finding) => void} onFinding called once for each code of a check, when it is first found */
    constructor(onFinding) {
        this.onFinding = onFinding;
        /** @type {Map<string, Finding>} */
        this.byCode = new Map();
        /** @type {Record<CheckName, number>} How many things each check has looked at. */
        this.examined = { form: 0, chain: 0, head: 0, secrets: 0, chance: 0, signatures: 0, receipts: 0, inclusion: 0 };
    }

    /** @param {CheckName} check @param {string} code @param {Details} [details] */
    broken(check, code, details = {}) {
        this.add({ check, verdict: "broken", code, details, count: 1 });
    }

    /** @param {CheckName} check @param {string} code @param {Details} [details] */
    unknown(check, code, details = {}) {
        this.add({ check, verdict: "unknown", code, details, count: 1 });
    }

    /** @param {Finding} finding */
    add(finding) {
        const key = `${finding.check} ${finding.code}`;
        const earlier = this.byCode.get(key);
        if (earlier) earlier.count += 1;
        else {
            this.byCode.set(key, finding);
            this.onFinding(finding);
        }
    }

    /** @param {CheckName} check @returns {Verdict} */
    verdict(check) {
        const verdicts = [...this.byCode.values()].filter((finding) => finding.check === check).map(({ verdict }) => verdict);
        return verdicts.includes("broken") ? "broken" : verdicts.length ? "unknown" : "holds";
    }
}
