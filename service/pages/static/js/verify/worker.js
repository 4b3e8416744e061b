// @ts-check
// Verifies one record outside of the page's thread. The page sends the files and the trusted keys, and gets every report.

import { NotCanonical, parse } from "./canonical.js";
import { isObject, RECEIPT_LINE } from "./forms.js";
import { BrokenLine, readLines } from "./lines.js";
import { verify } from "./verify.js";

/** @import {JsonObject, TrustedKey} from "./types" */

/** @param {Blob[]} files @returns {Promise<JsonObject[]>} the receipts in files that have one in each line */
async function readReceipts(files) {
  const receipts = [];
  for (const file of files)
    for await (const { line, bytes } of readLines(file)) {
      const { value } = parse(bytes);
      if (!isObject(value) || RECEIPT_LINE(value, "")) throw new BrokenLine("receipts", { line });
      receipts.push(/** @type {JsonObject} */ (value.receipt));
    }
  return receipts;
}

/** @param {MessageEvent<{record: Blob, receipts: Blob[], trusted: TrustedKey[]}>} message */
onmessage = async ({ data: { record, receipts: files, trusted } }) => {
  let receipts;
  try {
    receipts = await readReceipts(files);
  } catch (fault) {
    if (!(fault instanceof BrokenLine || fault instanceof NotCanonical)) throw fault;
    postMessage({ kind: "bad-receipts", line: fault instanceof BrokenLine ? fault.details.line : 1 });
    return;
  }
  const verdicts = await verify(record, { trusted, receipts }, (report) => postMessage(report));
  postMessage({ kind: "end", verdicts });
};
