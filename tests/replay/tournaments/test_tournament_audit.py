"""The audit of tournaments: an honest one holds, and each lie is found at its event."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from domain.errors import NotNow, Unreadable
from domain.json_types import JsonObject
from domain.tournaments.changes import decide_change
from domain.tournaments.events import TOURNAMENT_VERSIONS
from domain.tournaments.folding import fold_tournament
from domain.tournaments.formats import next_round
from ledger.canonical import canonical, digest
from replay.language.renderer import english
from replay.tournaments.audit import TournamentVerdict, audit_tournament
from replay.tournaments.dates import CALENDAR
from replay.tournaments.log import TournamentRecord, parse_event, read_tournament
from service.bootstrap import Service
from tests.support.tournaments import FinishedTournament, forged, of_type


@pytest.fixture
def finished(service: Service) -> FinishedTournament:
    """A tournament that is over."""
    return FinishedTournament(service)


def audit(
    finished: FinishedTournament, record: TournamentRecord | None = None
) -> TournamentVerdict:
    """Audit a record with all games."""
    return audit_tournament(record or finished.record, finished.games.get)


def test_an_honest_tournament_holds(finished: FinishedTournament) -> None:
    tournament = finished.load()
    assert tournament.status == "finished"
    types = [event["type"] for event in finished.record.events]
    assert {"TableSettled", "EntrantReplaced", "GamesSecretPublished"} <= set(types)
    verdict = audit(finished)
    assert verdict.outcome == "sound", verdict


OF_VERSION_1 = Path(__file__).parent / "tournament-of-version-1"
"""The record of a tournament that a server of version 1 has held, and those of its games."""


OF_VERSION_2 = Path(__file__).parent / "tournament-of-version-2"
"""The same of version 2."""


def record_of_version_1() -> TournamentRecord:
    """Return the record of a tournament of version 1."""
    return read_tournament((OF_VERSION_1 / "tournament.jsonl").read_bytes())


def test_a_tournament_of_version_1_keeps_its_rules() -> None:
    record = record_of_version_1()

    def load_game(game_id: str) -> bytes:
        return (OF_VERSION_1 / f"{game_id}.jsonl").read_bytes()

    verdict = audit_tournament(record, load_game)
    assert verdict.outcome == "sound", verdict
    tournament = fold_tournament(record.events)
    assert tournament.version == 1
    settings, players = tournament.format, range(len(tournament.entrants))
    rounds = tournament.as_rounds()
    pairings: dict[int, list[object]] = {
        version: [
            next_round(
                settings,
                players,
                rounds[:number],
                tournament.rounds[number].absent,
                tournament.draw,
                version,
            )
            for number in range(len(rounds))
        ]
        for version in TOURNAMENT_VERSIONS
    }
    assert pairings[1] == [drawn.tables for drawn in tournament.rounds]
    assert pairings[2] != pairings[1], "this record could be of version 2"


def test_a_tournament_of_version_2_keeps_its_rules() -> None:
    record = read_tournament((OF_VERSION_2 / "tournament.jsonl").read_bytes())
    games = {path.stem: path.read_bytes() for path in OF_VERSION_2.glob("*.jsonl")}
    verdict = audit_tournament(record, games.get)
    assert verdict.outcome == "sound", verdict
    tournament = fold_tournament(record.events)
    assert tournament.version == 2
    with pytest.raises(NotNow) as error:
        decide_change(
            replace(tournament, status="running"), "TournamentPaused", {}, "x", "", CALENDAR
        )
    assert "before organisers could make changes" in english(error.value.message)


def test_all_events_of_a_tournament_are_of_its_version() -> None:
    events = [*record_of_version_1().events]
    events[4] = {**events[4], "v": 2}
    with pytest.raises(Unreadable) as error:
        fold_tournament(events)
    assert english(error.value.message) == "event 5 is of another version of tournaments"


@pytest.mark.parametrize("version", [0, 4, True, "1"])
def test_a_tournament_of_an_unknown_version_is_not_read(version: object) -> None:
    event = {**record_of_version_1().events[0], "v": version}
    with pytest.raises(Unreadable) as error:
        parse_event(canonical(event))
    assert english(error.value.message) == "the field v has an invalid value"


def test_a_missing_game_is_reported(finished: FinishedTournament) -> None:
    game, _ = finished.games.popitem()
    verdict = audit(finished)
    assert (verdict.outcome, verdict.missing) == ("unknown", (game,))


def change_commitment(events: list[JsonObject]) -> None:
    events[0]["data"]["commitment"] = "0" * 64


def change_description(events: list[JsonObject]) -> None:
    # Nothing depends on it but the hashes, which the games name.
    events[0]["data"]["description"] = "never shown to anybody"


def change_lots(events: list[JsonObject]) -> None:
    of_type(events, "RegistrationClosed")["data"]["players"].reverse()


def change_nonce(events: list[JsonObject]) -> None:
    of_type(events, "PlayerRegistered")["data"]["nonce"] = "00"


def change_pairing(events: list[JsonObject]) -> None:
    of_type(events, "RoundDrawn")["data"]["tables"].reverse()


def change_last_date(events: list[JsonObject]) -> None:
    of_type(events, "RoundDrawn")["data"]["ends"] = "2026-03-09T09:00:00.000Z"


def change_result(events: list[JsonObject]) -> None:
    of_type(events, "ResultRecorded")["data"]["places"].reverse()


def change_settlement(events: list[JsonObject]) -> None:
    places = of_type(events, "TableSettled")["data"]["places"]
    places[:] = [3, 2, 1][: len(places)] if places[0] != 3 else [1, 2, 3][: len(places)]


def settle_earlier(events: list[JsonObject]) -> None:
    of_type(events, "TableSettled")["data"]["seq"] -= 1


def change_standings(events: list[JsonObject]) -> None:
    of_type(events, "TournamentFinished")["data"]["standings"][0].reverse()


def change_games_secret(events: list[JsonObject]) -> None:
    of_type(events, "GamesSecretPublished")["data"]["secret"] = "0" * 64


def register_another(events: list[JsonObject]) -> None:
    of_type(events, "PlayerRegistered")["by"] = {"player": "somebody"}


def drop_substitution(events: list[JsonObject]) -> None:
    events.remove(of_type(events, "EntrantReplaced"))


def register_too_late(events: list[JsonObject]) -> None:
    closed = events.index(of_type(events, "RegistrationClosed"))
    late = json.loads(json.dumps(events[closed - 1]))
    late |= {"at": events[closed]["at"], "by": {"player": "somebody"}}
    late["data"]["player"] = "somebody"
    events.insert(closed, late)


def publish_games_secret_early(events: list[JsonObject]) -> None:
    drawn, published = of_type(events, "RoundDrawn"), of_type(events, "GamesSecretPublished")
    cancelled = {**events[0], "type": "TournamentCancelled", "data": {"reason": "organiser"}}
    for event in (cancelled, published):
        event["at"] = drawn["at"]
    events[events.index(drawn) + 1 :] = [cancelled, published]


LIES = [
    (register_too_late, "PlayerRegistered"),
    (change_commitment, "RegistrationClosed"),
    (change_lots, "RegistrationClosed"),
    (change_nonce, "RegistrationClosed"),
    (change_pairing, "RoundDrawn"),
    (change_last_date, "RoundDrawn"),
    (change_description, "RoundDrawn"),
    (change_result, "ResultRecorded"),
    (change_settlement, "TableSettled"),
    (settle_earlier, "TableSettled"),
    (change_standings, "TournamentFinished"),
    (change_games_secret, "GamesSecretPublished"),
    (publish_games_secret_early, "GamesSecretPublished"),
    (register_another, "PlayerRegistered"),
    (drop_substitution, "RoundDrawn"),
]
"""Changes after which the server repairs every hash and signs anew, and the event at which each is found."""


def test_each_lie_is_found(finished: FinishedTournament) -> None:
    for change, type in LIES:
        record = forged(finished, change)
        verdict = audit(finished, record)
        assert verdict.outcome == "broken", (change, verdict)
        assert verdict.seq is not None
        assert record.events[verdict.seq - 1]["type"] == type, (change, verdict)


@pytest.mark.parametrize("changes", [{"options": {"substitutes": True}}, {"arbiter": "eve"}])
def test_a_game_with_a_setting_that_the_tournament_does_not_have_is_found(
    finished: FinishedTournament, changes: JsonObject
) -> None:
    drawn = of_type(list(map(dict, finished.record.events)), "RoundDrawn")
    game_id = next(game for game in drawn["data"]["games"] if game is not None)
    header, *events = map(json.loads, finished.games[game_id].splitlines())
    created = events[0]["data"]
    created |= {**changes, "options": created["options"] | changes.get("options", {})}
    prev = "0" * 64
    for event in events:
        event["prev"] = prev
        unsealed = {name: value for name, value in event.items() if name != "hash"}
        prev = event["hash"] = digest(canonical(unsealed))
    header = {name: header[name] for name in header if name not in ("inclusion", "log")}
    header["head"] = {"seq": len(events), "hash": prev}
    header = finished.service.keyring.signing_key.sign_head(header)
    lines = [canonical(header), *map(canonical, events)]
    finished.games[game_id] = b"\n".join(lines) + b"\n"
    verdict = audit(finished)
    assert (verdict.outcome, verdict.seq) == ("broken", drawn["seq"])
    assert "its settings, players or nonces differ" in english(verdict.reason)


def test_an_edited_event_breaks_the_chain(finished: FinishedTournament) -> None:
    event = finished.record.events[0]
    event["data"]["name"] = "Other cup"
    verdict = audit(finished)
    assert (verdict.outcome, verdict.seq) == ("broken", 1)
