// @ts-check
// What the checks need to know of the events before: their hashes and times, who plays, with which keys, and whether the
// game is over. Hashes are those that the events state; the check of the chain compares them with the content.

/** @import {GameEvent} from "./types" */

/** Events of play that follow from no action. */
const PLAY_WITHOUT_ACTION = new Set(["GameStarted", "PlayResumed", "TurnForfeited", "PlayerRemoved"]);

/** The events that were read so far. */
export class GameLog {
    constructor() {
        /** @type {GameEvent | null} */
        this.first = null;
        /** @type {GameEvent | null} */
        this.last = null;
        /** The event that ends the game. @type {GameEvent | null} */
        this.ending = null;
        /** @type {string[]} */
        this.hashes = [];
        /** @type {string[]} */
        this.times = [];
        /** @type {Map<string, number>} */
        this.seqByHash = new Map();
        /** The commitments to secrets, by the seq of the event. @type {Map<number, Record<string, string>>} */
        this.secrets = new Map();
        /** The events with which the present players took their places, with their seq. @type {(GameEvent & {seq: number})[]} */
        this.places = [];
        /** The ids of players by seat, after the start. @type {string[] | null} */
        this.seats = null;
        this.startSeq = 0;
        /** The public keys of players, null if revoked, by player and id. @type {Map<string, Map<string, string | null>>} */
        this.keys = new Map();
        /** The seq of the last event of play, after which a signature of an older position is not valid any more. */
        this.playSeq = 0;
    }

    /** The number of events. */
    get length() {
        return this.hashes.length;
    }

    /** @param {GameEvent} event */
    add(event) {
        const { type, data } = event;
        this.first ??= event;
        this.last = event;
        this.hashes.push(event.hash);
        this.times.push(event.at);
        this.seqByHash.set(event.hash, this.length);
        if (event.secrets) this.secrets.set(this.length, event.secrets);
        if (event.action !== null || PLAY_WITHOUT_ACTION.has(type)) this.playSeq = this.length;
        if (type === "SeatTaken") this.places.push(event);
        else if (type === "SeatLeft") {
            this.places = this.places.filter((place) => place.data.player !== data.player);
            this.keys.delete(data.player);
        } else if (type === "GameStarted") {
            this.seats = data.players;
            this.startSeq = event.seq;
        }
        if (type === "GameFinished" || type === "GameAbandoned") this.ending ??= event;
    }
}
