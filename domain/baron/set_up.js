// @ts-check
// What the seed draws at the start of a game of Baron: the tiles. A second implementation of docs/formats.md (Chance), for
// the verifier of the pages.

/** @import {Draws, SetUp} from "../../service/pages/static/js/verify/types" */

const TILES = "meadow village field forest vineyard quarry pond marsh cursed_place".split(" ");
const OF_VALUE_ONE = ["vineyard", "quarry", "pond"];
const NEGATIVE = ["marsh", "cursed_place"];
const SLOTS = 3;
const [FEWEST_SEATS, MOST_SEATS] = [2, 5];

/**
 * @param {{[name: string]: any}} created the data of the event that created the game
 * @param {Draws} draws those that remain after the order of the seats
 * @returns {Promise<SetUp | null>} null for a number of seats that the game does not have
 */
export async function drawSetUp({ seats }, draws) {
  if (!Number.isInteger(seats) || seats < FEWEST_SEATS || seats > MOST_SEATS) return null;
  const kinds = await draws.shuffle(OF_VALUE_ONE);
  const dealt = await draws.shuffle([...kinds, ...kinds].slice(0, seats));
  const counts = Object.fromEntries(TILES.map((kind) => [kind, 6]));
  Object.assign(counts, { meadow: 28 - seats, cursed_place: 3 });
  for (const kind of dealt) counts[kind] -= 1;
  const listed = (/** @type {string[]} */ names) => names.flatMap((kind) => Array(counts[kind]).fill(kind));
  /** @type {string[]} */
  const removed = [];
  if (seats === MOST_SEATS) {
    const ones = listed(OF_VALUE_ONE);
    removed.push("meadow", ones[await draws.below(ones.length)]);
    for (const kind of removed) counts[kind] -= 1;
  }
  const pile = await draws.shuffle(listed(TILES));
  const market = pile.splice(0, SLOTS);
  let [start] = pile.splice(0, 1);
  // A tile of negative value goes back into the middle of the pile.
  while (NEGATIVE.includes(start)) {
    const [next] = pile.splice(0, 1);
    pile.splice(Math.floor(pile.length / 2), 0, start);
    start = next;
  }
  const reserves = dealt.map((kind, seat) => [`reserve/${seat}`, ["meadow", kind].sort()]);
  return { data: { market, start, removed }, secrets: { pile, ...Object.fromEntries(reserves) } };
}
