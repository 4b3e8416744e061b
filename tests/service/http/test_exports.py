"""The export of all games of a player: complete, resumable, and with nothing that the player may not see."""

import orjson

from tests.support.accounts import Accounts, Json, PlayerClient, take_turn

RECORDS = "/api/v1/me/records"


def exported(player: PlayerClient, **params: object) -> list[Json]:
    response = player.http.get(RECORDS, params={name: str(value) for name, value in params.items()})
    assert response.status_code == 200
    assert response.content.endswith(b"\n") or not response.content
    return [orjson.loads(line) for line in response.content.splitlines()]


def test_all_games_are_exported_as_their_records_are(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    games = []
    for rules in ("barony", "baron"):
        game = ada.create_game(rules=rules, options={"private": True})
        invited = ada.http.post(f"/api/v1/games/{game}/invitations", json={"handle": bea.handle})
        assert invited.status_code == 201
        bea.join(game)
        for _ in range(3):
            take_turn(game, [ada, bea])
        games.append(game)
    assert exported(accounts.register()) == []
    for player in (ada, bea):
        lines = exported(player)
        assert [line["game"] for line in lines] == games[::-1]
        for line in lines:
            record = player.http.get(f"/api/v1/games/{line['game']}/record").content
            # The header has the time at which it was signed; all events are the same, with what is open.
            assert line["record"].encode().split(b"\n")[1:] == record.split(b"\n")[1:]
    seen = [exported(player)[0]["record"] for player in (ada, bea)]
    assert seen[0] != seen[1], "each seat sees its own secrets"

    for query in ("cursor=x", "limit=0", "player=ada"):
        assert ada.http.get(f"{RECORDS}?{query}").status_code == 400


def test_an_export_continues_after_its_last_line(accounts: Accounts) -> None:
    ada = accounts.register()
    games = [ada.create_game() for _ in range(5)][::-1]
    first = exported(ada, limit=2)
    assert [line["game"] for line in first] == games[:2]
    second = exported(ada, cursor=first[-1]["cursor"], limit=2)
    assert [line["game"] for line in second] == games[2:4]
    assert [line["game"] for line in exported(ada, cursor=second[-1]["cursor"])] == games[4:]
    assert exported(ada, cursor=exported(ada)[-1]["cursor"]) == []


def test_games_of_others_are_not_exported(accounts: Accounts) -> None:
    ada, bea = accounts.register(), accounts.register()
    ada.create_game(options={"private": True})
    own = bea.create_game()
    assert [line["game"] for line in exported(bea)] == [own]
