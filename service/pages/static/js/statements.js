// @ts-check
/** What is signed of a takeback, a dispute, a pause or a change of seats (docs/http.md), from the fields that are sent. */

import { canonical, toHex } from "./evidence.js";
import { keepReceipt } from "./proofs.js";

const SALT_BYTES = 32;

/** The field of a ruling that has one, by its type. @type {Record<string, string | undefined>} */
const RULING_FIELDS = { resume: "from", remove_seat: "seat" };

/** @param {(name: string) => string} field @param {number} dispute */
function rulingData(field, dispute) {
  const type = field("type");
  const name = RULING_FIELDS[type];
  return { dispute, ruling: name === undefined ? { type } : { type, [name]: Number(field(name)) } };
}

/**
 * The data of an event, by its type, from the fields of the form and the number of what it is about.
 * @type {Record<string, (field: (name: string) => string, number: number) => object>}
 */
const DATA = {
  TakebackRequested: () => ({}),
  TakebackAnswered: (field, request) => ({ request, agree: field("answer") === "agree" }),
  DisputeOpened: (field) => ({ about: Number(field("seq")) }),
  DisputeAnswered: (_, dispute) => ({ dispute }),
  DisputeWithdrawn: (_, dispute) => ({ dispute }),
  RulingProposed: rulingData,
  DisputeRuled: rulingData,
  PauseAgreed: (field) => ({ agree: field("answer") === "agree" }),
  TimeGiven: (field) => ({ to: Number(field("to")), seconds: Number(field("seconds")) }),
  SeatVacated: () => ({}),
  SubstituteSeated: (field) => ({ seat: Number(field("seat")) }),
};

/**
 * @param {HTMLFormElement} form
 * @param {FormData} fields those that are sent; a text gets the salt of its commitment
 */
export async function statement(form, fields) {
  const { game, head, sign: type = "", number } = form.dataset;
  const field = (/** @type {string} */ name) => String(fields.get(name) ?? "");
  const nonce = field("nonce");
  const data = { ...DATA[type](field, Number(number)), ...(nonce ? { nonce } : {}) };
  const payload = { sign: "cartulary statement v1", game, head, type, data };
  const text = field("statement");
  if (!text) return payload;
  const salt = crypto.getRandomValues(new Uint8Array(SALT_BYTES));
  fields.set("salt", toHex(salt));
  const opened = new Uint8Array([...salt, ...new TextEncoder().encode(canonical(text))]);
  return { ...payload, secrets: { statement: toHex(await crypto.subtle.digest("SHA-256", opened)) } };
}

/**
 * Keep the receipts of a player for a game, which the server has stored.
 * @param {DOMStringMap} data of a form
 */
export async function keepReceipts({ account, game }) {
  const response = await fetch(`/games/${game}/receipts`);
  if (!response.ok) return;
  for (const line of (await response.text()).split("\n")) if (line) await keepReceipt(account, JSON.parse(line));
}
