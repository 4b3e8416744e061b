// The game that is played: a player marks the cells of a board, one per move. There is no chance, and nothing is secret.
// Undoing is switched off, because the server would otherwise keep, and copy, every earlier state of a turn.

const CELLS = 64;

module.exports = {
  CELLS,
  game: {
    name: "cells",
    setup: () => ({ cells: Array(CELLS).fill(null) }),
    disableUndo: true,
    moves: {
      mark: ({ G, playerID }, cell) => {
        if (G.cells[cell] !== null) return "INVALID_MOVE";
        G.cells[cell] = playerID;
      },
    },
  },
};
