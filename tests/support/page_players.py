"""Players who have logged in with browsers without scripts, read pages and submit the forms on them."""

from html.parser import HTMLParser

from flask import Flask
from flask.testing import FlaskClient
from typing_extensions import override
from werkzeug.test import TestResponse

from domain.event import Clock
from domain.lifecycle import NewGame
from service.bootstrap import Service


class _FormParser(HTMLParser):
    """Collects the forms of a page: by address, the values of their fields."""

    def __init__(self, key_suffix: str) -> None:
        super().__init__()
        self.forms: dict[str, dict[str, str]] = {}
        self._key_suffix = key_suffix
        self._address = ""
        self._fields: dict[str, str] = {}
        self._textarea: str | None = None

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form" and values.get("method") == "post":
            self._address, self._fields = values["action"], {}
        elif tag == "textarea":
            self._textarea = values["name"]
            self._fields[values["name"]] = ""
        elif tag == "input" and "name" in values:
            is_ticked = "checked" in values or values.get("type") not in ("checkbox", "radio")
            if is_ticked:
                self._fields[values["name"]] = values.get("value", "")

    @override
    def handle_data(self, data: str) -> None:
        if self._textarea is not None:
            self._fields[self._textarea] += data

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea":
            self._textarea = None
        elif tag == "form" and self._address:
            if self._fields.get("key", "").endswith(self._key_suffix):
                self.forms[self._address] = self._fields
            # What follows belongs to forms that change nothing.
            self._address, self._fields = "", {}


def forms_of(page: str, *, key_suffix: str = "") -> dict[str, dict[str, str]]:
    """Return the forms of a page by their addresses, each with the values that a browser would send.

    `key_suffix`: only forms whose idempotency key ends so, where several forms have one address.
    """
    parser = _FormParser(key_suffix)
    parser.feed(page)
    return parser.forms


class PlayerOfPages:
    """A player who has logged in with a browser."""

    def __init__(self, id: str, client: FlaskClient) -> None:
        self.id = id
        self.client = client

    def get(self, address: str) -> str:
        """Return the page at an address, which must exist."""
        response = self.client.get(address)
        assert response.status_code == 200, response.text
        return response.text

    def post(self, address: str, fields: dict[str, str]) -> TestResponse:
        """Submit a form with these fields."""
        return self.client.post(address, data=fields)

    def forge(self, page: str, address: str, fields: dict[str, str]) -> TestResponse:
        """Submit a form of somebody else's, with a token of a form on a page that this player sees."""
        token = forms_of(self.get(page))["/language"]["csrf_token"]
        return self.post(address, {**fields, "csrf_token": token})

    def submit(self, page: str, address: str, **entered: object) -> TestResponse:
        """Submit the form with this address on a page, with what is entered in its fields."""
        fields = forms_of(self.get(page))[address]
        return self.post(address, {**fields, **{k: str(value) for k, value in entered.items()}})


class PlayersOfPages:
    """Players by handle: ada and grace, who play the games, and others who are registered when named."""

    def __init__(self, app: Flask, service: Service) -> None:
        self._app = app
        self._service = service
        self._players: dict[str, PlayerOfPages] = {}

    def __getitem__(self, handle: str) -> PlayerOfPages:
        if handle not in self._players:
            player, token = self._service.accounts.players.register(handle, "correct horse")
            client = self._app.test_client()
            with client.session_transaction() as session:
                session["token"] = token
            self._players[handle] = PlayerOfPages(player.id, client)
        return self._players[handle]

    @property
    def visitor(self) -> FlaskClient:
        """A browser in which nobody has logged in."""
        return self._app.test_client()

    def game(
        self,
        rules: str,
        *,
        arbiter: str | None = None,
        clock: Clock | None = None,
        **options: object,
    ) -> str:
        """Start a game of ada and grace with these options, and return its id."""
        ada, grace = self["ada"].id, self["grace"].id
        game = self._service.games.commands.create(
            ada,
            NewGame(
                rules=rules,
                seats=2,
                options={"seating": "joined", **options},
                invited=(grace,) if options.get("private") else (),
                arbiter=arbiter,
                clock=clock,
            ),
        )
        return self._service.games.commands.join(game.id, grace).id

    def act(self, game_id: str) -> str:
        """Let the player whose turn it is take the first legal action; return the handle."""
        game = self._service.games.queries.game(game_id)
        assert game.to_act is not None
        player = game.players[game.to_act]
        seq, actions = self._service.games.queries.legal_actions(game_id, player)
        self._service.games.commands.act(game_id, player, actions[0], seq)
        return next(handle for handle, other in self._players.items() if other.id == player)
