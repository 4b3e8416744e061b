"""Every record in tests/games/ can be read, folded and decided again, with the same result as before.

The files stand for games of the past. A change that fails here would change games that people have played,
so the change is wrong, not the file. There is one exception: when a rule is corrected, a decision may differ.
The two tests that decide again then have to name the game and the clause.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import pytest

from domain import baron, barony
from domain.baron.state import EVENT_APPLIERS as OF_BARON
from domain.barony.components import DUKE
from domain.barony.sorcery.state import SORCERY_APPLIERS as OF_BARONY
from domain.event import ZEROS, Event, RankingEntry, acting_seat
from domain.fold import _LIFE_CYCLE_APPLIERS, EarlierGames, evolve
from domain.game import Game
from ledger.canonical import canonical, digest
from replay.audit import audit
from tests.games.records import FOLDER, course_of, record_of
from tests.support.events import data_of

SIGNED_BY = "7a5f2ddb67056d32"
"""The key that was made for these records."""
MAX_RECORD_BYTES = 150_000


class Ending(NamedTuple):
    """How a game ended.

    `why` is the reason, `rounds` the number of rounds that began, and `state` the first 16 digits of the
    hash of the last position. `ranking` has `seat:score` from the first place to the last, with `=` between
    seats that share a place.
    """

    why: str
    seats: int
    rounds: int
    ranking: str
    state: str


GAMES = {
    "abandoned-in-play": Ending("abandoned", 2, 4, "", "28a30056ca738893"),
    "agreement": Ending("agreement", 3, 5, "1:16 2:15 0:2", "e345252d796e70de"),
    "agreement-by-departure": Ending("agreement", 3, 4, "2:0 0:0 1:0", "e95076a17668c806"),
    "baron-abandoned": Ending("abandoned", 3, 5, "", "964a0d0792810394"),
    "baron-battles": Ending("last turns over", 3, 24, "0:6 2:1 1:-7", "e69b795ca9e8335e"),
    "baron-disputes": Ending("one seat left", 3, 3, "0:-1 1:0 2:0", "7d36bbcda1adfdd6"),
    "baron-new-draws": Ending("one seat left", 3, 3, "0:0 2:0 1:0", "4823073a7d2c5373"),
    "baron-rulings-by-agreement": Ending("abandoned", 2, 2, "", "064600fc0961fb5b"),
    "baron-five": Ending("last turns over", 5, 25, "2:20 0:15 1:-7 4:-5 3:-1", "7dcc1e481cd09bc4"),
    "baron-last-turns-run-out": Ending("last turns over", 2, 37, "0:34 1:16", "4aef85762ed83a47"),
    "baron-nothing-can-be-laid": Ending("one seat left", 2, 4, "1:0 0:-1", "ad5df25b47469057"),
    "baron-one-left": Ending("one seat left", 3, 8, "0:9 2:-6 1:-5", "2c8133031db22896"),
    "baron-ties": Ending("last turns over", 4, 18, "1:17=3:17 0:13 2:6", "b509fab527581142"),
    "baron-clock-abandons": Ending("abandoned", 3, 6, "", "7f7264433979a351"),
    "blocked-by-departure": Ending("blocked", 3, 5, "1:3 0:1 2:4", "9b42531e5f62c3ae"),
    "blocked-round": Ending("blocked", 2, 7, "1:1 0:1", "b777f0b0e2713d9a"),
    "by-mail": Ending("round limit", 2, 6, "0:25 1:15", "4f380f6166b181a6"),
    "clock-abandons": Ending("abandoned", 3, 6, "", "207ea07c5918a215"),
    "clock-leaves-one": Ending("one seat left", 2, 0, "1:0 0:0", "e28f5fcbd154c53b"),
    "clock-runs-out": Ending("round limit", 4, 7, "1:2 0:2 3:1 2:0", "f2cabba8ece45aa9"),
    "courtesy": Ending("round limit", 2, 3, "1:0 0:0", "675d09963d4271f4"),
    "disputes": Ending("one seat left", 3, 3, "0:0 2:0 1:0", "71b72087ec4a40c5"),
    "duke-of-four": Ending("duke", 4, 29, "3:82 2:82 0:71 1:55", "5dfca3b9806983c7"),
    "duke-of-three": Ending("duke", 3, 31, "2:80 0:74 1:67", "bdf3471303bfcd55"),
    "duke-of-two": Ending("duke", 2, 28, "1:84 0:54", "492376b6ebdc60cb"),
    "duke-resigns": Ending("duke", 3, 27, "2:67 1:54 0:80", "23c00bb9a7735ccd"),
    "duke-sits-first": Ending("duke", 3, 28, "2:80 0:80 1:65", "9e5de9f0213dcd6f"),
    "dukes-tie": Ending("duke", 2, 32, "1:71 0:71", "3e21e81df5e69a10"),
    "everybody-left": Ending("abandoned", 3, 0, "", "0000000000000000"),
    "hints": Ending("round limit", 2, 3, "1:0 0:0", "22e3a3af3611c0ed"),
    "nonce-of-a-guest": Ending("round limit", 3, 4, "1:7 0:5 2:0", "401a390284a48c0b"),
    "one-left": Ending("one seat left", 4, 5, "1:0 3:2 2:0 0:0", "e95570fd0d38335f"),
    "one-left-in-set-up": Ending("one seat left", 3, 0, "1:0 2:0 0:0", "5f4845703c070618"),
    "people-desert-bots": Ending("abandoned", 3, 4, "", "5a53e3d93f781fb3"),
    "removed-by-arbiter": Ending("round limit", 4, 6, "3:26 1:16 2:0 0:0", "9b2d7d43560287dd"),
    "round-limit": Ending("round limit", 4, 12, "3:18 2:15 0:15 1:5", "561f7f0a6c0bb994"),
    "signed-actions": Ending("round limit", 3, 4, "2:6 0:6 1:0", "e38356c5b50f3837"),
    "sorcery-clock-abandons": Ending("abandoned", 3, 4, "", "bc29e560b5670a2e"),
    "sorcery-construction": Ending(
        "round limit", 5, 16, "4:62 1:53 3:45 0:44 2:40", "af0af5a6d2864ad6"
    ),
    "sorcery-disputes": Ending("one seat left", 3, 3, "0:3 2:0 1:0", "37201122c915ea05"),
    "sorcery-duke-of-five": Ending("duke", 5, 23, "3:89 2:81 0:70 4:66 1:63", "f5c9b1f63fd183bb"),
    "sorcery-duke-of-two": Ending("duke", 2, 33, "1:91 0:72", "59ec94287b2c7858"),
    "sorcery-imprints-decide": Ending("duke", 3, 32, "2:89 1:89 0:76", "a22edd6b0c80aff1"),
    "sorcery-movement": Ending("round limit", 4, 14, "1:40 2:35 0:34 3:28", "01cd8b0ec13aacca"),
    "sorcery-recruitment": Ending("round limit", 4, 13, "3:44 0:41 1:37 2:34", "5b72a59a5ab251d9"),
    "sorcery-resignation": Ending("round limit", 3, 15, "0:48 2:47 1:26", "9bb5bff148c29a9e"),
    "sorcery-round-limit": Ending("round limit", 2, 20, "0:22 1:10", "423e89d7f270045e"),
    "sorcery-sweeps": Ending("round limit", 5, 12, "0:38 4:34 2:34 1:32 3:20", "3a4f3b230f90d2ce"),
}
each_game = pytest.mark.parametrize("name", GAMES)


def reasons_of_end(name: str) -> set[str]:
    """Return every reason to end that holds in the position after which play was over."""
    course = course_of(name)
    end = course[-1]
    if end.status == "abandoned":
        return {"abandoned"}
    i = next(i for i, game in enumerate(course) if game.is_played_out)
    reasons_of = {barony.NAME: _reasons_in_barony, baron.NAME: _reasons_in_baron}[end.rules.NAME]
    assert end.state is not None
    reasons = {
        "one seat left": len(end.state.in_game()) == 1,
        **reasons_of(end.state, record_of(name).events[i], course[i - 1].state),
    }
    return {reason for reason, holds in reasons.items() if holds}


def _reasons_in_barony(state: Any, last: Event, before: Any) -> dict[str, bool]:
    """`last` is the event with which play was over, `before` the state before it."""
    passed = {*before.passed, *([last["data"]["seat"]] if last["type"] == "TurnPassed" else ())}
    staying = set(state.in_game())
    return {
        "duke": DUKE in state.rank,
        "blocked": passed >= staying,
        "round limit": state.round == state.round_limit,
        "agreement": state.end_by_agreement and staying <= set(state.end_agreed_by),
    }


def _reasons_in_baron(state: Any, last: Event, before: Any) -> dict[str, bool]:
    """BN-END-1: the game ends with the last of the last turns."""
    is_last_turn = before.turns_left is not None and sum(before.turns_left) == 1
    return {"last turns over": is_last_turn and state.turns_left == (0,) * len(state.players)}


def ranking_text(ranking: Iterable[RankingEntry]) -> str:
    """Return a ranking as text, in the form of `Ending.ranking`."""
    text, place = "", 1
    for entry in ranking:
        between = "=" if entry["place"] == place else " "
        text += f"{between if text else ''}{entry['seat']}:{entry['score']}"
        place = entry["place"]
    return text


def types_and_authors(events: Iterable[Event]) -> set[str]:
    """Return the types of events with the kinds of their authors, such as `PlayerRemoved by clock`."""
    return {
        f"{event['type']} by {event['by'].get('system', next(iter(event['by'])))}"
        for event in events
    }


def test_every_record_has_an_ending_in_the_table() -> None:
    assert {path.stem for path in FOLDER.glob("*.jsonl")} == GAMES.keys()


@each_game
def test_a_record_still_has_the_same_hashes_positions_and_result(name: str) -> None:
    record, course, ending = record_of(name), course_of(name), GAMES[name]
    prev = ZEROS
    for event, line, game in zip(record.events, record.lines, course, strict=True):
        unhashed = {field: value for field, value in event.items() if field != "hash"}
        assert event["prev"] == prev
        assert event["hash"] == digest(canonical(unhashed)), event["seq"]
        assert canonical(event) == line
        prev = event["hash"]
        position = game.position_while_on()
        state = ZEROS if position is None else digest(canonical(position))
        assert event["state"] == state, f"the position after event {event['seq']} differs"
    end = course[-1]
    assert (record.header["head"]["seq"], record.header["head"]["hash"]) == (end.seq, end.hash)
    assert end.status == ("abandoned" if ending.why == "abandoned" else "finished")
    assert (end.seats, end.round) == (ending.seats, ending.rounds)
    ranking = end.ranking or []
    assert ranking_text(ranking) == ending.ranking
    places = [entry["place"] for entry in ranking]
    assert places == [1 + sum(other < place for other in places) for place in places]
    assert end.state_hash[:16] == ending.state


@each_game
def test_a_record_can_be_folded_without_its_secrets(name: str) -> None:
    """Spectators see the same public positions, although they fold states without secrets."""
    game: Game | None = None
    earlier = EarlierGames(record_of(name).events)
    for event in record_of(name).events:
        game = evolve(game, event, earlier=earlier)
        earlier.keep(game)
        position = game.position_while_on()
        assert event["state"] == (ZEROS if position is None else digest(canonical(position)))


@each_game
def test_a_game_ended_for_one_reason_only(name: str) -> None:
    assert reasons_of_end(name) == {GAMES[name].why}


@each_game
def test_deciding_every_action_again_gives_the_same_event(name: str) -> None:
    course = course_of(name)
    for event, before in zip(record_of(name).events[1:], course, strict=False):
        if event["action"] is not None:
            action = before.rules.parse_action(event["action"])
            decided = before.decide(acting_seat(event["by"]) or 0, action)
            assert (decided.type, data_of(decided)) == (event["type"], event["data"])


def records_nonce_sources(events: Sequence[Event]) -> bool:
    """Whether the draws of the game, if it has started, are known to have been made with players' nonces."""
    joined = [event for event in events if event["type"] == "SeatTaken"]
    has_started = any(event["type"] == "GameStarted" for event in events)
    return not has_started or "nonce_from" in joined[-1]["data"]


