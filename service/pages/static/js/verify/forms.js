// @ts-check
// The forms of the lines of a game record: which fields they have, and of which type (docs/formats.md).

/** @typedef {import("./canonical.js").Json} Json */
/** @typedef {{field: string, problem: "missing" | "invalid" | "unknown"}} Problem */
/** @typedef {(value: Json, field: string) => Problem | null} Form returns the first problem of a value, or null */

/** @typedef {{key: string, public: string, from: string, until: string | null}} ServerKey */
/** @typedef {{game: string, seq: number, hash: string, at: string, key: string, signature: string}} Receipt */
/** @typedef {{checkpoint: string, game: string, seq: number, hash: string, index: number, path: string[]}} Inclusion */
/**
 * @typedef {{
 *   format: string, game: string, rules: string, keys: ServerKey[], engine: string, origin?: string, inclusion?: Inclusion,
 *   head: {seq: number, hash: string, key: string, signature: string},
 * }} Header
 */
/**
 * @typedef {{
 *   v: number, game: string, seq: number, type: string, at: string, state: string, prev: string, hash: string,
 *   by: {seat?: number, player?: string, system?: string}, action: Json, data: {[name: string]: any},
 *   secrets?: Record<string, string>, signature?: {key: string, head: string, signature: string},
 * }} GameEvent
 */
/** @typedef {{seq: number, open: Record<string, {salt: string, value: Json}>}} Opening */

/** @param {boolean} isValid @param {string} field @returns {Problem | null} */
const unless = (isValid, field) => (isValid ? null : { field, problem: "invalid" });
/** @param {RegExp} pattern @returns {Form} */
const text = (pattern) => (value, field) => unless(typeof value === "string" && pattern.test(value), field);
/** @param {number} digits @returns {Form} */
const hex = (digits) => text(new RegExp(`^[0-9a-f]{${digits}}$`));
/** @param {number} least @returns {Form} */
const integer = (least) => (value, field) => unless(typeof value === "number" && value >= least, field);
/** @param {...Json} values @returns {Form} */
const oneOf = (...values) => (value, field) => unless(values.includes(value), field);
/** @param {Form} form @returns {Form} */
const orNull = (form) => (value, field) => (value === null ? null : form(value, field));
/** @param {Form} form @returns {Form} */
const list = (form) => (value, field) => (Array.isArray(value) ? first(value, form, field) : unless(false, field));
/** @param {Form} form the form of all values @returns {Form} an object with any keys */
const map = (form) => (value, field) =>
    isObject(value) && Object.keys(value).length > 0 ? first(Object.values(value), form, field) : unless(false, field);
/** @type {Form} */
const anything = () => null;

/** @param {Json[]} values @param {Form} form @param {string} field @returns {Problem | null} */
function first(values, form, field) {
    for (const value of values) {
        const problem = form(value, field);
        if (problem) return problem;
    }
    return null;
}

/** @param {Json} value @returns {value is import("./canonical.js").JsonObject} */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/**
 * The form of an object. Fields that it does not list are unknown, because later versions may add fields.
 * @param {Record<string, Form>} required
 * @param {Record<string, Form>} [optional]
 * @returns {Form}
 */
const object = (required, optional = {}) => (value, field) => {
    if (!isObject(value)) return unless(false, field);
    /** @type {Problem | null} */
    let unknown = null;
    for (const name of Object.keys(required)) if (!(name in value)) return { field: join(field, name), problem: "missing" };
    for (const [name, member] of Object.entries(value)) {
        const form = Object.hasOwn(required, name) ? required[name] : Object.hasOwn(optional, name) ? optional[name] : null;
        const problem = form ? form(member, join(field, name)) : { field: join(field, name), problem: "unknown" };
        if (problem && problem.problem !== "unknown") return problem;
        unknown ??= problem;
    }
    return unknown;
};

/** @param {Record<string, Form>} required @returns {Form} an object with at least these fields */
const withFields = (required) => (value, field) => {
    if (!isObject(value)) return unless(false, field);
    for (const [name, form] of Object.entries(required)) {
        const member = value[name];
        const problem = member === undefined ? { field: join(field, name), problem: "missing" } : form(member, join(field, name));
        if (problem) return /** @type {Problem} */ (problem);
    }
    return null;
};

/** @param {string} field @param {string} name */
const join = (field, name) => (field ? `${field}.${name}` : name);

const TIME = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
/** @type {Form} */
const time = (value, field) =>
    unless(
        typeof value === "string" && TIME.test(value) && new Date(value).toJSON() === value, // no 30 February
        field,
    );
const id = text(/^[A-Za-z0-9._~-]+$/);
const anyText = text(/^/);
const seq = integer(1);
const hash = hex(64);

export const SERVER_KEY = object({ key: hex(16), public: hex(64), from: time, until: orNull(time) });

export const RECEIPT = object({ game: id, seq, hash, at: time, key: hex(16), signature: hex(128) });

export const HEADER = object(
    {
        format: oneOf("cartulary/1"),
        game: id,
        rules: id,
        keys: list(SERVER_KEY),
        engine: anyText,
        head: object({ seq, hash, key: hex(16), signature: hex(128) }),
    },
    {
        origin: anyText,
        players: list(object({ id, handle: orNull(anyText) }, { keys: list(anything) })),
        inclusion: object({ checkpoint: anyText, game: id, seq, hash, index: integer(0), path: list(hash) }),
    },
);

const SYSTEMS = oneOf("start", "scorer", "clock", "arbiter", "takeback");

/** @type {Form} exactly one author */
const author = (value, field) =>
    isObject(value) && Object.keys(value).length === 1
        ? object({}, { seat: integer(0), player: id, system: SYSTEMS })(value, field)
        : unless(false, field);

const ENVELOPE = object(
    {
        v: integer(1),
        game: id,
        seq,
        type: text(/^[A-Z][A-Za-z]*$/),
        at: time,
        by: author,
        action: orNull(withFields({ type: anyText })),
        data: withFields({}),
        state: hash,
        prev: hash,
        hash,
    },
    { secrets: map(hash), signature: object({ key: hex(16), head: hash, signature: hex(128) }) },
);

const NONCE = text(/^(?:[0-9a-f]{2}){0,64}$/);

/** @type {Record<string, Form>} The fields of `data` that the checks need, by type of event. */
const DATA = {
    GameCreated: withFields({ rules: id, commitment: hash, options: withFields({ seating: oneOf("drawn", "joined") }) }),
    SeatTaken: withFields({ player: id, nonce: NONCE }),
    SeatLeft: withFields({ player: id }),
    PlayerKeyAdded: withFields({ player: id, key: hex(16), public: hex(64) }),
    PlayerKeyRevoked: withFields({ player: id, key: hex(16) }),
    GameStarted: withFields({ players: list(id) }),
    GameFinished: withFields({ secret: hash }),
    GameAbandoned: withFields({ secret: hash }),
};

/** @type {Form} */
export const EVENT = (value, field) => {
    const problem = ENVELOPE(value, field);
    if (problem && problem.problem !== "unknown") return problem;
    const event = /** @type {GameEvent} */ (/** @type {unknown} */ (value));
    const dataForm = Object.hasOwn(DATA, event.type) ? DATA[event.type] : null;
    return dataForm?.(event.data, "data") ?? problem ?? (event.v > 1 ? { field: "v", problem: "unknown" } : null);
};

export const OPENING = object({ seq, open: map(object({ salt: hash, value: anything })) });

export const RECEIPT_LINE = object({ receipt: RECEIPT });
