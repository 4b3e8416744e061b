// The types of the verifier. Browsers do not load this file.

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };
export type Bytes = Uint8Array<ArrayBuffer>;

/** A Blob, or as much of one as is needed to read it in slices. */
export interface Source {
  size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Why bytes are not canonical JSON. */
export type CanonicalFault = "utf8" | "syntax" | "space" | "number" | "keys" | "string" | "depth";

export interface Problem {
  field: string;
  kind: "missing" | "invalid" | "unknown";
}
/** Returns the first problem of a value, or null. `field` is its name in the line. */
export type Form = (value: Json, field: string) => Problem | null;

/** A key as a header or a server lists it; `until` is null while it is in use. */
export interface ListedKey {
  key: string;
  public: string;
  from: string;
  until: string | null;
}
/** A key of a server that the reader trusts. Without a period, it is always valid. */
export interface TrustedKey {
  public: string;
  from?: string;
  until?: string | null;
}
/** A key with the shorter of its periods of validity where those of the reader and of the header differ. */
export interface KnownKey {
  public: string;
  from: string;
  until: string;
  isListed: boolean;
  isTrusted: boolean;
  isRetired: boolean;
}

export interface Header {
  format: string;
  game: string;
  rules: string;
  keys: ListedKey[];
  engine: string;
  head: { seq: number; hash: string; key: string; signature: string };
  origin?: string;
  players?: { id: string; handle: string | null }[];
  log?: string;
  inclusion?: Json;
}
export interface GameEvent {
  v: number;
  game: string;
  seq: number;
  type: string;
  at: string;
  by: { seat?: number; player?: string; system?: string };
  action: JsonObject | null;
  /** Its form depends on the type. forms.js checks the fields that are read. */
  data: { [name: string]: any };
  state: string;
  prev: string;
  hash: string;
  secrets?: { [name: string]: string };
  signature?: PlayerSignature;
  conditional?: true;
  prepared?: PreparedSignature;
}
export interface PlayerSignature {
  key: string;
  head: string;
  signature: string;
}
/** The signature of a player for conditional actions, and the proof that an action is one of them. */
export interface PreparedSignature extends PlayerSignature {
  root: string;
  index: number;
  salt: string;
  path: string[];
  outcomes?: { [name: string]: string }[];
}
/** What is kept of an event. The seat and the data are those of an action. */
export interface LoggedEvent {
  game: string;
  seq: number;
  hash: string;
  at: string;
  type: string;
  action: JsonObject | null;
  seat?: number;
  data?: JsonObject;
}
/** A nonce that the program of the reader sent, and the commitment that it had seen before. */
export interface SentNonce {
  game: string;
  commitment: string;
  nonce: string;
  /** Whether the server has confirmed it. */
  isAccepted: boolean;
}
export interface Opening {
  seq: number;
  open: { [name: string]: { salt: string; value: Json } };
}
export interface Receipt {
  game: string;
  seq: number;
  hash: string;
  at: string;
  key: string;
  signature: string;
}
export interface Inclusion {
  checkpoint: string;
  game: string;
  seq: number;
  hash: string;
  index: number;
  path: string[];
}

export type CheckName = "form" | "chain" | "head" | "secrets" | "chance" | "signatures" | "receipts" | "inclusion";
export type Verdict = "holds" | "broken" | "unknown";
/** Where a finding is, and what its text names. */
export interface Details {
  line?: number;
  seq?: number;
  [name: string]: string | number | undefined;
}
/** A fault, which breaks a check, or a question that it cannot decide. `code` identifies its text. */
export interface Finding {
  check: CheckName;
  verdict: "broken" | "unknown";
  code: string;
  details: Details;
}
export type Topic =
  | "copy" | "key" | "history" | "draws" | "redraws" | "later" | "signatures" | "progress" | "program" | "browser";
/** What was found, for a reader who knows nothing of the checks. */
/** What shows a fault, and who answers for it (replay/audit/responsibility.py). */
export type Basis = "record" | "links" | "unsigned" | "receipt" | "own";
export type Responsible = "server" | "anybody" | "reader";
export interface Summary {
  /** The first fault, in the order of the lines. */
  fault: Finding | null;
  /** The event at which that is, if it is at one. */
  seq: number | null;
  /** Who answers for the fault; null if there is none. */
  responsible: Responsible | null;
  /** The topics of the open questions. */
  topics: Topic[];
  /** How many actions people have taken, and how many of them are signed. */
  actions: number;
  signed: number;
  /** Who may have kept a receipt, and for which event. */
  holders: { player: string; seq: number }[];
  /** Who may have kept an intact copy of the record. */
  copies: string[];
}
/** The draws that a seed produces, as the script of a game needs them. */
export interface Draws {
  below(n: number): Promise<number>;
  shuffle(items: string[]): Promise<string[]>;
}
/** What is drawn at the start of a game, in the event `GameStarted`: public data, and secrets by name. */
export interface SetUp {
  data: JsonObject;
  secrets: JsonObject;
}
/** The script `set_up.js` of a game. The draws are those that remain after the order of the seats. */
export interface SetUpScript {
  drawSetUp(created: { [name: string]: any }, draws: Draws): Promise<SetUp | null>;
}
/** A record while it is verified. */
export interface Context {
  header: Header;
  log: import("./log.js").GameLog;
  openings: Map<number, Opening>;
  keys: Map<string, KnownKey>;
  /** The name of the transparency log that the reader knows as that of the server. */
  knownLog?: string | null;
  /** The addresses of the scripts that draw set-ups, by game; a game without chance has none. */
  setUps: Record<string, string>;
  findings: {
    examined: Record<CheckName, number>;
    broken(check: CheckName, code: string, details?: Details): void;
    unknown(check: CheckName, code: string, details?: Details): void;
  };
}
/** What a verification reports while it runs. */
export type Report =
  | { kind: "header"; game: string; rules: string; origin: string | null; keys: ListedKey[]; names: Map<string, string> }
  | { kind: "progress"; bytes: number; lines: number }
  | { kind: "finding"; finding: Finding }
  | { kind: "verdict"; check: CheckName; verdict: Verdict; examined: number }
  | { kind: "sent-nonces"; count: number }
  | { kind: "summary"; summary: Summary };

/** The server's statement that an event was the last one of a game at a time. */
export interface ShownHead {
  sign: string;
  game: string;
  seq: number;
  hash: string;
  shown_at: string;
  key: string;
  signature: string;
}
/** The root of the first `from` entries of the log, and the consistency path to `to` entries. */
export interface Consistency {
  from: number;
  to: number;
  root: string;
  path: string[];
}
/** How a game and the transparency log continue what was seen of them before. */
export interface Continuation {
  head: ShownHead;
  hash: string | null;
  events: GameEvent[];
  keys: ListedKey[];
  checkpoint: string | null;
  consistency: Consistency | null;
  epochs: string[];
}
/** What a browser has seen, as a file (docs/formats.md). */
export interface WitnessFile {
  format: "cartulary-witness/1";
  server: string;
  keys: ListedKey[];
  heads: ShownHead[];
  events: GameEvent[];
  checkpoints: string[];
  consistency: Consistency | null;
}
/** What the server has contradicted: a game that it changed or set back, its log, its keys, what others see, or no proof. */
export type ContradictionKind = "rewritten" | "cut-off" | "log" | "epoch" | "keys" | "unproven" | "differs";
export interface Contradiction {
  kind: ContradictionKind;
  game: string | null;
  /** The event that was seen before, and the last one that the server shows now. */
  seq: number | null;
  last: number | null;
  file: WitnessFile;
}