def has_draws_of_the_server(events: Sequence[Event]) -> bool:
    """Whether play resumed with draws that the server could have chosen."""
    has_first_seed = "seed" not in events[0]["data"]
    resumed = (event for event in events if event["type"] == "PlayResumed")
    return has_first_seed and any("secrets" in event for event in resumed)


@each_game
def test_an_audit_finds_nothing_wrong(name: str) -> None:
    public = record_of(name).header["keys"][0]["public"]
    assert sha256(bytes.fromhex(public)).hexdigest()[:16] == SIGNED_BY
    with (FOLDER / f"{name}.jsonl").open("rb") as file:
        report = audit(file, keys=[public])
    assert report.findings == []
    record, unknown = record_of(name), {unknown.check for unknown in report.unknowns}
    # The servers of these records signed no checkpoints of a log.
    assert unknown <= ({"chance", "inclusion"} if "log" in record.header else {"chance"})
    assert ("chance" in unknown) == (
        not records_nonce_sources(record.events) or has_draws_of_the_server(record.events)
    )


def test_an_audit_knows_the_same_about_the_draws_of_earlier_games_as_ever() -> None:
    """The digest is that of the audit before there was a second version of the seed."""
    summaries: list[Any] = []
    for name in sorted(GAMES):
        if "seed" in record_of(name).events[0]["data"]:
            continue
        with (FOLDER / f"{name}.jsonl").open("rb") as file:
            report = audit(file)
        chance = next(check for check in report.checks if check.name == "chance")
        remarks = ([remark.seq for remark in kind] for kind in (chance.unknowns, chance.notes))
        summaries.append([name, chance.verdict, chance.count, *remarks])
    assert len(summaries) == len(GAMES) - 4
    assert (
        digest(canonical(summaries))
        == "ada54750b12acfc5266bd86a0eb617b39bdfc72f48689167413cb5c06240e857"
    )


