// boardgame.io's own server, with its store in memory, on the local machine only: node server.js PORT

const { Server, Origins } = require("boardgame.io/server");
const { game } = require("./game");

const server = Server({ games: [game], origins: [Origins.LOCALHOST] });
const listen = server.app.listen.bind(server.app);
// The library has no setting for the address.
server.app.listen = (port, callback) => listen(port, "127.0.0.1", callback);
server.run(Number(process.argv[2]));
