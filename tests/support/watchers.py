"""Who looks on at a game over HTTP and keeps all that arrives, to be compared with what came of another."""

import json
import re
from typing import Any

import httpx

Json = dict[str, Any]

_HEX = re.compile(r'(?<!"state":")[0-9a-f]{64,128}')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
FAR = [99, 99]


class Watcher:
    """One who looks on: `name` says who, `token` as whom the server takes them.

    What is kept of an answer is all of it but for what is another in any two games: the game's id, times, and
    digests (commitments, hashes, signatures, salts). `state` stays: it is the hash of what everybody sees.
    """

    def __init__(self, url: str, name: str, token: str | None = None) -> None:
        self.name = name
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=30.0)
        self.game = ""
        self.kept: list[str] = []
        self._read = 0

    def begin(self, game: str) -> None:
        """Look at another game from here on."""
        self.game, self.kept = game, []

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Make a request and keep its answer."""
        named = {"X-Request-ID": f"{self.game}-{self.name}-{len(self.kept)}", **headers}
        response = self.http.request(method, path, json=body, headers=named)
        told = sorted(pair for pair in response.headers.items() if pair[0] != "date")
        self.keep(f"{method} {path} {body}\n{response.status_code} {told}\n{response.text}")
        return response

    def keep(self, text: str) -> None:
        """Keep something that arrived."""
        text = _TIME.sub("TIME", _HEX.sub("HEX", text))
        self.kept.append(text.replace(self.game, "GAME"))

    def look(self, seq: int) -> None:
        """Ask for everything that there is, and for what there is not."""
        game = f"/games/{self.game}"
        for path in ("", "/position", "/legal-actions", "/events?limit=500", f"/events/{seq}"):
            self.ask("GET", game + path)
        for path in ("/record", f"/position?seq={max(4, seq - 3)}", f"/position?seq={seq + 1}"):
            self.ask("GET", game + path)
        for path in ("/position", "/legal-actions", "/record", f"/events/{seq}", ""):
            for query in ("viewer=0", "as=1", "seat=0"):
                assert self.ask("GET", f"{game}{path}?{query}").status_code >= 400
        for path in ("/me", "/games?status=playing", "/games?status=open"):
            self.ask("GET", path)
        self.ask("GET", f"{game}/position", **{"If-None-Match": f'"{seq}"'})
        for secret in ("pile", "reserve/0", "secrets"):
            assert self.ask("GET", f"{game}/{secret}").status_code == 404

    def try_all(self, seq: int) -> None:
        """Send actions that are refused whoever sends them, and keep what is said of it."""
        kinds = ("village", "field", "vineyard", "quarry", "pond", "marsh", "dragon")
        actions: list[Json] = [{"type": "place_tile", "tile": kind, "at": FAR} for kind in kinds]
        actions += [{"type": "discard_tile", "tile": "field"}, {"type": "place_keep", "at": FAR}]
        actions += [
            {"type": "draw", "slot": 4},
            {"type": "place_tile", "tile": "pond", "at": [0, 0]},
        ]
        for action in actions:
            self._refused({"action": action, "expected_seq": seq})
        for body in ({"action": actions[0], "expected_seq": seq - 2}, {"expected_seq": seq}, {}):
            self._refused(body)

    def _refused(self, body: Json) -> None:
        response = self.ask("POST", f"/games/{self.game}/actions", body)
        assert response.status_code in {400, 401, 403, 409, 422}, response.text

    def listen(self, upto: int) -> None:
        """Take the whole stream up to an event."""
        with self.http.stream("GET", f"/games/{self.game}/stream") as response:
            text = ""
            for piece in response.iter_text():
                text += piece
                if f"\nid: {upto}\n" in text and text.endswith("\n\n"):
                    break
        # How often it was quiet for a while is no matter of the game.
        self.keep("\n".join(line for line in text.splitlines() if not line.startswith(":")))

    def read_log(self, lines: list[str]) -> None:
        """Keep what the server has logged since of one's requests, but for how long each took."""
        lines, self._read = lines[self._read :], len(lines)
        for line in lines:
            told = json.loads(line)
            if str(told.get("request", "")).startswith(f"{self.game}-{self.name}-"):
                told.pop("ms", None)
                self.keep(json.dumps(told, sort_keys=True))
