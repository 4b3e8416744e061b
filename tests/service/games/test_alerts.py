"""What concerns a person in a game besides the turn, from the folded game."""

from typing import Any

from domain.event import Clock
from domain.game import Game
from ledger.statements import (
    AgreeToPause,
    AnswerDispute,
    AnswerTakeback,
    GiveRuling,
    OpenDispute,
    RequestTakeback,
    WithdrawDispute,
)
from replay.language.renderer import english
from service.bootstrap import Service
from service.games.alerts import alerts_of, counted_alerts
from service.games.summary import decode_summary, encode_summary, summarize
from tests.support.page_forms import PASSWORD
from tests.support.service_games import play_out, play_set_up, start_game, take_action

CLOCK: Clock = {"per_turn": 3600}
DISMISS = {"type": "dismiss"}
ABANDON = {"type": "abandon"}


def alerts(service: Service, game_id: str, player: str) -> list[str]:
    """Return the urgency and the text of everything that concerns a player in a game, in order."""
    game = service.games.queries.game(game_id)
    rematch = service.games.rematches.of(game) if game.has_ended else None
    return [f"{alert.urgency}: {english(alert.text)}" for alert in alerts_of(game, player, rematch)]


def ask_for_takeback(service: Service, seats: int = 2) -> tuple[Game, int]:
    """Start a game in which ada asks to take back her first placement; return the request's seq too."""
    game = start_game(service, seats, takebacks=True)
    take_action(service, game.id)
    accepted = service.games.statements.state(game.id, "ada", RequestTakeback())
    return game, accepted.events[0]["seq"]


def test_a_game_without_questions_has_no_alerts(service: Service) -> None:
    game = start_game(service, clock=CLOCK, takebacks=True)
    take_action(service, game.id)
    for player in ("ada", "bea", "eve"):
        assert alerts(service, game.id, player) == []
    assert alerts_of(service.games.queries.game(game.id), None) == []


def test_a_takeback_waits_for_the_others_until_they_have_answered(service: Service) -> None:
    game, number = ask_for_takeback(service, seats=3)
    asked = "answer: seat 0 asks to take back their last action"
    assert alerts(service, game.id, "bea") == [asked]
    assert alerts(service, game.id, "ada") == ["status: your takeback waits for seat 1 and seat 2"]
    assert alerts(service, game.id, "eve") == []
    state, answer = service.games.statements.state, AnswerTakeback(number, agree=True)
    state(game.id, "bea", answer)
    assert alerts(service, game.id, "bea") == ["status: the takeback of seat 0 waits for seat 2"]
    assert alerts(service, game.id, "cid") == [asked]
    state(game.id, "cid", answer)
    back = "the last action was taken back: play continues after event"
    assert alerts(service, game.id, "ada") == [f"news: {back} {game.seq}"]
    assert alerts(service, game.id, "cid") == [f"status: {back} {game.seq}"]
    take_action(service, game.id)
    assert alerts(service, game.id, "ada") == []


def test_the_player_whose_takeback_is_refused_learns_of_it(service: Service) -> None:
    game, number = ask_for_takeback(service)
    service.games.statements.state(game.id, "bea", AnswerTakeback(number, agree=False))
    assert alerts(service, game.id, "ada") == [
        "news: seat 1 does not agree to take back your last action"
    ]
    assert alerts(service, game.id, "bea") == []


def test_a_dispute_waits_for_answers_and_its_proposals_for_agreement(service: Service) -> None:
    game = start_game(service, 3, CLOCK)
    disputes = service.games.statements
    number = disputes.state(game.id, "ada", OpenDispute(1, "Wrong.")).events[0]["seq"]
    disputed = "seat 0 disputes event 1"
    assert alerts(service, game.id, "bea") == [f"answer: {disputed}"]
    assert alerts(service, game.id, "ada") == ["status: your dispute of event 1 waits for a ruling"]
    disputes.state(game.id, "bea", AnswerDispute(number, "No."))
    assert alerts(service, game.id, "bea") == [f"status: {disputed}"]
    disputes.state(game.id, "cid", GiveRuling(number, ABANDON))
    offer = "answer: seat 2 proposes to end the dispute: the game is abandoned"
    assert alerts(service, game.id, "ada") == [offer]
    assert alerts(service, game.id, "bea") == [offer]
    assert alerts(service, game.id, "cid") == [f"status: {disputed}"]
    for player in ("ada", "bea", "cid"):
        disputes.state(game.id, player, GiveRuling(number, DISMISS))
    ruled = "news: the dispute of event 1 has ended: the dispute is dismissed"
    assert [alerts(service, game.id, player) for player in ("ada", "bea", "cid")] == [[ruled]] * 3


