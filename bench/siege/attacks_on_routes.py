"""Attacks on pages and calls by players of a long game: every route of the service is in one of the attacks.

`tests/service/server/test_siege_routes.py` compares the attacks with the routes of the application.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import orjson

from bench.siege.attack import API, GAME, ONE_ADDRESS, Attack, Target, request
from bench.siege.traffic import Hold, Pause, Read, Reset, Script, Send, Step, Traffic

PAUSE: Final = Pause(0.01)
"""Between two requests on one connection, so that the attacker itself costs little."""
CONNECTIONS: Final = 8
HOME_CLIENTS: Final = 20
STREAMS_PER_ADDRESS: Final = 100
STREAM_ADDRESSES: Final = 15
STREAMS: Final = STREAMS_PER_ADDRESS * STREAM_ADDRESSES
WRITERS: Final = 4
SEQS: Final = 50
"""Events of the long game at which pages are requested."""
ABANDON_SECONDS: Final = 0.02
UNKNOWN: Final = "unknown"
CLUB_PAGES: Final = ("agenda", "challenges", "officers", "owner", "posts", "ratings")
IMPORT_PAGES: Final = ("", "/replay?seq=1", "/table", "/log", "/compare", "/scores", "/record")
"""The pages of an imported record."""
"""Stands for the id of something that does not exist."""
TOURNAMENT_PAGES: Final = (
    *(
        "",
        "/calendar.ics",
        "/organise",
        "/live",
        "/posts",
        "/standings.csv",
        "/bracket.svg",
        "/table",
    ),
    *("/team", f"/teams/{UNKNOWN}"),
)
TEAM_FORMS: Final = (
    "team",
    *(f"teams/{UNKNOWN}/{part}" for part in ("captain", "join", "line-up")),
)
TEAM_CALLS: Final = (
    "mine",
    *(f"{UNKNOWN}/{part}" for part in ("captain", "players/me", "line-ups/1")),
)
_POST_FORMS: Final = ("/1/erase", "/1/removal", "/1/report")
"""What a reader does with a post of a club or of a tournament."""
ADMINISTERED_ACCOUNT: Final = (
    *("password", "sessions", "suspension", "unsuspension", "role", "role/revocation", "erasure"),
)
ADMINISTERED_GAME: Final = (
    *("removals", "seat-moves", "abandonment", "extensions", "exclusion", "inclusion"),
)
"""The forms of administrators about an account, and about a game."""


def _pages(target: Target, paths: Sequence[str]) -> list[Send]:
    """Return requests for pages by the players of the long game, who have logged in."""
    return [
        request("GET", path, headers=f"Cookie: {cookie}\r\n")
        for path in paths
        for cookie in target.cookies
    ]


def _calls(target: Target, method: str, paths: Sequence[str], body: bytes = b"") -> list[Send]:
    return [request(method, f"{API}{path}", body, target.tokens[0]) for path in paths]


def _cycle(sends: Sequence[Send]) -> Script:
    """Return the script that sends all of these requests again and again, from a place of its own."""

    def script(number: int) -> Iterator[Step]:
        first = number * len(sends) // CONNECTIONS
        while True:
            for index in range(len(sends)):
                yield sends[(first + index) % len(sends)]
                yield Read()
                yield PAUSE

    return script


def _traffic(sends: Sequence[Send], connections: int = CONNECTIONS) -> Traffic:
    return Traffic(_cycle(sends), connections, 100, ONE_ADDRESS)


def _seqs(target: Target) -> list[int]:
    """Return events throughout the long game, none of them near another one."""
    return [1 + number * (target.long_game_events - 1) // SEQS for number in range(1, SEQS)]


def _event_pages(target: Target) -> Traffic:
    game = f"/games/{target.long_game}"
    paths = [f"{game}?seq={seq}" for seq in _seqs(target)]
    paths += [f"{game}/compare?from={seq}&to={seq // 2 + 1}" for seq in _seqs(target)]
    return _traffic(_pages(target, paths))


def _log_filters(target: Target) -> Traffic:
    filters = ("hex=90,90", "seat=1&hex=0,0", "type=GameFinished", "clause=BY-END-1")
    paths = [
        f"/games/{target.long_game}/log?{condition}&after={seq}"
        for seq in _seqs(target)
        for condition in filters
    ]
    calls = [
        f"/games/{target.long_game}/events?after={seq}&{condition}"
        for seq in _seqs(target)
        for condition in ("type=GameFinished", "seat=1")
    ]
    return _traffic([*_pages(target, paths), *_calls(target, "GET", calls)])


def _game_pages(target: Target) -> Traffic:
    parts = (*(page for page in target.pages if GAME in page), f"/games/{GAME}/disputes/1")
    games = (target.long_game, target.short_game)
    return _traffic(_pages(target, [part.replace(GAME, game) for part in parts for game in games]))


def _home_pages(target: Target) -> Traffic:
    filters = "&player=siege&rules=barony"
    lists = [f"/games?list={name}{filters}" for name in ("all", "finished", "watch")]
    paths = (
        *(page for page in target.pages if GAME not in page and not _is_of_account(page)),
        *("/games?list=watch", "/games?list=finished"),
        *(f"/tournaments/{UNKNOWN}{part}" for part in TOURNAMENT_PAGES),
        *(f"/imports/{UNKNOWN}{part}" for part in IMPORT_PAGES),
        *(f"/clubs/{UNKNOWN}", f"/clubs/invitations/{UNKNOWN}", "/puzzles/1"),
        *(f"/clubs/{UNKNOWN}/{part}" for part in CLUB_PAGES),
        f"/admin/players/{UNKNOWN}",
        *lists,
        "/players/siege",
    )
    anonymous = [request("GET", path) for path in paths]
    return _traffic([*anonymous, *_pages(target, paths)], HOME_CLIENTS)


def _is_of_account(page: str) -> bool:
    return page.startswith("/account")


def _account_pages(target: Target) -> Traffic:
    paths = (
        *(page for page in target.pages if _is_of_account(page)),
        *("/rules/barony", "/rules/barony/introduction", "/rules/pictures/barony/en.svg"),
        *(
            "/pictures/barony.svg",
            "/static/0/style.css",
            "/dictionaries/0.dict",
            "/icons/icon-512.png",
        ),
        *(f"/email/confirm/{UNKNOWN}", f"/unsubscribe/{UNKNOWN}", f"/invitations/{UNKNOWN}"),
        f"/password/new/{UNKNOWN}",
    )
    return _traffic(_pages(target, paths))


def _forms(target: Target) -> Traffic:
    game = f"/games/{target.long_game}"
    parts = (
        *(
            "/actions",
            "/bots",
            "/clock",
            "/clock/time",
            "/notes",
            *("/comments", "/comments/1/erase", "/comments/1/report"),
            "/decline",
            "/disputes",
            "/disputes/1/answers",
        ),
        *("/disputes/1/rulings", "/disputes/1/withdrawal", "/invitation", "/invited", "/leave"),
        *("/concerns/dismissals", "/hints", "/lessons", "/notifications"),
        *("/messages", "/messages/1/erase", "/messages/1/report", "/conditional-actions"),
        *("/conditional-actions/deletion", "/conditional-actions/signature"),
        *("/players", "/rematch", "/seats/leave", "/substitutes", "/takebacks"),
        *("/takebacks/1/answers", "/uninvited", "/sandboxes", "/analysis", "/ready"),
    )
    account = (
        *("/email", "/email/remove", "/holidays", "/holidays/cancel", "/holidays/time-zone"),
        *("/keys", "/keys/name", "/keys/revoke", "/bot", "/tokens", "/tokens/revoke"),
        *("/mutes", "/notifications", "/notifications/feeds", "/notifications/feeds/revoke"),
        *("/profile", "/presence"),
        *("/notifications/push", "/notifications/push/remove", "/webhooks"),
        *("/webhooks/enable", "/webhooks/remove", "/webhooks/test"),
    )
    club = (
        *("/admit", "/close", "/edit", "/invited", "/join", "/leave", "/link", "/owner", "/remove"),
        *("/officers", "/officers/dismiss", "/posts"),
        *("/agenda", "/agenda/cancellation", "/polls"),
        *(f"/challenges{part}" for part in ("", "/acceptance", "/refusal")),
        *(f"/polls/{part}" for part in ("meeting", "votes", "withdrawal")),
        *(f"/posts{part}" for part in _POST_FORMS),
        *("/webhook", "/webhook/remove", "/webhook/test"),
    )
    sandbox = f"/sandboxes/{target.sandboxes[0]}"
    paths = [
        *(game + part for part in parts),
        *(f"/account{part}" for part in account),
        *(sandbox + part for part in ("/actions", "/undo", "/bots", "/deletion")),
        *("/announcements/dismissals", "/games", "/language", "/password/forgotten", "/play"),
        *("/play/friends", "/theme"),
        "/tutorial",
        *("/imports", f"/imports/{UNKNOWN}/audit", f"/imports/{UNKNOWN}/delete"),
        *("/clubs", f"/clubs/invitations/{UNKNOWN}", "/puzzles/1/attempts"),
        *(f"/admin/players/{UNKNOWN}/{part}" for part in ADMINISTERED_ACCOUNT),
        *(f"/admin/games/{UNKNOWN}/{part}" for part in ADMINISTERED_GAME),
        *(f"/admin/reports/{UNKNOWN}/{part}" for part in ("closing", "comment")),
        *(f"/admin/deliveries/{UNKNOWN}/{part}" for part in ("attempts", "cancellation")),
        *("/admin/backups", "/admin/announcements", f"/admin/announcements/{UNKNOWN}/withdrawal"),
        f"/admin/keys/{UNKNOWN}/retirement",
        *(f"/clubs/{UNKNOWN}{part}" for part in club),
        "/tournaments",
        *(
            f"/tournaments/{UNKNOWN}/{part}"
            for part in ("players", "withdraw", "byes", "break", "again", "exclude")
        ),
        *(f"/tournaments/{UNKNOWN}/{part}" for part in ("invite", "replace", "cancel", "organise")),
        *(f"/tournaments/{UNKNOWN}/{part}" for part in TEAM_FORMS),
        *(f"/tournaments/{UNKNOWN}/posts{part}" for part in ("", *_POST_FORMS)),
        *(f"/email/confirm/{UNKNOWN}", f"/unsubscribe/{UNKNOWN}"),
    ]
    # Not from the first account, whose sandbox a form would delete.
    return _traffic([_form(target, path, target.cookies[1]) for path in paths])


def _form(target: Target, path: str, cookie: str) -> Send:
    """Return the request with a form that has none of the fields that it needs."""
    body = f"csrf_token={target.form_token}".encode()
    head = (
        f"POST {path} HTTP/1.1\r\nHost: siege\r\nOrigin: http://siege\r\nCookie: {cookie}\r\n"
        f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return Send(head.encode() + body, 1)


def _readings(target: Target) -> Traffic:
    game = f"/games/{target.long_game}"
    parts = (
        *("", "/conditional-actions", "/disputes", "/disputes/1", "/events", "/events/5000"),
        *("/analysis", "/people"),
        *(
            "/legal-actions",
            "/lessons",
            "/messages",
            "/notes",
            "/comments",
            "/notifications",
            "/position.svg",
        ),
        *(f"/head?seq={seq}&limit=200" for seq in _seqs(target)[::10]),
    )
    paths = (
        *(game + part for part in parts),
        *("/docs", "/docs/files/rapidoc-min.js", "/openapi.json", "/keys", "/announcements"),
        *(f"/feeds/{UNKNOWN}/deadlines.ics", f"/feeds/{UNKNOWN}/games.atom"),
        *(
            f"/invitations/{UNKNOWN}",
            "/events?limit=500",
            "/statistics",
            "/leaderboards?system=baron",
            *("/puzzles?limit=100", "/puzzles/today", "/puzzles/1", "/puzzles/1/solution"),
            "/explorer?system=sorcery&seats=5",
            "/explorer/games?system=baron&seats=2&table=keeps_placed&value=5",
            f"/explorer/positions?state={'0' * 64}",
            "/log/checkpoint",
            "/log/epochs",
            "/log/leaves?first=0",
            "/ratings/statement",
            "/ratings/games",
            "/leaderboards/baron",
            "/tournaments",
            *(f"/tournaments/{UNKNOWN}{part}" for part in ("", "/events", "/record", "/standings")),
        ),
        *("/log/proofs/consistency?first=1&second=1", "/log/proofs/inclusion?leaf=0&size=1"),
        *(
            "/clubs?limit=100",
            f"/clubs/{UNKNOWN}",
            f"/clubs/{UNKNOWN}/members",
            *(f"/{room}/{UNKNOWN}/posts" for room in ("clubs", "tournaments")),
            *(f"/clubs/{UNKNOWN}/{part}" for part in ("challenges", "meetings", "polls")),
            *(f"/clubs/{UNKNOWN}/ratings/{part}" for part in ("games", "statement")),
            f"/clubs/{UNKNOWN}/leaderboards/baron",
            f"/clubs/{UNKNOWN}/webhook",
            f"/clubs/{UNKNOWN}/webhook/deliveries",
            "/me/clubs",
            "/me/deliveries",
            "/me/feeds",
            "/me/holidays",
            "/me/invitations",
            "/me/keys",
            "/me/mutes",
            "/me/notes",
        ),
        *("/players/siege", "/players/siege/games?result=won", "/players/siege/head-to-head/siege"),
        *(
            "/me/notifications",
            "/me/push",
            "/me/receipts",
            "/me/records",
            "/me/imports",
            "/me/sessions",
            "/me/tokens",
            "/me/webhooks",
        ),
        *("/admin/games", "/admin/log", "/admin/players", f"/admin/players/{UNKNOWN}"),
        *("/admin/reports", "/admin/work"),
        *("/admin/tournaments", f"/admin/tournaments/{UNKNOWN}"),
        *("/imports?limit=100", f"/imports/{UNKNOWN}", f"/imports/{UNKNOWN}/record"),
    )
    health = request("GET", "/healthz/processes")
    return _traffic([*_calls(target, "GET", paths), health])


def _refused_calls(target: Target) -> Traffic:
    game = f"/games/{target.long_game}"
    admin = f"/admin/games/{target.long_game}"
    posts = [
        f"{game}/hints",
        *(f"{game}/analysis", f"{game}/bots", f"{game}/disputes", f"{game}/disputes/1/answers"),
        *(f"{game}/disputes/1/rulings", f"{game}/invitations", f"{game}/messages"),
        *(
            f"{game}/messages/1/report",
            f"{game}/comments",
            f"{game}/comments/1/report",
            f"{game}/pause",
            f"{game}/time",
            f"{game}/rematch",
            f"{game}/substitutes",
        ),
        *(f"{game}/takebacks", f"{game}/takebacks/1/answers", "/guests", "/log/cosignatures"),
        *("/me/email", "/me/feeds", "/me/holidays", "/me/keys", "/me/push", "/me/tokens"),
        "/me/webhooks",
        "/password-resets",
        "/puzzles/1/attempts",
        "/imports",
        *("/clubs", f"/clubs/{UNKNOWN}/invitations", f"/clubs/{UNKNOWN}/webhook/test"),
        *(f"/clubs/{UNKNOWN}/posts", f"/clubs/{UNKNOWN}/posts/1/report"),
        *(f"/tournaments/{UNKNOWN}/posts", f"/tournaments/{UNKNOWN}/posts/1/report"),
        *(f"/clubs/{UNKNOWN}/{part}" for part in ("challenges", "meetings", "polls")),
        f"/clubs/{UNKNOWN}/polls/{UNKNOWN}/meeting",
        f"/clubs/{UNKNOWN}/challenges/{UNKNOWN}/tournament",
        *(f"/me/webhooks/{UNKNOWN}/enable", f"/me/webhooks/{UNKNOWN}/test"),
        *(f"{admin}/abandonment", f"{admin}/extensions", f"{admin}/removals"),
        *(f"{admin}/seat-moves", "/admin/announcements", "/tournaments"),
        *(f"/tournaments/{UNKNOWN}/{part}" for part in ("cancellation", "replacements", "changes")),
        *(f"/admin/players/{UNKNOWN}/password", f"/admin/deliveries/{UNKNOWN}/attempts"),
        f"/admin/deliveries/{UNKNOWN}/cancellation",
        f"/admin/tournaments/{UNKNOWN}/cancellation",
    ]
    puts = (
        *(f"{game}/conditional-actions", f"{game}/notifications", f"/me/mutes/{UNKNOWN}"),
        *("/me/bot", f"{game}/notes/1", f"{game}/ready", f"/tournaments/{UNKNOWN}/players/me"),
        *(
            f"/tournaments/{UNKNOWN}/{part}"
            for part in (f"invitations/{UNKNOWN}", "byes/1", "break")
        ),
        *(f"/tournaments/{UNKNOWN}/teams/{part}" for part in TEAM_CALLS),
        *(f"/clubs/{UNKNOWN}/{part}" for part in ("owner", "members/me", f"members/{UNKNOWN}")),
        *(f"/clubs/{UNKNOWN}/webhook", f"/admin/clubs/{UNKNOWN}/name"),
        f"/clubs/{UNKNOWN}/polls/{UNKNOWN}/votes/me",
        *(f"/clubs/{UNKNOWN}/{part}/{UNKNOWN}" for part in ("officers", "meetings")),
        *(f"/admin/players/{UNKNOWN}/role", f"/admin/players/{UNKNOWN}/suspension"),
        f"{admin}/rating-exclusion",
    )
    deletions = (
        *(f"{game}/conditional-actions", f"{game}/disputes/1", f"{game}/invitations/me"),
        *(f"{game}/invitations/mine", f"{game}/invitations/players/{UNKNOWN}"),
        *(f"{game}/messages/1", f"{game}/notes/1", f"{game}/comments/1"),
        *(f"/me/feeds/{UNKNOWN}", f"/me/holidays/{UNKNOWN}"),
        *(f"/me/keys/{UNKNOWN}", f"/me/mutes/{UNKNOWN}", f"/me/push/{UNKNOWN}"),
        *(
            f"/me/sessions/{UNKNOWN}",
            f"/me/tokens/{UNKNOWN}",
            f"/me/webhooks/{UNKNOWN}",
            f"/admin/players/{UNKNOWN}",
        ),
        *(f"/admin/players/{UNKNOWN}/role", f"/admin/players/{UNKNOWN}/sessions"),
        *(f"/admin/announcements/{UNKNOWN}", f"/admin/imports/{UNKNOWN}", f"/imports/{UNKNOWN}"),
        *(f"{admin}/comments/1", f"{admin}/rating-exclusion"),
        *(f"/admin/clubs/{UNKNOWN}", f"/admin/clubs/{UNKNOWN}/posts/1"),
        *(f"/clubs/{UNKNOWN}/posts/1", f"/tournaments/{UNKNOWN}/posts/1"),
        f"/admin/tournaments/{UNKNOWN}/posts/1",
        *(f"/clubs/{UNKNOWN}", f"/clubs/{UNKNOWN}/invitations", f"/clubs/{UNKNOWN}/webhook"),
        *(f"/clubs/{UNKNOWN}/members/{part}" for part in ("me", UNKNOWN)),
        *(f"/clubs/{UNKNOWN}/{part}/{UNKNOWN}" for part in ("officers", "meetings", "polls")),
        f"/clubs/{UNKNOWN}/challenges/{UNKNOWN}",
        *(f"/admin/players/{UNKNOWN}/suspension", f"/admin/reports/{UNKNOWN}"),
        *(
            f"/tournaments/{UNKNOWN}/{part}"
            for part in ("players/me", f"players/{UNKNOWN}", "byes/1", "break")
        ),
    )
    body = b'{"unknown":1}'
    return _traffic(
        [
            *_calls(target, "POST", posts, body),
            *_calls(target, "PUT", puts, body),
            *_calls(
                target,
                "PATCH",
                ("/me", "/me/notifications", f"/me/keys/{UNKNOWN}", f"/clubs/{UNKNOWN}"),
                body,
            ),
            *_calls(target, "DELETE", deletions),
        ]
    )


def _sandboxes(target: Target) -> Traffic:
    bodies = [orjson.dumps({"game": target.long_game, "seq": seq}) for seq in _seqs(target)]
    made = [send for body in bodies for send in _calls(target, "POST", ("/sandboxes",), body)]
    parts = [f"/sandboxes/{sandbox}" for sandbox in target.sandboxes]
    read = _calls(target, "GET", parts)
    pages = _pages(
        target, [f"/sandboxes/{id}{end}" for id in target.sandboxes for end in ("", "/table")]
    )
    changed = [
        *_calls(
            target, "POST", [f"{part}/bots" for part in parts], b'{"bot":"random","seats":[0,1]}'
        ),
        *_calls(target, "POST", [f"{part}/undo" for part in parts], b"{}"),
        *_calls(target, "POST", [f"{part}/actions" for part in parts], b'{"action":{"type":"x"}}'),
        *_calls(target, "DELETE", [f"/sandboxes/{UNKNOWN}"]),
    ]
    return _traffic([*made, *read, *pages, *changed])


def _uploads(target: Target) -> Traffic:
    bodies = (b'{"a":1}\n' * 100_000, b"[" * 200_000, b"[" + b"{}," * 300_000 + b"{}]")
    sends = [
        send
        for body in bodies
        for token in target.tokens
        for send in (request("POST", f"{API}/imports", body, token),)
    ]
    lines = [
        Send(send.data.replace(b"application/json", b"application/jsonl", 1), send.requests)
        for send in sends
    ]
    return _traffic([*lines, *_calls(target, "GET", ("/imports?after=1000", "/me/imports"))])


def _watched_game(target: Target) -> Traffic:
    game = f"{API}/games/{target.open_games[0]}"

    def script(number: int) -> Iterator[Step]:
        if number >= WRITERS:
            yield request("GET", f"{game}/stream")
            yield Hold()
        # One account: with a second one the game would be full, and begin.
        token = target.tokens[1]
        while True:
            yield request("POST", f"{game}/players", b"{}", token)
            yield Read()
            yield request("DELETE", f"{game}/players/me", token=token)
            yield Read()
            yield PAUSE

    addresses = tuple(f"127.2.0.{number + 1}" for number in range(STREAM_ADDRESSES))
    total = STREAMS + WRITERS
    return Traffic(script, total, 500, addresses, total=total)


def _my_streams(target: Target) -> Traffic:
    sends = [
        request("GET", f"{API}/me/stream", token=target.tokens[0]),
        *_pages(target, [f"/games/{target.long_game}/stream", "/stream"]),
    ]

    def script(number: int) -> Iterator[Step]:
        yield sends[number % len(sends)]
        yield Pause(0.05)
        yield Reset()

    return Traffic(script, 50, 100, ONE_ADDRESS)


def _abandoned_records(target: Target) -> Traffic:
    def script(number: int) -> Iterator[Step]:
        yield request("GET", f"{API}/games/{target.long_game}/record")
        yield Pause(ABANDON_SECONDS)

    return Traffic(script, 20, 500, ONE_ADDRESS)


def _pictures(target: Target) -> Traffic:
    calls = [f"/games/{target.long_game}/position.png?seq={seq}" for seq in _seqs(target)]
    audits = [
        _form(target, f"/games/{target.short_game}/audit", cookie) for cookie in target.cookies
    ]
    pages = [path.removeprefix(API) for path in calls]
    return _traffic([*_calls(target, "GET", calls), *_pages(target, pages), *audits])


ATTACKS: Final = (
    Attack("event-pages", "requests pages of events throughout a long game", _event_pages),
    Attack("log-filters", "filters the log of a long game by what is rare in it", _log_filters),
    Attack("game-pages", "requests all other pages of a long and a short game", _game_pages),
    Attack("home-pages", "requests the first page and the lists with 20 clients", _home_pages),
    Attack(
        "account-pages", "requests the pages of an account and the pages of texts", _account_pages
    ),
    Attack("forms", "sends every form of the pages without its fields", _forms),
    Attack("readings", "calls every route of the API that only reads", _readings),
    Attack(
        "refused-calls",
        "calls every route of the API that changes something, and is refused",
        _refused_calls,
    ),
    Attack("sandboxes", "makes, reads and changes sandboxes of a long game", _sandboxes),
    Attack("uploads", "uploads large files that are no records", _uploads),
    Attack(
        "watched-game",
        "watches a game with 1,500 event streams while others join and leave it",
        _watched_game,
        seconds=10,
    ),
    Attack(
        "player-streams", "opens 100 event streams of players a second and resets each", _my_streams
    ),
    Attack(
        "abandoned-records",
        "requests long records and disconnects at once, without a pause",
        _abandoned_records,
    ),
    Attack("pictures", "requests pictures of positions and audits", _pictures),
)
