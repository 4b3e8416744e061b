"""The table of the scopes of personal tokens that operations need.

An operation whose scope is None can only be called with a session, which begins with a password: this applies
to operations on the account, its tokens, keys and addresses, and to administration. Routes without
authentication are not in the table. A route that is missing here cannot be registered (blueprint.py).
"""

import re
from collections.abc import Mapping
from typing import Final

from ledger.statements import STATEMENTS
from service.accounts.personal_tokens import Scope

_READ: Final = (
    *("GET /announcements", "GET /events", "GET /keys", "GET /me", "GET /me/holidays"),
    *("GET /me/invitations", "GET /me/keys", "GET /me/receipts", "GET /me/stream"),
    *("GET /me/notes", "GET /me/records", "GET /games/<game_id>/notes"),
    *("GET /me/imports", "GET /imports", "GET /imports/<imported>"),
    "GET /imports/<imported>/record",
    *("GET /games/<game_id>/comments", "GET /games/<game_id>/people"),
    *("GET /games", "GET /games/<game_id>", "GET /games/<game_id>/conditional-actions"),
    *("GET /games/<game_id>/disputes", "GET /games/<game_id>/disputes/<seq>"),
    *("GET /games/<game_id>/events", "GET /games/<game_id>/events/<seq>"),
    *("GET /games/<game_id>/head", "GET /games/<game_id>/legal-actions"),
    *("GET /games/<game_id>/lessons", "GET /games/<game_id>/position"),
    "GET /games/<game_id>/analysis",
    *("GET /puzzles", "GET /puzzles/today", "GET /puzzles/<number>"),
    "GET /puzzles/<number>/solution",
    *("GET /explorer", "GET /explorer/games", "GET /explorer/positions"),
    *("GET /games/<game_id>/position.png", "GET /games/<game_id>/position.svg"),
    *("GET /games/<game_id>/record", "GET /games/<game_id>/stream"),
    *("GET /players/<handle>", "GET /players/<handle>/games"),
    "GET /players/<handle>/head-to-head/<other>",
    *("GET /tournaments", "GET /tournaments/<id>"),
    *("GET /tournaments/<id>/events", "GET /tournaments/<id>/record"),
    *("GET /tournaments/<id>/standings", "GET /tournaments/<id>/posts"),
    *("GET /clubs", "GET /clubs/<club>", "GET /clubs/<club>/members", "GET /me/clubs"),
    *("GET /clubs/<club>/meetings", "GET /clubs/<club>/challenges"),
    "GET /clubs/<club>/leaderboards/<system>",
    *("GET /clubs/<club>/ratings/games", "GET /clubs/<club>/ratings/statement"),
    *("GET /log/checkpoint", "GET /log/epochs", "GET /log/leaves"),
    *("GET /log/proofs/consistency", "GET /log/proofs/inclusion", "GET /sandboxes/<sandbox_id>"),
)
_PLAY: Final = (
    *("POST /games", "POST /games/<game_id>/players", "DELETE /games/<game_id>/players/me"),
    "POST /games/<game_id>/hints",
    *("POST /games/<game_id>/bots", "POST /games/<game_id>/actions"),
    *("PUT /games/<game_id>/conditional-actions", "DELETE /games/<game_id>/conditional-actions"),
    *(
        f"{kind.METHOD} /games/<game_id>{re.sub('{[a-z]+}', '<seq>', kind.PATH)}"
        for kind in STATEMENTS
    ),
    *("POST /games/<game_id>/invitations", "DELETE /games/<game_id>/invitations/me"),
    "DELETE /games/<game_id>/invitations/mine",
    "DELETE /games/<game_id>/invitations/players/<handle>",
    *("POST /games/<game_id>/rematch", "PUT /games/<game_id>/ready"),
    *("DELETE /games/<game_id>/seats/me", "POST /games/<game_id>/substitutes"),
    *("PUT /games/<game_id>/notes/<seq>", "DELETE /games/<game_id>/notes/<seq>"),
    *("PUT /clubs/<club>/members/me", "DELETE /clubs/<club>/members/me"),
    *("POST /me/holidays", "DELETE /me/holidays/<holiday>"),
    *("POST /imports", "DELETE /imports/<imported>"),
    "POST /games/<game_id>/analysis",
    "POST /puzzles/<number>/attempts",
    *("POST /sandboxes", "DELETE /sandboxes/<sandbox_id>"),
    *("POST /sandboxes/<sandbox_id>/actions", "POST /sandboxes/<sandbox_id>/bots"),
    "POST /sandboxes/<sandbox_id>/undo",
    "POST /tournaments",
    *("PUT /tournaments/<id>/players/me", "DELETE /tournaments/<id>/players/me"),
    *("PUT /tournaments/<id>/teams/mine", "PUT /tournaments/<id>/teams/<handle>/players/me"),
    *(
        "PUT /tournaments/<id>/teams/<handle>/line-ups/<round>",
        "PUT /tournaments/<id>/teams/<handle>/captain",
    ),
    *("PUT /tournaments/<id>/byes/<round>", "DELETE /tournaments/<id>/byes/<round>"),
    *("PUT /tournaments/<id>/break", "DELETE /tournaments/<id>/break"),
    "DELETE /tournaments/<id>/players/<handle>",
    "PUT /tournaments/<id>/invitations/<handle>",
    "POST /tournaments/<id>/replacements",
    *("POST /tournaments/<id>/cancellation", "POST /tournaments/<id>/changes"),
)
_CHAT: Final = (
    *("GET /games/<game_id>/messages", "POST /games/<game_id>/messages"),
    "DELETE /games/<game_id>/messages/<number>",
    "POST /games/<game_id>/messages/<number>/report",
    *("POST /games/<game_id>/comments", "DELETE /games/<game_id>/comments/<number>"),
    "POST /games/<game_id>/comments/<number>/report",
    *("GET /clubs/<club>/posts", "POST /clubs/<club>/posts", "DELETE /clubs/<club>/posts/<number>"),
    "POST /clubs/<club>/posts/<number>/report",
    *("GET /clubs/<club>/polls", "PUT /clubs/<club>/polls/<poll>/votes/me"),
    *("POST /tournaments/<id>/posts", "DELETE /tournaments/<id>/posts/<number>"),
    "POST /tournaments/<id>/posts/<number>/report",
    *("GET /me/mutes", "PUT /me/mutes/<handle>", "DELETE /me/mutes/<handle>"),
)
_WEBHOOKS: Final = (
    *("GET /me/deliveries", "GET /me/webhooks", "POST /me/webhooks"),
    *("DELETE /me/webhooks/<webhook>", "POST /me/webhooks/<webhook>/enable"),
    "POST /me/webhooks/<webhook>/test",
    *("GET /clubs/<club>/webhook", "PUT /clubs/<club>/webhook", "DELETE /clubs/<club>/webhook"),
    *("POST /clubs/<club>/webhook/test", "GET /clubs/<club>/webhook/deliveries"),
)
_SESSION_ONLY: Final = (
    *("PATCH /me", "DELETE /me", "PUT /me/bot", "PUT /me/handle", "PUT /me/password"),
    *("POST /me/email", "DELETE /me/email"),
    *("GET /me/sessions", "DELETE /me/sessions", "DELETE /me/sessions/<session>"),
    *("DELETE /tokens/current", "GET /me/tokens", "POST /me/tokens"),
    *("DELETE /me/tokens", "DELETE /me/tokens/<id>"),
    *("POST /me/keys", "PATCH /me/keys/<key>", "DELETE /me/keys/<key>"),
    *("GET /me/notifications", "PATCH /me/notifications"),
    *("GET /games/<game_id>/notifications", "PUT /games/<game_id>/notifications"),
    *("GET /me/feeds", "POST /me/feeds", "DELETE /me/feeds/<feed>"),
    *("GET /me/push", "POST /me/push", "DELETE /me/push/<subscription>"),
    *("POST /clubs", "PATCH /clubs/<club>", "DELETE /clubs/<club>", "PUT /clubs/<club>/owner"),
    *("PUT /clubs/<club>/members/<handle>", "DELETE /clubs/<club>/members/<handle>"),
    *("POST /clubs/<club>/meetings", "PUT /clubs/<club>/meetings/<meeting>"),
    "DELETE /clubs/<club>/meetings/<meeting>",
    *("POST /clubs/<club>/polls", "POST /clubs/<club>/polls/<poll>/meeting"),
    "DELETE /clubs/<club>/polls/<poll>",
    *("POST /clubs/<club>/challenges", "POST /clubs/<club>/challenges/<challenge>/tournament"),
    "DELETE /clubs/<club>/challenges/<challenge>",
    *("PUT /clubs/<club>/officers/<handle>", "DELETE /clubs/<club>/officers/<handle>"),
    *("POST /clubs/<club>/invitations", "DELETE /clubs/<club>/invitations"),
    "POST /log/cosignatures",
    *("GET /admin/players", "GET /admin/players/<id>", "DELETE /admin/players/<id>"),
    *("POST /admin/players/<id>/password", "DELETE /admin/players/<id>/sessions"),
    *("PUT /admin/players/<id>/suspension", "DELETE /admin/players/<id>/suspension"),
    *("PUT /admin/players/<id>/role", "DELETE /admin/players/<id>/role"),
    *("GET /admin/games", "POST /admin/games/<game>/removals"),
    *("POST /admin/games/<game>/seat-moves", "POST /admin/games/<game>/abandonment"),
    *("POST /admin/games/<game>/extensions", "GET /admin/work"),
    *("POST /admin/deliveries/<delivery>/attempts", "GET /admin/reports"),
    "POST /admin/deliveries/<delivery>/cancellation",
    *("DELETE /admin/reports/<report>", "POST /admin/announcements"),
    *("PUT /admin/clubs/<club>/name", "DELETE /admin/clubs/<club>"),
    *("DELETE /admin/announcements/<announcement>", "GET /admin/log"),
    *("GET /admin/tournaments", "GET /admin/tournaments/<tournament>"),
    "POST /admin/tournaments/<tournament>/cancellation",
    "DELETE /admin/imports/<imported>",
    *("DELETE /admin/games/<game>/comments/<number>", "DELETE /admin/clubs/<club>/posts/<number>"),
    "DELETE /admin/tournaments/<tournament>/posts/<number>",
    *(f"{method} /admin/games/<game>/rating-exclusion" for method in ("PUT", "DELETE")),
)
OPERATION_SCOPES: Final[Mapping[str, Scope | None]] = {
    **dict.fromkeys(_READ, "read"),
    **dict.fromkeys(_PLAY, "play"),
    **dict.fromkeys(_CHAT, "chat"),
    **dict.fromkeys(_WEBHOOKS, "webhooks"),
    **dict.fromkeys(_SESSION_ONLY),
}


def operation_of(method: str, rule: str) -> str:
    """Return the name of a route in the table: its method, and its rule without converters."""
    return f"{method} {re.sub('<[^>]*:', '<', rule)}"


def scope_of(method: str, rule: str) -> Scope | None:
    """Return the scope that a route with authentication needs, or None if no scope allows it.

    Raises KeyError for a route that the table does not have.
    """
    return OPERATION_SCOPES[operation_of(method, rule)]