def test_a_withdrawn_dispute_is_news_for_everybody_but_its_opener(service: Service) -> None:
    game = start_game(service)
    number = service.games.statements.state(game.id, "ada", OpenDispute(1, "Wrong.")).events[0][
        "seq"
    ]
    service.games.statements.state(game.id, "ada", WithdrawDispute(number))
    assert alerts(service, game.id, "ada") == []
    assert alerts(service, game.id, "bea") == ["news: seat 0 has withdrawn the dispute of event 1"]


def test_a_pause_waits_for_those_who_have_not_agreed(service: Service) -> None:
    game = start_game(service, 2, CLOCK)
    service.games.statements.state(game.id, "ada", AgreeToPause(agree=True))
    assert alerts(service, game.id, "bea") == ["answer: seat 0 asks for a pause"]
    assert alerts(service, game.id, "ada") == [
        "status: the pause that you agree to waits for seat 1"
    ]
    service.games.statements.state(game.id, "bea", AgreeToPause(agree=True))
    for player in ("ada", "bea"):
        assert alerts(service, game.id, player) == [
            "status: the game is paused: all players have agreed to it"
        ]


def test_a_request_for_the_end_waits_for_those_who_have_not_asked(service: Service) -> None:
    game = play_set_up(service, start_game(service, 3, end_by_agreement=True).id)
    agree: Any = {"type": "agree_to_end", "agree": True}
    service.games.commands.act(game.id, "bea", agree, game.seq)
    asked = "answer: seat 1 asks for the end of the game"
    assert [alerts(service, game.id, player) for player in ("ada", "bea", "cid")] == [
        [asked],
        [],
        [asked],
    ]
    current = service.games.queries.game(game.id)
    (alert,) = alerts_of(current, "ada")
    assert alert.action is not None
    action = current.rules.parse_action_text(alert.action)
    assert current.rules.action_to_json(action) == agree


def test_a_vacant_seat_is_offered_to_those_who_can_take_it(service: Service) -> None:
    game = start_game(service, 3, substitutes=True)
    service.games.commands.leave_seat(game.id, "bea")
    assert alerts(service, game.id, "eve") == ["answer: the seat of seat 1 is vacant"]
    assert alerts(service, game.id, "ada") == ["news: the seat of seat 1 is vacant"]
    assert alerts(service, game.id, "bea") == []


def test_a_rematch_waits_for_the_players_until_it_begins(service: Service) -> None:
    register = service.accounts.players.register
    ada, bea = (register(handle, PASSWORD)[0].id for handle in ("ada", "bea"))
    game = start_game(service, players=(ada, bea), round_limit=1)
    play_out(service, game.id)
    service.games.commands.score(game.id)
    ended = service.games.queries.game(game.id)
    assert alerts(service, game.id, bea) == []
    service.games.rematches.request(ended, ada)
    assert alerts(service, game.id, bea) == [f"answer: {ada} asks for a rematch"]
    assert alerts(service, game.id, ada) == [f"status: the rematch waits for {bea}"]
    service.games.rematches.request(ended, bea)
    assert alerts(service, game.id, ada) == ["news: the rematch has begun"]


def test_a_summary_has_what_badges_count(service: Service) -> None:
    game, number = ask_for_takeback(service)
    current = service.games.queries.game(game.id)
    assert counted_alerts(current) == {"bea": (f"takeback-{number}",)}
    summary: Any = decode_summary(encode_summary(summarize(current)))
    assert summary.concerns == {"bea": [f"takeback-{number}"]}
