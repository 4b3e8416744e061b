// @ts-check
// What the checks find: faults, which break a check, and questions that they cannot decide.

/** @import {CheckName, Details, Finding, Verdict} from "./types" */

/** The checks, in the order in which they are shown. @type {readonly CheckName[]} */
export const CHECKS = ["form", "chain", "head", "secrets", "chance", "signatures", "receipts", "inclusion"];

/** The findings of one verification. Of those with the same code, only the first is kept. */
export class Findings {
    /** @param {(finding: Finding) => void} onFinding called once for each code of a check, when it is first found */
    constructor(onFinding) {
        this.onFinding = onFinding;
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
        this.onFinding(finding);
    }

    /** @param {CheckName} check @returns {Verdict} */
    verdict(check) {
        const verdicts = [...this.byCode.values()].filter((finding) => finding.check === check).map(({ verdict }) => verdict);
        return verdicts.includes("broken") ? "broken" : (verdicts[0] ?? "holds");
    }
}
