// @ts-check
// What the other checks need to know of the events: their hashes and times, who plays, with which keys, and whether the
// game is over.

/** @typedef {import("./forms.js").GameEvent} GameEvent */
/** @typedef {{public: string, isRevoked: boolean}} PlayerKey */

/** Events that change no position. A signature of an action stays valid when they come after the event that it names. */
const NOT_OF_PLAY = new Set([
    "GameCreated",
    "SeatTaken",
    "SeatLeft",
    "PlayerKeyAdded",
    "PlayerKeyRevoked",
    "RoundScored",
    "DisputeOpened",
    "DisputeAnswered",
    "RulingProposed",
    "DisputeWithdrawn",
    "DisputeRuled",
    "TakebackRequested",
    "TakebackAnswered",
]);

/** The events that were read so far, without their outcomes. */
export class GameLog {
    constructor() {
        /** @type {string[]} The hash of each event, computed from its content. */
        this.hashes = [];
        /** @type {string[]} */
        this.times = [];
        /** @type {Map<string, number>} */
        this.seqByHash = new Map();
        /** @type {Map<number, Record<string, string>>} The commitments to secrets, by the seq of the event. */
        this.secrets = new Map();
        /** @type {{player: string, nonce: string, nonceFrom: string | undefined}[]} In the order of joining. */
        this.places = [];
        /** @type {string[] | null} Ids by seat, after the start. */
        this.seats = null;
        /** @type {Map<string, Map<string, PlayerKey>>} By player and id. */
        this.keys = new Map();
        this.lastPlaySeq = 0;
        this.isOver = false;
    }

    /** The number of events. */
    get length() {
        return this.hashes.length;
    }

    /** @param {GameEvent} event @param {string} hash */
    add(event, hash) {
        this.hashes.push(hash);
        this.times.push(event.at);
        this.seqByHash.set(hash, this.length);
        if (event.secrets) this.secrets.set(this.length, event.secrets);
        if (!NOT_OF_PLAY.has(event.type)) this.lastPlaySeq = this.length;
        const data = event.data;
        switch (event.type) {
            case "SeatTaken":
                this.places.push({ player: data.player, nonce: data.nonce, nonceFrom: data.nonce_from });
                break;
            case "SeatLeft":
                this.places = this.places.filter((place) => place.player !== data.player);
                this.keys.delete(data.player);
                break;
            case "GameStarted":
                this.seats = data.players;
                break;
            case "GameFinished":
            case "GameAbandoned":
                this.isOver = true;
        }
    }

    /** @param {GameEvent["by"]} by @returns {string | undefined} the id of the player who is the author */
    player(by) {
        return by.seat === undefined ? by.player : this.seats?.[by.seat];
    }
}
