// Calls functions of the verifier of the pages. Each line of the input is a request, {"call": NAME, "arguments": [...]};
// each line of the output is the result. With the argument --without-ed25519, WebCrypto has no Ed25519, as in old browsers.

import { existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";

if (process.argv.includes("--without-ed25519")) {
  crypto.subtle.importKey = async () => {
    throw new DOMException("Unrecognized algorithm name", "NotSupportedError");
  };
}
const folder = "../../service/pages/static/js/verify";
const { canonical, NotCanonical, parse } = await import(`${folder}/canonical.js`);
const { isSigned } = await import(`${folder}/crypto.js`);
const { Draws, drawSetUp, seedOf } = await import(`${folder}/secrets.js`);
const { isConsistent } = await import(`${folder}/transparency_log.js`);
const { basisOf } = await import(`${folder}/summary.js`);
const { verify } = await import(`${folder}/verify.js`);

const games = new URL("../../domain/", import.meta.url);
/** The scripts of the games, which a page names by their addresses. */
const setUps = Object.fromEntries(
  readdirSync(games)
    .map((game) => [game, new URL(`${game}/set_up.js`, games)])
    .filter(([, script]) => existsSync(script))
    .map(([game, script]) => [game, script.href]),
);

const bytes = (base64) => new Uint8Array(Buffer.from(base64, "base64"));

const hex = (digits) => new Uint8Array(Buffer.from(digits, "hex"));

const functions = {
  /** Verifies a record. */
  async verify(record, trusted, receipts, log, nonces) {
    const reports = [];
    const evidence = { trusted, receipts, log, nonces, setUps };
    const verdicts = await verify(new Blob([bytes(record)]), evidence, (report) => reports.push(report));
    return { verdicts, reports };
  },

  /** Verifies a file of which only the size is known. */
  async verifySize(size) {
    const reports = [];
    const source = { size, slice: () => reports.push("read") };
    return { verdicts: await verify(source, { trusted: [] }, (report) => reports.push(report)), reports };
  },

  /** Returns the canonical JSON of a text, or the reason why it is none. */
  parse(text) {
    try {
      return { text: canonical(parse(bytes(text)).value) };
    } catch (fault) {
      if (!(fault instanceof NotCanonical)) throw fault;
      return { reason: fault.reason, column: fault.column };
    }
  },

  consistent: (first, second, firstRoot, secondRoot, path) =>
    isConsistent(first, second, hex(firstRoot), hex(secondRoot), path.map(hex)),

  basisOf: (check, code) => basisOf({ check, code }),

  isSigned: (key, text, signature) => isSigned(key, text, signature),

  async seed(secret, nonces, version) {
    return Buffer.from(await seedOf(secret, nonces, version)).toString("hex");
  },

  /** Draws numbers below these limits. */
  async below(seed, limits) {
    const draws = new Draws(new Uint8Array(Buffer.from(seed, "hex")));
    const drawn = [];
    for (const limit of limits) drawn.push(await draws.below(limit));
    return drawn;
  },

  setUp: (created, seed) => drawSetUp(created, new Draws(hex(seed)), setUps),

  shuffle: (seed, items) => new Draws(new Uint8Array(Buffer.from(seed, "hex"))).shuffle(items),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { call, arguments: values } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await functions[call](...values))}\n`);
}