@each_game
def test_every_round_is_scored_in_order_and_before_the_end(name: str) -> None:
    course = course_of(name)
    for event, before in zip(record_of(name).events[1:], course, strict=False):
        if event["type"] == "RoundScored":
            # After a resumption of play, rounds are scored again.
            assert event["data"]["round"] == before.rounds_scored + 1
    end = course[-1]
    assert end.rounds_scored == end.round or end.status == "abandoned"


@each_game
def test_a_record_is_small_enough_for_the_repository(name: str) -> None:
    assert (FOLDER / f"{name}.jsonl").stat().st_size < MAX_RECORD_BYTES


def test_there_is_a_game_for_every_way_to_end() -> None:
    reasons = {"agreement", "blocked", "duke", "round limit", "last turns over"}
    assert {ending.why for ending in GAMES.values()} == {*reasons, "abandoned", "one seat left"}
    assert {ending.seats for ending in GAMES.values() if ending.why == "duke"} == {2, 3, 4, 5}
    assert 0 in {ending.rounds for ending in GAMES.values() if ending.why == "one seat left"}


def test_every_type_of_event_is_in_some_game() -> None:
    types = {event["type"] for name in GAMES for event in record_of(name).events}
    assert types == {"GameCreated", "PlayResumed", *_LIFE_CYCLE_APPLIERS, *OF_BARONY, *OF_BARON}


