// @ts-check
// Reads the lines of a file in bounded memory. A file that is too long is refused before it is read.

/** @import {Source} from "./types" */

/** Bytes of a line with its line feed. */
const MAX_LINE = 2 ** 20;
export const MAX_RECORD = 64 * MAX_LINE;
const SLICE = 2 ** 18;
const NEWLINE = 10;

/** A file that does not consist of lines within the bounds. */
export class Unreadable extends Error {
    /** @param {"too-large" | "line-too-long" | "empty"} code @param {number} line */
    constructor(code, line) {
        super(code);
        this.code = code;
        this.details = { line };
    }
}

/**
 * @param {Source} source
 * @returns {AsyncGenerator<{number: number, bytes: Uint8Array}>} the lines without their line feeds, numbered from 1
 * @throws {Unreadable}
 */
export async function* readLines(source) {
    if (source.size > MAX_RECORD) throw new Unreadable("too-large", 0);
    if (source.size === 0) throw new Unreadable("empty", 0);
    let number = 0;
    let rest = new Uint8Array();
    for (let start = 0; start < source.size; start += SLICE) {
        const slice = new Uint8Array(await source.slice(start, Math.min(start + SLICE, source.size)).arrayBuffer());
        const bytes = new Uint8Array(rest.length + slice.length);
        bytes.set(rest);
        bytes.set(slice, rest.length);
        let from = 0;
        for (let end = bytes.indexOf(NEWLINE, rest.length); end >= 0; end = bytes.indexOf(NEWLINE, from)) {
            number += 1;
            if (end - from >= MAX_LINE) throw new Unreadable("line-too-long", number);
            yield { number, bytes: bytes.subarray(from, end) };
            from = end + 1;
        }
        rest = bytes.slice(from);
        if (rest.length > MAX_LINE) throw new Unreadable("line-too-long", number + 1);
    }
    if (rest.length > 0) yield { number: number + 1, bytes: rest };
}
