// boardgame.io's own server, on the local machine only: node server.js PORT [URL]
//
// With the URL of a Postgres database, it stores matches there by its package for that, otherwise in memory.

const { Server, Origins } = require("boardgame.io/server");
const { PostgresStore } = require("bgio-postgres");
const { game } = require("./game");

const [port, url] = process.argv.slice(2);
// As many connections as there are clients in the measurement; the package's own number is five.
const db = url ? new PostgresStore(url, { logging: false, pool: { max: 16 } }) : undefined;
const server = Server({ games: [game], origins: [Origins.LOCALHOST], db });
const listen = server.app.listen.bind(server.app);
// The library has no setting for the address.
server.app.listen = (port, callback) => listen(port, "127.0.0.1", callback);
server.run(Number(port));
