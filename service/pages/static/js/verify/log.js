// @ts-check
// The log of a game: the hash chain of its events, and what the other checks need to know of the events before one.

import { canonical } from "./canonical.js";
import { hashOf, utf8 } from "./crypto.js";

/** @import {Context, GameEvent, LoggedEvent} from "./types" */

/** Events of play that follow from no action. */
const PLAY_WITHOUT_ACTION = ["GameStarted", "PlayResumed", "TurnForfeited", "PlayerRemoved"];
/**
 * The events of takebacks and disputes, which can have nonces, with the field that names the one they belong to.
 * @type {Record<string, string | null>}
 */
const NONCES_FOR_NEW_DRAWS = {
  TakebackRequested: null,
  TakebackAnswered: "request",
  DisputeOpened: null,
  DisputeAnswered: "dispute",
  RulingProposed: "dispute",
  DisputeRuled: "dispute",
};

/** The events that were read so far. Hashes are those that the events state: the chain is checked separately. */
export class GameLog {
  constructor() {
    /** @type {GameEvent | undefined} */
    this.first = undefined;
    /** @type {GameEvent | undefined} */
    this.last = undefined;
    /** @type {GameEvent | undefined} The event that starts the game. */
    this.start = undefined;
    /** @type {GameEvent | undefined} The event that ends the game. */
    this.ending = undefined;
    /** @type {LoggedEvent[]} What receipts and conditional actions repeat of each event. */
    this.events = [];
    /** @type {Map<string, number>} */
    this.seqByHash = new Map();
    /** @type {Map<number, Record<string, string>>} The commitments to secrets, by the place of the event. */
    this.commitments = new Map();
    /** @type {GameEvent[]} The events with which the present players took their places. */
    this.places = [];
    /** @type {GameEvent[]} The events with which players ever took places. */
    this.taken = [];
    /** @type {Map<number, number>} The number of the takeback or dispute to which an event belongs, by its seq. */
    this.requests = new Map();
    /** @type {Map<number, string[]>} The nonces for what is drawn again, by the number of the takeback or dispute. */
    this.newNonces = new Map();
    /** @type {{seq: number, nonces: string[]}[]} The events that have drawn again, with the nonces that led to them. */
    this.newDraws = [];
    /** @type {string[]} The ids of the players by seat, once the game has started. */
    this.players = [];
    /** @type {Map<string, Map<string, string | null>>} The public keys of players, null if revoked, by player and id. */
    this.keys = new Map();
    /** @type {Map<string, number>} The last statement of each person, by its seq. */
    this.statements = new Map();
    /** The seq of the last event of play: the signature of an action for an older position is no longer valid. */
    this.playSeq = 0;
    /** How many actions people have taken, and how many of them are signed. */
    this.actions = 0;
    this.signed = 0;
    /** @type {Map<string, number>} The seq of the last action of each player other than a bot. */
    this.lastActions = new Map();
    /** @type {Set<string>} */
    this.bots = new Set();
  }

  /** @param {GameEvent} event */
  add(event) {
    const { type, data } = event;
    const { game, hash, at, action } = event;
    const logged = { game, seq: event.seq, hash, at, type, action };
    const seq = this.events.push(action ? { ...logged, seat: seatOf(event), data } : logged);
    this.first ??= event;
    this.last = event;
    this.seqByHash.set(event.hash, seq);
    if (event.secrets) this.commitments.set(seq, event.secrets);
    if (event.action || PLAY_WITHOUT_ACTION.includes(type)) this.playSeq = seq;
    if (type === "SeatTaken") {
      this.places.push(event);
      this.taken.push(event);
      if ("bot" in data) this.bots.add(data.player);
    }
    if (Object.hasOwn(NONCES_FOR_NEW_DRAWS, type)) this.addNonce(event);
    if (type === "PlayResumed" && event.secrets)
      this.newDraws.push({ seq, nonces: [...(this.newNonces.get(this.requests.get(data.because) ?? 0) ?? [])] });
    if (type === "SeatLeft") {
      this.places = this.places.filter((place) => place.data.player !== data.player);
      this.keys.delete(data.player);
    }
    if (type === "GameStarted") {
      this.start = event;
      this.players = [...data.players];
    }
    if (type === "SubstituteSeated" && data.seat < this.players.length) this.players[data.seat] = data.player;
    this.countAction(event, seq);
    if (type === "GameFinished" || type === "GameAbandoned") this.ending ??= event;
  }

  /** @param {GameEvent} event @param {number} seq its place among the events */
  countAction({ action, by, signature }, seq) {
    const player = this.players[by.seat ?? -1];
    if (!action || player === undefined || this.bots.has(player)) return;
    this.actions += 1;
    this.signed += signature ? 1 : 0;
    this.lastActions.set(player, seq);
  }

  /** @param {GameEvent} event of a takeback or a dispute */
  addNonce({ type, seq, data }) {
    const field = NONCES_FOR_NEW_DRAWS[type];
    const request = field ? (data[field] ?? 0) : seq;
    this.requests.set(seq, request);
    const nonces = this.newNonces.get(request) ?? [];
    if (data.nonce !== undefined) nonces.push(data.nonce);
    this.newNonces.set(request, nonces);
  }
}

/** @param {GameEvent} event @returns {number | undefined} the seat whose action it is, also if the clock took it */
export const seatOf = ({ by, data }) => (by.system !== undefined && Number.isInteger(data.seat) ? data.seat : by.seat);

/**
 * Checks that an event has the next number, the hash of the event before and the hash of its own content.
 * @param {GameEvent} event
 * @param {number} line
 * @param {Context} context with the events before
 */
export async function checkChain(event, line, { log: { first, last }, findings }) {
  const { hash, ...sealed } = event;
  const where = { line, seq: event.seq };
  findings.examined.chain += 1;
  if (event.seq !== (last?.seq ?? 0) + 1) findings.broken("chain", "seq", { ...where, previous: last?.seq ?? 0 });
  if (event.prev !== (last?.hash ?? "0".repeat(64))) findings.broken("chain", "prev", where);
  if (hash !== (await hashOf(utf8(canonical(sealed))))) findings.broken("chain", "hash", where);
  if (last && event.at < last.at) findings.broken("chain", "time", where);
  if (first && event.game !== first.game) findings.broken("chain", "game", { ...where, game: event.game });
}
