// @ts-check
// What the seed draws at the start of a game of Barony: the board, and the spells of Sorcery. A second implementation of
// docs/formats.md (Chance), for the verifier of the pages.

/** @import {Draws, JsonObject, SetUp} from "../../service/pages/static/js/verify/types" */

/** @typedef {readonly [number, number]} Hex */

const TERRAINS = ["mountain", "forest", "plain", "field", "lake", "mysterious_place"];
/** The letter of each terrain. */
const LETTERS = "MFPDLS";
const PLACE_LETTER = "S";
const BASE_TILES = (
  "DDD DDF DDL DDL DDM DDP DFF DFL DFM DFP DLM DLM DLM DLP DMP DMP DPP FFF FFL FFM FFP FLM FLM FLP " +
  "FLP FMM FMM FMP FPP FPP LMM LMP LPP MMP MPP PPP"
).split(" ");
const PLACE_TILES = ["SDF", "SDP", "SFM", "SLP", "SDM"];
/** The other tiles of Sorcery, which only five players need. */
const OTHER_TILES = ["DFM", "DMP", "FPP", "FLP"];
const TILES_A_PLAYER = 9;
/** The greatest distance of a hex from the middle, and the mysterious places with Sorcery, by the number of players. */
const RADIUS = /** @type {Record<number, number>} */ ({ 2: 5, 3: 6, 4: 7, 5: 8 });
const PLACES = /** @type {Record<number, number>} */ ({ 2: 3, 3: 4, 4: 5, 5: 5 });
const [FEWEST_SEATS, MOST_SEATS] = [2, 5];
/** The least distance between two mysterious places. */
const PLACES_APART = 3;
const SPELLS = "abundance celerity charm illusion petrification portal sanctuary teleportation tornado".split(" ");
const OPEN_SPELLS = 5;
/** How much worse than the best a place may be rated. */
const TOLERANCE = 2;

/** @type {readonly Hex[]} */
const DIRECTIONS = [[1, 0], [1, -1], [0, -1], [-1, 0], [-1, 1], [0, 1]]; // prettier-ignore

/**
 * @param {{[name: string]: any}} created the data of the event that created the game
 * @param {Draws} draws those that remain after the order of the seats
 * @returns {Promise<SetUp | null>} null for a number of seats that the game does not have
 */
export async function drawSetUp({ seats, options }, draws) {
  const isSorcery = options?.sorcery === true;
  const most = isSorcery ? MOST_SEATS : MOST_SEATS - 1;
  if (!Number.isInteger(seats) || seats < FEWEST_SEATS || seats > most) return null;
  const board = await layBoard(await drawTiles(seats, isSorcery, draws), RADIUS[seats], draws);
  const spells = isSorcery ? (await draws.shuffle(SPELLS)).slice(0, OPEN_SPELLS).sort() : [];
  return { data: { board, spells }, secrets: {} };
}

/** @param {number} seats @param {boolean} isSorcery @param {Draws} draws @returns {Promise<string[]>} */
async function drawTiles(seats, isSorcery, draws) {
  const count = TILES_A_PLAYER * seats;
  const places = isSorcery ? (await draws.shuffle(PLACE_TILES)).slice(0, PLACES[seats]) : [];
  const others = seats === MOST_SEATS ? [...BASE_TILES, ...OTHER_TILES] : BASE_TILES;
  const rest = (await draws.shuffle(others)).slice(0, count - places.length);
  return draws.shuffle([...places, ...rest]);
}

/**
 * @param {readonly string[]} tiles
 * @param {number} radius
 * @param {Draws} draws
 * @returns {Promise<JsonObject[]>} the hexes of the board, in order, with their terrain
 */
async function layBoard(tiles, radius, draws) {
  /** @type {Map<string, {at: Hex, letter: string}>} */
  const laid = new Map();
  for (const tile of tiles) {
    /** @type {readonly Hex[]} */
    const first = [[0, 0], [0, 1], [1, 0]]; // prettier-ignore
    const place = laid.size ? await drawPlace(tile, laid, radius, draws) : first;
    const allowed = rotations(tile, place, laid);
    const letters = rotated(tile, allowed[await draws.below(allowed.length)]);
    place.forEach((at, number) => laid.set(String(at), { at, letter: letters[number] }));
  }
  const cells = [...laid.values()].sort((one, other) => compare(one.at, other.at));
  return cells.map(({ at, letter }) => ({ at: [...at], terrain: TERRAINS[LETTERS.indexOf(letter)] }));
}

