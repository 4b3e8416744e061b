// @ts-check
// Verifies one record outside of the page's thread. The page sends the files and the trusted keys, and gets every report.

import { NotCanonical, parse } from "./canonical.js";
import { isObject, RECEIPT_LINE } from "./forms.js";
import { BrokenLine, readLines } from "./lines.js";
import { verify } from "./verify.js";

/** @import {JsonObject, SentNonce, TrustedKey} from "./types" */

class BrokenReceipt extends Error {
  /** @param {number} line */
  constructor(line) {
    super("not a receipt");
    this.line = line;
  }
}

/** @param {Uint8Array} bytes a line of a file of receipts @returns {JsonObject | null} */
function readReceipt(bytes) {
  try {
    const { value } = parse(bytes);
    return isObject(value) && !RECEIPT_LINE(value, "") ? /** @type {JsonObject} */ (value.receipt) : null;
  } catch (fault) {
    if (fault instanceof NotCanonical) return null;
    throw fault;
  }
}

/** @param {Blob[]} files @returns {Promise<JsonObject[]>} the receipts in files that have one in each line */
async function readReceipts(files) {
  const receipts = [];
  let number = 1;
  try {
    for (const file of files)
      for await (const { line, bytes } of readLines(file)) {
        number = line;
        const receipt = readReceipt(bytes);
        if (!receipt) throw new BrokenReceipt(line);
        receipts.push(receipt);
      }
  } catch (fault) {
    throw fault instanceof BrokenLine ? new BrokenReceipt(number) : fault;
  }
  return receipts;
}

/** @param {MessageEvent<{record: Blob, receipts: Blob[], nonces: SentNonce[], trusted: TrustedKey[], log?: string, setUps: Record<string, string>}>} message */
onmessage = async ({ data: { record, receipts: files, nonces, trusted, log, setUps } }) => {
  try {
    const receipts = await readReceipts(files);
    await verify(record, { trusted, receipts, nonces, log, setUps }, (report) => postMessage(report));
    postMessage({ kind: "end" });
  } catch (fault) {
    if (fault instanceof BrokenReceipt) postMessage({ kind: "bad-receipts", line: fault.line });
    else postMessage({ kind: "failed" }); // the file has changed, for example, so that the browser does not read it
  }
};
