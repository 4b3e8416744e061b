// @ts-check
// Reads the lines of a file in bounded memory. A file that is too large is refused before it is read.

/** @import {Source} from "./types" */

/** Bytes of a line with its line feed. */
const MAX_LINE = 2 ** 20;
const MAX_RECORD = 64 * MAX_LINE;
const SLICE = 2 ** 18;
const LINE_FEED = 10;

/** A line that ends the reading of a record, because what follows could not be interpreted. */
export class BrokenLine extends Error {
  /** @param {string} code @param {import("./types").Details} details */
  constructor(code, details) {
    super(code);
    this.code = code;
    this.details = details;
  }
}

/**
 * @param {Source} source
 * @returns {AsyncGenerator<{line: number, bytes: Uint8Array}>} the lines without line feeds, numbered from 1
 * @throws {BrokenLine}
 */
export async function* readLines(source) {
  if (source.size > MAX_RECORD) throw new BrokenLine("record-too-large", {});
  if (source.size === 0) throw new BrokenLine("no-record", { line: 1 });
  let line = 1;
  let rest = new Uint8Array();
  for (let start = 0; start < source.size; start += SLICE) {
    const slice = new Uint8Array(await source.slice(start, Math.min(start + SLICE, source.size)).arrayBuffer());
    const bytes = new Uint8Array(rest.length + slice.length);
    bytes.set(rest);
    bytes.set(slice, rest.length);
    let from = 0;
    for (let end = bytes.indexOf(LINE_FEED, rest.length); end >= 0; end = bytes.indexOf(LINE_FEED, from)) {
      if (end - from >= MAX_LINE) throw new BrokenLine("line-too-long", { line });
      yield { line, bytes: bytes.subarray(from, end) };
      from = end + 1;
      line += 1;
    }
    rest = bytes.slice(from);
    if (rest.length > MAX_LINE) throw new BrokenLine("line-too-long", { line });
  }
  if (rest.length > 0) yield { line, bytes: rest };
}