/** @typedef {ReadonlyMap<string, {at: Hex, letter: string}>} Laid */

/** @param {string} tile @param {Laid} laid @param {number} radius @param {Draws} draws @returns {Promise<readonly Hex[]>} */
async function drawPlace(tile, laid, radius, draws) {
  const rated = placesAt(laid, radius)
    .filter((place) => rotations(tile, place, laid).length > 0)
    .map((place) => ({ place, rating: rating(place, laid) }));
  while (rated.length) {
    const enough = Math.max(...rated.map((each) => each.rating)) - TOLERANCE;
    const kept = rated.filter((each) => each.rating >= enough);
    while (kept.length) {
      const [drawn] = kept.splice(await draws.below(kept.length), 1);
      if (!hasGap([...laid.values()].map(({ at }) => at).concat(drawn.place))) return drawn.place;
      rated.splice(rated.indexOf(drawn), 1);
    }
  }
  throw new RangeError("a compact board always has a place that leaves no gap");
}

/** @param {Laid} laid @param {number} radius @returns {Hex[][]} the places next to the board, in order */
function placesAt(laid, radius) {
  /** @type {Map<string, Hex[]>} */
  const places = new Map();
  for (const { at } of laid.values())
    for (const free of neighbours(at)) {
      if (laid.has(String(free))) continue;
      const around = neighbours(free);
      around.forEach((one, number) => {
        const place = [free, one, around[(number + 1) % around.length]].sort(compare);
        if (place.every((hex) => !laid.has(String(hex)) && distance(hex) <= radius)) places.set(String(place), place);
      });
    }
  return [...places.values()].sort((one, other) => {
    return compare(one[0], other[0]) || compare(one[1], other[1]) || compare(one[2], other[2]);
  });
}

/** @param {readonly Hex[]} place @param {Laid} laid */
function rating(place, laid) {
  const sides = place.flatMap(neighbours).filter((near) => laid.has(String(near))).length;
  return 2 * sides - place.reduce((sum, at) => sum + distance(at), 0);
}

/** @param {string} tile @param {readonly Hex[]} place @param {Laid} laid @returns {number[]} */
function rotations(tile, place, laid) {
  if (!tile.includes(PLACE_LETTER)) return [0, 1, 2];
  const others = [...laid.values()].filter(({ letter }) => letter === PLACE_LETTER);
  return [0, 1, 2].filter((rotation) => {
    const own = place[rotated(tile, rotation).indexOf(PLACE_LETTER)];
    return others.every(({ at }) => distance(own, at) >= PLACES_APART);
  });
}

/** @param {string} tile @param {number} rotation */
const rotated = (tile, rotation) => tile.slice(rotation) + tile.slice(0, rotation);

/** @param {readonly Hex[]} board @returns {boolean} whether the board cuts a hex off from the outside */
function hasGap(board) {
  const covered = new Set(board.map(String));
  const reach = Math.max(...board.map((at) => distance(at))) + 1;
  /** @type {Hex[]} */
  const unseen = [[reach, 0]];
  const outside = new Set(unseen.map(String));
  for (let hex = unseen.pop(); hex !== undefined; hex = unseen.pop())
    for (const near of neighbours(hex)) {
      const name = String(near);
      if (outside.has(name) || covered.has(name) || distance(near) > reach) continue;
      outside.add(name);
      unseen.push(near);
    }
  return outside.size + covered.size < 3 * reach * (reach + 1) + 1;
}

/** @param {Hex} at @returns {Hex[]} */
const neighbours = ([q, r]) => DIRECTIONS.map(([dq, dr]) => [q + dq, r + dr]);

/** @param {Hex} one @param {Hex} [other] */
function distance([q, r], [q2, r2] = [0, 0]) {
  const [dq, dr] = [q - q2, r - r2];
  return Math.max(Math.abs(dq), Math.abs(dr), Math.abs(dq + dr));
}

/** @param {Hex} one @param {Hex} other */
const compare = (one, other) => one[0] - other[0] || one[1] - other[1];
