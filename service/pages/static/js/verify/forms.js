// @ts-check
// The forms of the lines of a game record: which fields they have, and of which type (docs/formats.md).

/** @import {Form, GameEvent, Json, JsonObject, Problem} from "./types" */

/** @param {boolean} isValid @param {string} field @returns {Problem | null} */
const unless = (isValid, field) => (isValid ? null : { field, kind: "invalid" });
/** @param {RegExp} pattern @returns {Form} */
const text = (pattern) => (value, field) => unless(typeof value === "string" && pattern.test(value), field);
/** @param {number} digits */
const hex = (digits) => text(new RegExp(`^[0-9a-f]{${digits}}$`));
/** @param {number} least @param {number} [most] @returns {Form} */
const integer = (least, most = Infinity) => (value, field) =>
  unless(typeof value === "number" && value >= least && value <= most, field);
/** @param {Form} form @returns {Form} */
const orNull = (form) => (value, field) => (value === null ? null : form(value, field));
/** @param {Form} form @returns {Form} */
const list = (form) => (value, field) => (Array.isArray(value) ? firstProblem(value, form, field) : unless(false, field));
/** @param {Form} form the form of all values @returns {Form} an object with any keys, but not without any */
const map = (form) => (value, field) =>
  isObject(value) && Object.keys(value).length > 0
    ? firstProblem(Object.values(value), form, field)
    : unless(false, field);
/** @type {Form} */
const anything = () => null;

/** @param {Json[]} values @param {Form} form @param {string} field @returns {Problem | null} */
function firstProblem(values, form, field) {
  for (const value of values) {
    const problem = form(value, field);
    if (problem) return problem;
  }
  return null;
}

/** @param {Json} value @returns {value is JsonObject} */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
* The form of an object.
* @param {Record<string, Form>} required
* @param {{optional?: Record<string, Form>, others?: "allowed" | "unknown" | "invalid"}} [rest] `others` are the fields
*     that are not listed. Later versions may add some, and what those mean is unknown.
* @returns {Form}
*/
const object = (required, { optional = {}, others = "allowed" } = {}) => (value, field) => {
  if (!isObject(value)) return unless(false, field);
  /** @param {string} name */
  const path = (name) => (field ? `${field}.${name}` : name);
  const forms = { ...required, ...optional };
  for (const [name, form] of Object.entries(forms)) {
    const member = value[name];
    if (member === undefined && name in required) return { field: path(name), kind: "missing" };
    const problem = member === undefined ? null : form(member, path(name));
    if (problem) return problem;
  }
  const other = others === "allowed" ? undefined : Object.keys(value).find((name) => !Object.hasOwn(forms, name));
  return other === undefined ? null : { field: path(other), kind: others === "unknown" ? "unknown" : "invalid" };
};

const DAY = String.raw`\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])`;
const TIME = new RegExp(String.raw`^${DAY}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$`);
/** @type {Form} */
const time = (value, field) =>
  unless(
    typeof value === "string" && TIME.test(value) && new Date(value).toJSON() === value, // no 30 February
    field,
  );
const id = text(/^[A-Za-z0-9._~-]{1,100}$/);
const word = text(/./s);
const seq = integer(1);
const hash = hex(64);

const KEY = object({ key: word, public: word, from: time, until: orNull(time) });

export const HEADER = object(
  {
    format: text(/^cartulary\/1$/),
    game: id,
    rules: word,
    keys: list(KEY),
    engine: text(/^/),
    head: object({ seq, hash, key: word, signature: word }, { others: "unknown" }),
  },
  {
    optional: {
      origin: word,
      log: word,
      players: list(object({ id: word, handle: orNull(word), keys: list(KEY) })),
      inclusion: anything,
    },
    others: "unknown",
  },
);

/** @type {Form} exactly one author */
const author = (value, field) => {
  const form = object({}, { optional: { seat: integer(0, 99), player: id, system: word }, others: "invalid" });
  return isObject(value) && Object.keys(value).length !== 1 ? unless(false, field) : form(value, field);
};

/** @type {Form} the inclusion path of a conditional action */
const path = (value, field) => (Array.isArray(value) && value.length > 32 ? unless(false, field) : list(hash)(value, field));
/** @type {Form} an object of strings */
const OUTCOME = (value, field) => (isObject(value) ? firstProblem(Object.values(value), text(/^/), field) : unless(false, field));

const ENVELOPE = object(
  {
    v: integer(1, 1),
    game: id,
    seq,
    type: text(/^[A-Za-z]{1,100}$/),
    at: time,
    by: author,
    action: orNull(object({})),
    data: object({}),
    state: hash,
    prev: hash,
    hash,
  },
  {
    optional: {
      secrets: map(hash),
      signature: object({ key: hex(16), head: hash, signature: hex(128) }, { others: "invalid" }),
      conditional: (value, field) => unless(value === true, field),
      prepared: object(
        { key: hex(16), head: hash, root: hash, signature: hex(128), index: integer(0), salt: hash, path },
        { optional: { outcomes: list(OUTCOME) }, others: "invalid" },
      ),
    },
    others: "unknown",
  },
);

const nonce = text(/^(?:[0-9a-f]{2}){0,64}$/);
/** @param {Record<string, Form>} optional @returns {Form} the data of an event of a takeback or a dispute */
const withNonce = (optional) => object({}, { optional: { nonce, ...optional } });

/** @type {Record<string, Form>} The fields of `data` that the checks read, by type of event. */
const DATA = {
  GameCreated: object(
    { rules: word, seats: integer(1, 100), options: object({}), clock: orNull(object({})), commitment: hash },
    { optional: { seed: integer(2, 2) } },
  ),
  SeatTaken: object({ player: id, nonce }),
  SeatLeft: object({ player: id }),
  PlayerKeyAdded: object({ player: id, key: word, public: word }),
  PlayerKeyRevoked: object({ player: id, key: word }),
  GameStarted: object({ players: list(id) }),
  PlayResumed: object({}, { optional: { because: seq } }),
  TakebackRequested: withNonce({}),
  TakebackAnswered: withNonce({ request: seq }),
  DisputeOpened: withNonce({}),
  DisputeAnswered: withNonce({ dispute: seq }),
  RulingProposed: withNonce({ dispute: seq }),
  DisputeRuled: withNonce({ dispute: seq }),
  SubstituteSeated: object({ seat: integer(0, 99), player: id }),
  GameFinished: object({ secret: word }),
  GameAbandoned: object({ secret: word }),
};

/** @type {Form} */
export const EVENT = (value, field) => {
  const problem = ENVELOPE(value, field);
  if (problem && problem.kind !== "unknown") return problem;
  const { type, data } = /** @type {GameEvent} */ (/** @type {unknown} */ (value));
  return (Object.hasOwn(DATA, type) && DATA[type]?.(data, "data")) || problem;
};

export const OPENING = object(
  { seq, open: map(object({ salt: hash, value: anything }, { others: "invalid" })) },
  { others: "invalid" },
);

export const RECEIPT_LINE = object({ receipt: object({}) }, { others: "invalid" });

export const RECEIPT = object({ game: id, seq, hash, at: time, key: hex(16), signature: hex(128) });

export const INCLUSION = object(
  { checkpoint: word, game: id, seq, hash, index: integer(0), path: list(hash) },
  { others: "invalid" },
);
