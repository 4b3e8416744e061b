// @ts-check
/**
 * What this browser keeps of the games that it shows, as evidence: an IndexedDB database named `cartulary`. Below it,
 * the form in which evidence is signed and sent.
 *
 * | store         | key               | value                                                                |
 * | ------------- | ----------------- | -------------------------------------------------------------------- |
 * | `keys`        | [account]         | the key pair with which this browser signs for an account            |
 * | `nonces`      | [account, game, nonce] | a nonce that this browser sent, and the commitment it had seen  |
 * | `receipts`    | [account, game, seq, hash] | a receipt of the server for what the account did            |
 * | `heads`       | [account, game]   | the last signed heads that this browser saw of a game                |
 * | `checkpoints` | "log", "checked"  | the last checkpoint and keys of the server; the time of the last check |
 * | `contradictions` | [account, kind, game] | what the server showed that contradicts what it had shown before |
 *
 * Accounts, games and seqs are as in the API. Every function rejects where the browser has no IndexedDB, refuses to
 * store anything, or does not respond; callers go on without it.
 */

/** @typedef {"keys" | "nonces" | "receipts" | "heads" | "checkpoints" | "contradictions"} StoreName */

/** @type {readonly StoreName[]} */
const STORES = ["keys", "nonces", "receipts", "heads", "checkpoints", "contradictions"];

/** Milliseconds after which the database counts as unusable. Some browsers never respond, and a form waits for it. */
const MAX_WAIT = 5000;

/** @type {Promise<IDBDatabase> | undefined} */
let database;

/**
 * @template T
 * @param {Promise<T>} promise
 * @returns {Promise<T>} its result; rejects if there is none in time
 */
function inTime(promise) {
  return new Promise((resolve, reject) => {
    setTimeout(reject, MAX_WAIT);
    promise.then(resolve, reject);
  });
}

/**
 * @template T
 * @param {IDBRequest<T>} request
 * @returns {Promise<T>} its result
 */
function resultOf(request) {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** @returns {Promise<IDBDatabase>} the database, which is created if there is none */
export function open() {
  if (!database) {
    database = inTime(connect());
    // Tried again a minute later, so that not every form waits.
    database.catch(() => setTimeout(forget, 12 * MAX_WAIT));
  }
  return database;
}

function forget() {
  database = undefined;
}

async function connect() {
  const request = indexedDB.open("cartulary", 1);
  request.onupgradeneeded = () => {
    for (const name of STORES) request.result.createObjectStore(name);
  };
  const connection = await resultOf(request);
  // Another page needs a newer version, or the visitor clears the data of this site.
  connection.onversionchange = () => connection.close();
  connection.onclose = forget;
  return connection;
}

/**
 * @param {StoreName} store
 * @param {IDBValidKey} key
 * @returns {Promise<any>} the value with this key; undefined without one
 */
export async function get(store, key) {
  return inTime(resultOf((await open()).transaction(store).objectStore(store).get(key)));
}

/**
 * Store a value, in place of the one with the same key. It is written when the promise resolves.
 * @param {StoreName} store
 * @param {IDBValidKey} key
 * @param {unknown} value
 * @returns {Promise<void>}
 */
export async function put(store, key, value) {
  const transaction = (await open()).transaction(store, "readwrite");
  transaction.objectStore(store).put(value, key);
  await inTime(
    new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = () => reject(transaction.error);
    }),
  );
}

/**
 * @param {StoreName} store
 * @param {readonly IDBValidKey[]} [prefix] the first parts of a key that is a list
 * @returns {Promise<any[]>} the values in the order of their keys: all, or those whose keys begin with the prefix
 */
export async function all(store, prefix = []) {
  // A list is greater than any text and number.
  const range = IDBKeyRange.bound([...prefix], [...prefix, []]);
  return inTime(resultOf((await open()).transaction(store).objectStore(store).getAll(prefix.length ? range : null)));
}

/** @param {any} value of JSON @returns {string} its canonical JSON (RFC 8785) */
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

/** @param {ArrayBuffer | Uint8Array} bytes @returns {string} them in hexadecimal */
export function toHex(bytes) {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