def test_both_seatings_and_both_kinds_of_privacy_are_in_some_game() -> None:
    options = [record_of(name).events[0]["data"]["options"] for name in GAMES]
    assert {option["seating"] for option in options} == {"drawn", "joined"}
    assert {option["private"] for option in options} == {False, True}
    assert {option.get("sorcery") for option in options} == {None, False, True}


@pytest.mark.parametrize(
    ("name", "events"),
    [
        ("abandoned-in-play", ["GameAbandoned by arbiter"]),
        ("clock-abandons", ["TurnForfeited by clock", "GameAbandoned by clock"]),
        ("sorcery-clock-abandons", ["PlayerRemoved by arbiter", "GameAbandoned by clock"]),
        ("baron-clock-abandons", ["PlayerResigned by seat", "GameAbandoned by clock"]),
        ("people-desert-bots", ["TurnForfeited by clock", "GameAbandoned by clock"]),
        ("clock-leaves-one", ["PlayerRemoved by clock"]),
        ("clock-runs-out", ["PlayerRemoved by clock", "TurnForfeited by clock"]),
        ("everybody-left", ["SeatLeft by player", "GameAbandoned by start"]),
        ("removed-by-arbiter", ["PlayerRemoved by arbiter"]),
    ],
)
def test_a_record_names_the_part_of_the_system_that_acted(name: str, events: list[str]) -> None:
    assert set(events) <= types_and_authors(record_of(name).events)


