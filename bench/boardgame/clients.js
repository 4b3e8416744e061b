// Clients of boardgame.io's server that play one match each: node clients.js PORT CLIENTS MOVES KIND
//
// For each line on standard input, which is a name that no match has yet, all clients play a match of MOVES moves, and a
// line is printed: JSON of the seconds that all of them took together, and of the seconds that each move took. A client
// sends its next move when the server has sent the state after the previous one, which has to contain that move.
//
// KIND is `library` for the clients of boardgame.io itself, which also make each move in their own copy of the state, or
// `socket` for a bare socket that sends the same messages, and does nothing else.

const readline = require("node:readline");
const { Client } = require("boardgame.io/client");
const { SocketIO } = require("boardgame.io/multiplayer");
const { io } = require("socket.io-client");
const { game } = require("./game");

const [port, clients, moves] = process.argv.slice(2, 5).map(Number);
const kind = process.argv[5];
const SERVER = `http://127.0.0.1:${port}`;
const SOCKET_OPTIONS = { transports: ["websocket"], forceNew: true, reconnection: false };
const PLAYER = "0";
const SECONDS = 60;

class LibraryClient {
  constructor(matchID) {
    this.client = Client({
      game,
      numPlayers: 1,
      matchID,
      playerID: PLAYER,
      multiplayer: SocketIO({ server: SERVER, socketOpts: SOCKET_OPTIONS }),
      debug: false,
    });
    this.client.start();
    this.socket = this.client.transport.socket;
  }

  // The library's own listener comes before this one, so its state is up to date.
  mark(cell) {
    this.client.moves.mark(cell);
  }

  stop() {
    this.client.stop();
  }
}

class SocketClient {
  constructor(matchID) {
    this.matchID = matchID;
    this.socket = io(`${SERVER}/${game.name}`, SOCKET_OPTIONS);
    this.socket.on("connect", () => this.socket.emit("sync", matchID, PLAYER, undefined, 1));
    this.socket.on("sync", (_, info) => (this.stateID = info.state._stateID));
    this.socket.on("update", (_, state) => (this.stateID = state._stateID));
  }

  mark(cell) {
    const action = { type: "MAKE_MOVE", payload: { type: "mark", args: [cell], playerID: PLAYER } };
    this.socket.emit("update", action, this.stateID, this.matchID, PLAYER);
  }

  stop() {
    this.socket.disconnect();
  }
}

const CLIENTS_BY_KIND = { library: LibraryClient, socket: SocketClient };

function connect(matchID) {
  const client = new CLIENTS_BY_KIND[kind](matchID);
  return new Promise((resolve, reject) => {
    client.socket.on("connect_error", reject);
    // The last message of a server that has added a client to a match.
    client.socket.once("matchData", () => resolve(client));
  });
}

function play(client, latencies) {
  return new Promise((resolve, reject) => {
    let cell = 0;
    let sentAt;
    const isOver = () => cell === moves;
    function send() {
      sentAt = performance.now();
      client.mark(cell);
    }
    client.socket.on("disconnect", () => {
      if (!isOver()) reject(new Error("the server closed a connection"));
    });
    client.socket.on("update", (_, state) => {
      if (state.G.cells[cell] !== PLAYER) return reject(new Error("a move was not made"));
      latencies.push((performance.now() - sentAt) / 1000);
      cell += 1;
      if (isOver()) {
        client.stop();
        resolve();
      } else {
        send();
      }
    });
    send();
  });
}

async function run(name) {
  const timeout = setTimeout(() => {
    console.error(`the moves took more than ${SECONDS} s`);
    process.exit(1);
  }, SECONDS * 1000);
  const matches = Array.from({ length: clients }, (_, number) => connect(`${name}-${number}`));
  const connected = await Promise.all(matches);
  const latencies = [];
  const start = performance.now();
  await Promise.all(connected.map((client) => play(client, latencies)));
  const seconds = (performance.now() - start) / 1000;
  clearTimeout(timeout);
  console.log(JSON.stringify({ seconds, latencies }));
}

async function main() {
  for await (const name of readline.createInterface({ input: process.stdin })) await run(name);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
