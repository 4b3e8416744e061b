"""A client that records everything it receives about a game, to compare it with that of another game."""

import json
import re
from typing import Any

import httpx

from tests.support.processes import HANG_SECONDS

Json = dict[str, Any]

_HEX = re.compile(r'(?<!"state":")[0-9a-f]{64,128}')
_DELIVERY = re.compile(r'"delivery":"[0-9a-f]{32}"')
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
_URN = re.compile("urn:uuid:[0-9a-f-]{36}")
FAR = [99, 99]
"""A hex where nothing can be placed."""


class RecordingClient:
    """A viewer who requests everything about a game. `records` are the responses as text.

    The records leave out what differs between any two games: the game's id, times, ids of deliveries, and
    digests (commitments, hashes, signatures, salts). They keep `state`, the hash of what everybody sees.
    """

    def __init__(self, url: str, name: str, token: str | None = None) -> None:
        """`name` identifies the viewer in the requests' ids; `token` is that of a player, if any."""
        self.name = name
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=f"{url}/api/v1", headers=headers, timeout=HANG_SECONDS)
        self.game_id = ""
        self.records: list[str] = []
        self._log_lines_read = 0
        self._feeds: list[str] = []

    def follow(self, game_id: str) -> None:
        """Record what concerns another game from now on."""
        self.game_id, self.records = game_id, []

    def request(self, method: str, path: str, body: Any = None, **headers: str) -> httpx.Response:
        """Make a request and record its response."""
        request_id = f"{self.game_id}-{self.name}-{len(self.records)}"
        headers = {"X-Request-ID": request_id, **headers}
        response = self.http.request(method, path, json=body, headers=headers)
        fields = sorted(field for field in response.headers.items() if field[0] != "date")
        self.record(f"{method} {path} {body}\n{response.status_code} {fields}\n{response.text}")
        return response

    def record(self, text: str) -> None:
        """Record something."""
        text = _TIME.sub("TIME", _HEX.sub("HEX", _DELIVERY.sub("DELIVERY", text)))
        self.records.append(text.replace(self.game_id, "GAME"))

    def request_everything(self, seq: int) -> None:
        """Request every resource of the game, and resources that do not exist. `seq` is the head."""
        game = f"/games/{self.game_id}"
        if not self.records:
            # Drawing one takes long, and depends on the SVG only.
            assert self.request("GET", f"{game}/position.png?width=100").status_code == 200
        for query in ("", "?wide=true", f"?seq={max(4, seq - 3)}"):
            self.request("GET", f"{game}/position.svg{query}")
        for path in ("", "/position", "/legal-actions", "/events?limit=500", f"/events/{seq}"):
            self.request("GET", game + path)
        for path in ("/record", f"/position?seq={max(4, seq - 3)}", f"/position?seq={seq + 1}"):
            self.request("GET", game + path)
        for earlier in (max(1, seq - 1), seq):
            assert self.request("GET", f"{game}/events/{earlier}?actions=all").status_code == 200
        for query in ("seat=0", "clause=BN-LAY", f"hex=0,0&from={max(1, seq - 20)}"):
            assert self.request("GET", f"{game}/events?limit=500&{query}").status_code == 200
        for path in ("/position", "/legal-actions", "/record", f"/events/{seq}", ""):
            for query in ("viewer=0", "as=1", "seat=0"):
                assert self.request("GET", f"{game}{path}?{query}").status_code >= 400
        for path in ("/me", "/games?status=playing", "/games?status=open"):
            self.request("GET", path)
        self.request("GET", f"{game}/position", **{"If-None-Match": f'"{seq}"'})
        for secret in ("pile", "reserve/0", "secrets"):
            assert self.request("GET", f"{game}/{secret}").status_code == 404

    def submit_refused_actions(self, seq: int) -> None:
        """Submit actions that are refused for every viewer. `seq` is the head."""
        tiles = ("village", "field", "vineyard", "quarry", "pond", "marsh", "dragon")
        actions: list[Json] = [{"type": "place_tile", "tile": tile, "at": FAR} for tile in tiles]
        actions += [{"type": "discard_tile", "tile": "field"}, {"type": "place_keep", "at": FAR}]
        actions += [
            {"type": "draw", "slot": 4},
            {"type": "place_tile", "tile": "pond", "at": [0, 0]},
        ]
        bodies: list[Json] = [{"action": action, "expected_seq": seq} for action in actions]
        bodies += [{"action": actions[0], "expected_seq": seq - 2}, {"expected_seq": seq}, {}]
        for body in bodies:
            response = self.request("POST", f"/games/{self.game_id}/actions", body)
            assert response.status_code in {400, 401, 403, 409, 422}, response.text

    def read_stream(self, upto: int) -> None:
        """Record the event stream up to the event `upto`."""
        with self.http.stream("GET", f"/games/{self.game_id}/stream") as response:
            text = ""
            for piece in response.iter_text():
                text += piece
                if f"\nid: {upto}\n" in text and text.endswith("\n\n"):
                    break
        # Comments are heartbeats, whose number depends on the time only.
        self.record("\n".join(line for line in text.splitlines() if not line.startswith(":")))

    def read_player_stream(self, upto: int) -> None:
        """Record the stream over all games of the player from the start of the game up to event `upto`."""
        headers = {"Last-Event-ID": f"{self.game_id}:0"}
        with self.http.stream("GET", "/me/stream", headers=headers) as response:
            text = ""
            for piece in response.iter_text():
                text += piece
                if f'"seq":{upto},' in text and text.endswith("\n\n"):
                    break
        self.record("\n".join(line for line in text.splitlines() if not line.startswith(":")))

    def read_feeds(self) -> None:
        """Record the Atom feed and the calendar of the player, and the deliveries, about the game.

        They also contain earlier games, which are left out.
        """
        if not self._feeds:
            feeds = self.http.post("/me/feeds").json()
            self._feeds = [httpx.URL(feeds[kind]).path for kind in ("atom", "calendar")]
        for path in self._feeds:
            # The whole address: the client's own is that of the API.
            text = self.http.get(str(self.http.base_url.copy_with(raw_path=path.encode()))).text
            parts = text.removesuffix("</feed>").split("<entry>")
            entries = [entry for entry in parts if self.game_id in entry]
            self.record("\n".join(_URN.sub("URN", entry) for entry in entries))
        deliveries = self.http.get("/me/deliveries?limit=100").json()["deliveries"]
        own = [item for item in deliveries if item["game"] == self.game_id]
        self.record(json.dumps(own, sort_keys=True, separators=(",", ":")))

    def record_log(self, lines: list[str]) -> None:
        """Record what the server has logged about this client's requests since the last call.

        `lines`: the whole log. The duration of a request is left out.
        """
        lines, self._log_lines_read = lines[self._log_lines_read :], len(lines)
        for line in lines:
            fields = json.loads(line)
            if str(fields.get("request", "")).startswith(f"{self.game_id}-{self.name}-"):
                fields.pop("ms", None)
                self.record(json.dumps(fields, sort_keys=True))