def test_the_log_marks_bots_which_the_creator_adds() -> None:
    events = [e for e in record_of("people-desert-bots").events if e["type"] == "SeatTaken"]
    assert [(e["by"], e["data"]["player"], e["data"].get("bot")) for e in events] == [
        ({"player": "ada"}, "ada", None),
        ({"player": "ada"}, "sensible-bot-1", "sensible"),
        ({"player": "ada"}, "random-bot-1", "random"),
    ]
    last = course_of("people-desert-bots")[-1]
    assert last.bot_seats == (1, 2)
    assert {seat: len(seqs) for seat, seqs in last.forfeits.items()} == {0: 2}


def test_pawns_are_destroyed_and_tokens_taken_in_some_game() -> None:
    destroyed = [
        pawn
        for name in GAMES
        for event in record_of(name).events
        for move in event["data"].get("moves", ())
        for pawn in move.get("destroyed", ())
    ]
    assert {pawn["pawn"] for pawn in destroyed} == {"knight", "village"}
    assert {pawn.get("token") for pawn in destroyed} > {None}


def test_play_goes_on_before_a_round_is_scored_in_some_game() -> None:
    assert any(len(game.rounds_ended) > 1 for name in GAMES for game in course_of(name))


def test_a_round_in_which_every_turn_was_forfeited_is_not_blocked() -> None:
    """BY-TURN-5: nobody passed in it, so the game goes on."""
    course = course_of("clock-runs-out")
    in_round = [
        event["type"]
        for event, before in zip(record_of("clock-runs-out").events[1:], course, strict=False)
        if before.to_act is not None and before.round == 3 and "then" in event["data"]
    ]
    assert in_round == ["TurnForfeited"] * 3


def test_the_duke_who_resigned_ends_the_game_but_is_ranked_last() -> None:
    """BY-END-2, BY-END-6: others had turns in that round after the duke was gone."""
    events = record_of("duke-resigns").events
    i = next(i for i, event in enumerate(events) if event["type"] == "PlayerResigned")
    assert events[i]["data"]["then"]["phase"] == "play"
    assert [event["data"]["seat"] for event in events[i:] if "then" in event["data"]] == [0, 1, 2]


def test_a_settled_agreement_had_been_taken_back_before() -> None:
    """BY-END-5."""
    proposals = [
        (event["data"]["seat"], event["data"]["agree"])
        for event in record_of("agreement").events
        if event["type"] == "EndAgreed"
    ]
    assert proposals == [(2, True), (0, True), (2, False), (1, True), (2, True)]


def test_players_sign_their_actions_from_when_they_add_a_key_until_they_revoke_it() -> None:
    course = course_of("signed-actions")
    for event, before in zip(record_of("signed-actions").events[1:], course, strict=False):
        seat = acting_seat(event["by"])
        has_key = (
            event["action"] is not None
            and seat is not None
            and any(before.keys.get(before.players[seat], {}).values())
        )
        assert ("signature" in event) == has_key
    assert course[-1].keys["ada"].values() != course[-1].keys["bea"].values()


@pytest.mark.parametrize("name", ["round-limit", "baron-nothing-can-be-laid"])
def test_a_record_has_a_receipt_for_every_action(name: str) -> None:
    record = record_of(name)
    actions = [event["seq"] for event in record.events if event["action"] is not None]
    assert [receipt["seq"] for receipt in record.receipts] == actions
