// @ts-check
// Reads and writes canonical JSON (RFC 8785, integers only). The reader accepts nothing else: JSON.parse would lose what
// tells records apart, such as keys that occur twice, large integers, escapes and white space.

/** @import {CanonicalFault, Json, JsonObject} from "./types" */

/** How deep lists and objects may be nested. */
const MAX_DEPTH = 254;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?/y;
const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d*)$/;
const CANONICAL_ESCAPE = /\\(?:["\\bfnrt]|u00(?:0[0-7be-f]|1[0-9a-f]))/y;
/** @type {Record<string, Json | undefined>} */
const WORDS = { t: true, f: false, n: null };

/** Bytes that are not canonical JSON. `column` counts UTF-16 code units from 1, and is 0 if the bytes are no text. */
export class NotCanonical extends Error {
  /** @param {CanonicalFault} reason @param {number} column */
  constructor(reason, column) {
    super(reason);
    this.reason = reason;
    this.column = column;
  }
}

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text;
    this.at = 0;
    this.values = 0;
  }

  /** @param {CanonicalFault} reason @returns {never} */
  fail(reason, at = this.at) {
    const isSpace = reason === "syntax" && /\s/.test(this.text.charAt(at));
    throw new NotCanonical(isSpace ? "space" : reason, at + 1);
  }

  /** @param {string} character @returns {boolean} whether the text continues with it, which is then skipped */
  skip(character) {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  /** @param {number} depth @returns {Json} */
  value(depth) {
    this.values += 1;
    const first = this.text.charAt(this.at);
    if (first === '"') return this.string();
    if (first === "{" || first === "[") {
      if (depth === MAX_DEPTH) this.fail("depth");
      this.at += 1;
      return first === "{" ? this.object(depth + 1) : this.list(depth + 1);
    }
    if (first === "-" || (first >= "0" && first <= "9")) return this.number();
    const word = WORDS[first];
    if (word === undefined || !this.text.startsWith(String(word), this.at)) this.fail("syntax");
    this.at += String(word).length;
    return word;
  }

  /** @param {number} depth */
  list(depth) {
    /** @type {Json[]} */
    const items = [];
    if (this.skip("]")) return items;
    do items.push(this.value(depth));
    while (this.skip(","));
    if (!this.skip("]")) this.fail("syntax");
    return items;
  }

  /** @param {number} depth */
  object(depth) {
    /** @type {JsonObject} */
    const members = Object.create(null); // so that "__proto__" is a key like any other
    if (this.skip("}")) return members;
    let previous = null;
    do {
      const start = this.at;
      if (this.text[start] !== '"') this.fail("syntax");
      const key = this.string();
      if (previous !== null && key <= previous) this.fail("keys", start);
      if (!this.skip(":")) this.fail("syntax");
      members[key] = this.value(depth);
      previous = key;
    } while (this.skip(","));
    if (!this.skip("}")) this.fail("syntax");
    return members;
  }

  number() {
    NUMBER.lastIndex = this.at;
    const digits = NUMBER.exec(this.text)?.[0] ?? this.fail("syntax");
    const number = Number(digits);
    if (!CANONICAL_INTEGER.test(digits) || !Number.isSafeInteger(number)) this.fail("number");
    this.at += digits.length;
    return number;
  }

  /** @returns {string} */
  string() {
    const start = this.at;
    let isEscaped = false;
    for (this.at += 1; ; this.at += 1) {
      const code = this.text.charCodeAt(this.at);
      if (code === 0x22) break;
      if (code === 0x5c) {
        isEscaped = true;
        CANONICAL_ESCAPE.lastIndex = this.at;
        this.at += (CANONICAL_ESCAPE.exec(this.text)?.[0] ?? this.fail("string")).length - 1;
      } else if (!(code >= 0x20)) this.fail(Number.isNaN(code) ? "syntax" : "string");
    }
    this.at += 1;
    return isEscaped ? JSON.parse(this.text.slice(start, this.at)) : this.text.slice(start + 1, this.at - 1);
  }
}

/**
 * Returns the value of canonical JSON, in which objects have no prototype, and the number of values in it.
 * @param {Uint8Array} bytes
 * @throws {NotCanonical}
 */
export function parse(bytes) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new NotCanonical("utf8", 0);
  }
  const reader = new Reader(text);
  const value = reader.value(0);
  if (reader.at !== text.length) reader.fail("syntax");
  return { value, values: reader.values };
}

/** @param {any} value of JSON @returns {string} its canonical JSON */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}
